import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createHttpServer } from '../../src/http/server.js'
import { LIMITS } from '../../src/limits.js'
import { openGateway } from '../support/harness.js'
import { dial, head, portOf } from '../support/sockets.js'

/** A served gateway, and a key with personnel.manage. */
async function openServer() {
  const gateway = openGateway()
  const port = await portOf(createHttpServer(gateway.app))
  const { authorization = '' } = await gateway.as('personnel.manage')
  return { gateway, port, authorization }
}

const expecting = (path: string, headers: Record<string, string>) =>
  head(`POST ${path}`, { expect: '100-continue', 'content-type': 'application/json', ...headers })

/** The response before any byte of the body was sent. */
async function firstLine(port: number, bytes: string): Promise<string> {
  const socket = await dial(port, bytes)
  socket.resume()
  const [chunk] = await once(socket, 'data')
  return String(chunk).split('\r\n')[0] ?? ''
}

test('Expect: 100-continue gets 100 only where the body would be read', async () => {
  const { gateway, port, authorization } = await openServer()
  const own = { authorization, 'content-length': '20' }
  const most = { '/v1/groups': LIMITS.bodyBytesMax, '/graphql': LIMITS.syncBodyBytesMax }
  for (const [path, bytesMax] of Object.entries(most)) {
    const line = (headers: Record<string, string>) => firstLine(port, expecting(path, headers))
    expect(await line(own)).toBe('HTTP/1.1 100 Continue')
    expect(await line({ ...own, authorization: 'Bearer ops_wrong' })).toBe('HTTP/1.1 401 Unauthorized')
    expect(await line({ ...own, 'content-length': String(bytesMax + 1) })).toMatch(/^HTTP\/1\.1 413/)
    expect(await line({ ...own, 'content-type': 'text/plain' })).toMatch(/^HTTP\/1\.1 415/)
  }
  const { authorization: reader = '' } = await gateway.as('personnel.read')
  expect(await firstLine(port, expecting('/v1/groups', { ...own, authorization: reader }))).toMatch(/ 403 /)
})

test('Expect: 100-continue leads to the response, also in a host that forwards the event', async () => {
  const { gateway, port, authorization } = await openServer()
  const plain = await portOf(createServer(gateway.app.listener))
  const wired = await portOf(createServer(gateway.app.listener).on('checkContinue', gateway.app.checkContinue))
  for (const [index, at] of [port, plain, wired].entries()) {
    const body = JSON.stringify({ name: `Group ${index}` })
    const socket = await dial(at, expecting('/v1/groups', { authorization, 'content-length': String(body.length) }))
    socket.resume()
    expect(String((await once(socket, 'data'))[0])).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(body)
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 201 Created/)
  }
  expect(await firstLine(wired, expecting('/v1/groups', { 'content-length': '20' }))).toMatch(/ 401 /)
})
