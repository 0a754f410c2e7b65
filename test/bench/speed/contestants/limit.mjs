/** The limit: node:http sends one Buffer for every request. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { FILE, listen } from './listen.mjs'

const answer = readFileSync(FILE)
const headers = { 'content-type': 'application/json', 'content-length': answer.length }

const reply = (response) => response.writeHead(200, headers).end(answer)

listen(
  createServer((request, response) => {
    if (request.method === 'GET') return reply(response)
    request.resume().on('end', () => reply(response))
  }),
)
