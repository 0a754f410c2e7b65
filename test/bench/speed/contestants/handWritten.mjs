/** A hand-written server: node:http, prepared SQL, JSON.stringify. */
import { createServer } from 'node:http'
import { issuesBody, peopleBody, personBody, risksBody } from './bodies.mjs'
import { bodyOf, FILE, listen } from './listen.mjs'
import { Refusal } from './people.mjs'
import { openStore } from './store.mjs'

const store = openStore(FILE)

const whole = (text) => (text === null ? undefined : Number(text))

function read(path, query) {
  const limit = whole(query.get('limit'))
  if (path === '/v1/personnel') return peopleBody(store, limit, query.get('cursor') ?? undefined)
  if (path === '/v1/risks') return risksBody(store, limit, query.get('project') ?? undefined)
  if (path === '/v1/issues') return issuesBody(store, limit, query.get('project') ?? undefined)
  if (path.startsWith('/v1/personnel/')) {
    const person = store.person(path.slice('/v1/personnel/'.length))
    if (person) return personBody(person, store.groupsOf([person.id]).get(person.id))
  }
  throw new Refusal(404, 'There is nothing here.')
}

async function add(request, caller) {
  if (request.headers['content-type'] !== 'application/json') throw new Refusal(415, 'Send application/json.')
  return personBody(store.addPerson(JSON.parse(await bodyOf(request)), caller.keyId))
}

const scopeOf = (path) => (path.startsWith('/v1/personnel') ? 'personnel' : 'projects')

async function answer(request) {
  const caller = store.caller(request.headers.authorization)
  if (!caller) throw new Refusal(401, 'A key is needed.')
  const cut = request.url.indexOf('?')
  const path = cut < 0 ? request.url : request.url.slice(0, cut)
  const isWrite = request.method === 'POST' && path === '/v1/personnel'
  if (!caller.may(`${scopeOf(path)}.${isWrite ? 'manage' : 'read'}`)) throw new Refusal(403, 'The scope is missing.')
  if (isWrite) return { status: 201, value: await add(request, caller) }
  if (request.method !== 'GET') throw new Refusal(405, 'This cannot be done here.')
  return { status: 200, value: read(path, new URLSearchParams(cut < 0 ? '' : request.url.slice(cut + 1))) }
}

function send(response, status, value) {
  const text = JSON.stringify(value)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

listen(
  createServer((request, response) => {
    answer(request).then(
      ({ status, value }) => send(response, status, value),
      (error) => send(response, error.status ?? (error instanceof SyntaxError ? 400 : 500), { title: error.message }),
    )
  }),
)
