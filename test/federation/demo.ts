import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createYoga, type GraphiQLOptions } from 'graphql-yoga'
import { fillDemo } from '../../src/cli/serve/demo.js'
import { createGateway, mintKey, openStore } from '../../src/index.js'
import { openStore as openToFill } from '../../src/store/open.js'
import { demoTasks } from './demoTasks.js'
import { composeSupergraph, stitchedGateway } from './supergraph.js'
import { tasksSubgraph } from './tasks.js'

/** A gateway to try: the demo company and a task tracker, which know of each other only by ids, as one graph. */

const QUERY = `query TopRisksAndWhatIsDoneAboutThem {
  risks(first: 5) {
    nodes {
      rank
      title
      project { key }
      tasks { title assignee { name groups { name } } }
    }
  }
}
`

const servers: Server[] = []

/** Listens at this port of this machine, or at a free one if it is taken. */
async function listen(listener: RequestListener, port: number): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve).on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') server.listen(0, '127.0.0.1')
      else reject(error)
    })
    server.listen(port, '127.0.0.1')
  })
  servers.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
}

async function fill(database: string): Promise<void> {
  const store = await openToFill(database)
  await store.write({ by: 'demo', at: () => new Date() }, fillDemo)
  await store.close()
}

async function run(stopped: Promise<unknown>, folder: string): Promise<void> {
  const database = `file:${join(folder, 'operations.db')}`
  await fill(database)
  const store = await openStore(database)
  try {
    const { secret } = await mintKey(store, { name: 'demo', scopes: ['personnel.manage', 'projects.manage'] })
    const service = createGateway({ store })
    const explorer = (title: string, options: GraphiQLOptions = {}) => ({
      graphiql: { title, shouldPersistHeaders: false, ...options },
      // Yoga's default page loads scripts from the internet; this one has 9 MB of them, so it is loaded lazily.
      renderGraphiQL: async (page: GraphiQLOptions) =>
        (await import('@graphql-yoga/render-graphiql')).renderGraphiQL(page),
    })
    const schema = tasksSubgraph(await demoTasks(service, `Bearer ${secret}`))
    const subgraphs = {
      operations: await listen(service.listener, 4001),
      tasks: await listen(createYoga({ schema, logging: false, landingPage: false, ...explorer('Tasks') }), 4002),
    }
    const defaultHeaders = JSON.stringify({ Authorization: `Bearer ${secret}` }, null, 2)
    const page = explorer('Supergraph', {
      defaultQuery: QUERY,
      defaultHeaders,
      defaultEditorToolsVisibility: 'headers',
    })
    const gateway = await listen(stitchedGateway(composeSupergraph(subgraphs), fetch, page), 4000)
    console.log(banner({ gateway, ...subgraphs }, secret))
    await stopped
  } finally {
    for (const server of servers) server.close().closeAllConnections()
    await store.close()
  }
}

function banner({ gateway, operations, tasks }: Record<'gateway' | 'operations' | 'tasks', string>, key: string) {
  return `
One graph of two services: a made-up company and its task tracker.

  Gateway     ${gateway}  (open this; the query below is there, with the key)
  Operations  ${operations}
  Tasks       ${tasks}
  API key     ${key}  (every scope, gone with this demo)

${QUERY}
From a shell:
  curl -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" ${gateway} \\
    -d '${JSON.stringify({ query: QUERY.replaceAll(/\s+/g, ' ').trim() })}'

Ctrl-C stops it.`
}

// Not `once`: SIGINT comes from the terminal and again from tsx, and the second must not abort the shutdown.
const stopped = new Promise((resolve) => process.on('SIGINT', resolve).on('SIGTERM', resolve))
const folder = mkdtempSync(join(tmpdir(), 'federation-demo-'))
try {
  await run(stopped, folder)
} finally {
  rmSync(folder, { recursive: true })
}
