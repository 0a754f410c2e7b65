import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createGateway, createMetrics, type GatewayOptions, mintKey, openStore, type Scope } from '../../src/index.js'
import { openFilled } from '../support/harness.js'
import { AUDIENCE, claimsWith, fakeProvider, signed } from '../support/identity.js'

const ADA = { name: 'Ada Byron', email: 'ada.byron@example.com' }

/** A gateway with these options, mounted in a server of node:http. */
async function mounted(options: Partial<GatewayOptions> = {}, scopes: Scope[] = ['personnel.manage']) {
  const { gateway: own } = await openFilled()
  const store = await openStore(own.own.url)
  const { secret } = await mintKey(store, { name: 'host', scopes })
  const gateway = createGateway({ store, ...options })
  const server = createServer(gateway.listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close().closeAllConnections()
    await store.close()
  })
  const { port } = server.address() as AddressInfo
  const call = (path: string, headers: Record<string, string> = {}, body?: object) => {
    const sent = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers }
    const more = body && { method: 'POST', body: JSON.stringify(body) }
    return fetch(`http://127.0.0.1:${port}${path}`, { headers: sent, ...more })
  }
  return { store, gateway, server, call }
}

test('closing the gateway answers who waits for changes, so that the server of the host can close', async () => {
  const { store, gateway, server, call } = await mounted({}, ['personnel.read', 'projects.read'])
  let page = { next: '', more: true }
  while (page.more)
    ({ page } = await (await call(`/v1/changes?limit=1000${page.next && `&cursor=${page.next}`}`)).json())
  const waiting = call(`/v1/changes?wait=20&cursor=${page.next}`)
  let isAnswered = false
  waiting.then(() => {
    isAnswered = true
  })
  await vi.waitFor(() => expect(Object(gateway).gauges().waitingPolls).toBe(1))
  const closed = once(server.close(), 'close')
  expect(isAnswered).toBe(false)
  await gateway.close()
  const response = await waiting
  expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
  expect((await response.json()).data).toEqual([])
  await closed
  await gateway[Symbol.asyncDispose]()
  await store.close()
  await Promise.all([store.close(1_000), store[Symbol.asyncDispose]()])
})

test('closing the gateway waits for requests that are running', async () => {
  let goOn = () => {}
  const asked = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const authenticate = () => asked.then(() => ({ id: 'ada', scopes: ['personnel.read' as const] }))
  const { gateway } = await mounted({ authenticate })
  const steps: string[] = []
  const running = gateway.fetch(new Request('http://localhost/v1/key')).then(({ status }) => steps.push(String(status)))
  const closing = gateway.close().then(() => steps.push('closed'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(steps).toEqual([])
  goOn()
  await Promise.all([running, closing])
  expect(steps.sort()).toEqual(['200', 'closed'])
})

test('a gateway takes what the command takes: tokens, CORS, trusted proxies', async () => {
  const provider = await fakeProvider()
  const { call } = await mounted({
    clock: () => new Date('2026-11-02T09:30:00.000Z'),
    corsOrigins: 'https://app.example.com',
    trustedProxies: '127.0.0.1',
    oidcIssuer: provider.issuer,
    oidcAudience: AUDIENCE,
    oidcScopeMap: 'Reader=projects.read',
  })
  const [key] = provider.keys
  if (!key) throw new Error('The provider has no key.')
  const token = await signed(claimsWith(provider.issuer, { scope: 'Reader' }), key)
  const ofToken = await call('/v1/key', { authorization: `Bearer ${token}`, origin: 'https://app.example.com' })
  expect([ofToken.status, ofToken.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example.com'])
  expect((await ofToken.json()).scopes).toEqual(['projects.read'])
})

test.each([
  [{ corsOrigins: 'app.example.com' }, 'corsOrigins is "app.example.com"; it must be origins such as'],
  [{ trustedProxies: 'proxy' }, 'trustedProxies is "proxy"; it must be addresses or networks'],
  [{ oidcIssuer: 'https://login.example.com' }, 'oidcIssuer also needs oidcAudience.'],
])('settings that cannot be used are refused in a sentence: %j', async (options, sentence) => {
  await expect(mounted(options)).rejects.toThrow(sentence)
})

test('a gateway tells of writes, and counts for Prometheus', async () => {
  const { gateway: own } = await openFilled()
  const store = await openStore(own.own.url)
  onTestFinished(() => store.close())
  const metrics = await createMetrics(store)
  const onWritten = vi.fn()
  const caller = { id: 'ada@example.com', scopes: ['personnel.manage' as const] }
  const gateway = createGateway({ store, metrics, onWritten, authenticate: () => caller })
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(ADA) }
  expect((await gateway.fetch(new Request('http://localhost/v1/personnel', sent))).status).toBe(201)
  expect(onWritten).toHaveBeenCalledOnce()
  const text = await metrics.text()
  expect(text).toContain('operations_key_requests_total{key="host"} 1')
  expect(text).toContain('operations_waiting_polls 0')
  expect(text).not.toContain('ada@example.com')
})

test('a host whose notice of a write throws does not undo it', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  const onWritten = () => {
    throw new Error('The cache of the host is gone.')
  }
  const { call } = await mounted({ onWritten })
  expect((await call('/v1/personnel', {}, ADA)).status).toBe(201)
  await vi.waitFor(() => expect(written.mock.calls.join()).toContain('The cache of the host is gone.'))
})

test('an error of `authenticate` is written to standard error if there is no log', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  const { call } = await mounted({
    authenticate() {
      throw new Error('The session store is away.')
    },
  })
  expect((await call('/v1/key')).status).toBe(500)
  await vi.waitFor(() => expect(written.mock.calls.join()).toContain('The session store is away.'))
})
