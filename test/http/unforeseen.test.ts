import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { AppOptions } from '../../src/http/app.js'
import { createHttpServer } from '../../src/http/server.js'
import { openGateway } from '../support/harness.js'

const brokenLog = pino({ level: 'info' }, { write: () => fail() })

function fail(): never {
  throw new Error('nobody foresaw this')
}

const WAYS: [what: string, options: Partial<AppOptions>][] = [
  ['a logger', { log: brokenLog }],
  ['a metric', { onFinished: fail }],
]

async function statusAt(server: Server, path: string): Promise<unknown> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return problemIn(await fetch(`http://127.0.0.1:${port}${path}`))
}

async function problemIn(response: Response) {
  const { code, detail } = (await response.json()) as { code: string; detail: string }
  return { status: response.status, type: response.headers.get('content-type'), code, detail }
}

const INTERNAL = {
  status: 500,
  type: 'application/problem+json',
  code: 'INTERNAL',
  detail: 'Something went wrong on our side.',
}

test.each(WAYS)('%s that throws leaves no request unanswered', async (_, options) => {
  const { app } = openGateway(options)
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  onTestFinished(() => {
    process.off('unhandledRejection', note)
  })
  for (const path of ['/healthz', '/v1/personnel', '/nowhere']) {
    expect(await problemIn(await app.fetch(new Request(`http://localhost${path}`)))).toEqual(INTERNAL)
    expect(await statusAt(createServer(app.listener), path)).toEqual(INTERNAL)
    expect(await statusAt(createHttpServer(app), path)).toEqual(INTERNAL)
  }
  expect(unhandled).toEqual([])
})
