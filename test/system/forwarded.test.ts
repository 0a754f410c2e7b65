import { expect, test } from 'vitest'
import { newFolder, serve } from '../support/process.js'

/** The address that the log has for a request with a wrong key and these headers. */
async function loggedAddresses(args: readonly string[], requests: readonly Record<string, string>[]) {
  const { origin, stop } = await serve(newFolder(), args)
  for (const headers of requests) {
    const { status } = await fetch(`${origin}/v1/risks`, { headers: { ...headers, authorization: 'Bearer ops_wrong' } })
    expect(status).toBe(401)
  }
  const lines = (await stop('SIGTERM')).stdout.trim().split('\n')
  return lines.map((line) => JSON.parse(line)).flatMap(({ msg, address }) => (msg === 'request' ? [address] : []))
}

const HEADERS = [
  {},
  { 'x-forwarded-for': '203.0.113.7' },
  // Only the last entry is by the proxy itself.
  { 'x-forwarded-for': '192.0.2.1, 203.0.113.7' },
  { forwarded: 'for="[2001:db8::1]:4711"' },
  { forwarded: 'for=192.0.2.1;proto=https, proto=https;for="203.0.113.8:4711"' },
  // Another proxy of ours in between.
  { 'x-forwarded-for': '203.0.113.9, 10.1.2.3' },
  { forwarded: 'for=_hidden' },
  { 'x-forwarded-for': '203.0.113.9:4711' },
  // What a client made up, and its proxy passed on.
  { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=192.0.2.1' },
]

test('the address of a client is the one that a trusted proxy forwards', async () => {
  expect(await loggedAddresses(['--trusted-proxies', '127.0.0.1,10.0.0.0/8'], HEADERS)).toEqual([
    '127.0.0.1',
    '203.0.113.7',
    '203.0.113.7',
    '2001:db8::1',
    '203.0.113.8',
    '203.0.113.9',
    '127.0.0.1',
    '203.0.113.9',
    '203.0.113.7',
  ])
})

test.each([[[]], [['--trusted-proxies', '10.0.0.0/8,2001:db8::/32']]])(
  'with %j nobody on this machine is believed',
  async (args) => {
    expect(await loggedAddresses(args, HEADERS)).toEqual(HEADERS.map(() => '127.0.0.1'))
  },
)
