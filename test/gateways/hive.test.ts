import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll } from 'vitest'
import { throughGateway } from '../federation/scenarios.js'
import { composeSupergraph } from '../federation/supergraph.js'
import { listen } from './sockets.js'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const BIN = join(HERE, 'node_modules/@graphql-hive/gateway/dist/bin.js')

/** The subgraphs of the test that is running: starting a gateway for each would take longer than all of them. */
const running: { operations?: RequestListener; tasks?: RequestListener } = {}
let gateway = ''

beforeAll(async () => {
  const passedOn =
    (name: keyof typeof running): RequestListener =>
    (request, response) =>
      running[name]?.(request, response)
  const ends: (() => void)[] = []
  const atEnd = (end: () => void) => void ends.push(end)
  const operations = await listen(passedOn('operations'), atEnd)
  const tasks = await listen(passedOn('tasks'), atEnd)
  const supergraph = join(mkdtempSync(join(tmpdir(), 'hive-')), 'supergraph.graphql')
  writeFileSync(supergraph, composeSupergraph({ operations: `${operations}/graphql`, tasks: `${tasks}/graphql` }))
  const port = await freePort()
  const options = ['--host', '127.0.0.1', '--port', port, '--config-path', join(HERE, 'hive.config.mjs')]
  const child = spawn(process.execPath, [BIN, 'supergraph', supergraph, ...options], { cwd: HERE, stdio: 'ignore' })
  atEnd(() => child.kill())
  gateway = `http://127.0.0.1:${port}`
  await untilReady(`${gateway}/readiness`)
  // An `afterAll` in here would not run.
  return () => {
    for (const end of ends) end()
  }
})

async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return String(typeof address === 'object' ? address?.port : address)
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await wait(100)
  }
  throw new Error('Hive Gateway does not start.')
}

throughGateway('Hive Gateway over HTTP', async (operations, tasks) => {
  running.operations = operations.app.listener
  running.tasks = tasks
  return (init) => fetch(`${gateway}/graphql`, init)
})
