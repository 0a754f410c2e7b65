import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway'
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { createYoga } from 'graphql-yoga'
import { expect, onTestFinished, test } from 'vitest'
import { type Operations, requestsTo, type Send, type Tasks, throughGateway } from '../federation/scenarios.js'
import { composeSupergraph, stitchedGateway } from '../federation/supergraph.js'
import { tasksSubgraph } from '../federation/tasks.js'
import { openFilled } from '../support/harness.js'

// The subgraph URLs of the stitching gateway; Apollo's gets their sockets, as composing takes a while.
const SUBGRAPHS = { operations: 'http://operations/graphql', tasks: 'http://tasks/graphql' }
const supergraphSdl = composeSupergraph(SUBGRAPHS)

/** Graphql-tools, with each subgraph called as a function. */
async function openStitched(operations: Operations, tasks: Tasks): Promise<Send> {
  const gateway = stitchedGateway(supergraphSdl, async (request) =>
    request.url === SUBGRAPHS.tasks ? tasks.fetch(request) : operations.app.fetch(request),
  )
  return async (init) => gateway.fetch('http://gateway/graphql', init)
}

/** Apollo's own gateway, with a socket for it and for each subgraph. */
async function openApollo(operations: Operations, tasks: Tasks, apq = false): Promise<Send> {
  const origins = new Map([
    ['operations', await listen(operations.app.listener)],
    ['tasks', await listen(tasks)],
  ])
  const gateway = new ApolloGateway({
    supergraphSdl,
    buildService: ({ name }) =>
      new RemoteGraphQLDataSource({
        url: `${origins.get(name)}/graphql`,
        apq,
        willSendRequest({ request, context }) {
          const { authorization } = context
          if (authorization) request.http?.headers.set('authorization', authorization)
        },
      }),
  })
  const server = new ApolloServer<{ authorization: string | undefined }>({ gateway })
  onTestFinished(() => server.stop())
  const { url } = await startStandaloneServer(server, {
    listen: { port: 0, host: '127.0.0.1' },
    context: async ({ req }) => ({ authorization: req.headers.authorization }),
  })
  return (init) => fetch(url, init)
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.close()
    // The gateway keeps its connections alive.
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

throughGateway('graphql-tools in process', openStitched)
throughGateway('Apollo Gateway over HTTP', (operations, tasks) => openApollo(operations, tasks))

test('Apollo Gateway with automatic persisted queries sends a text once, and hashes from then on', async () => {
  const { gateway: operations } = await openFilled()
  const tasks = createYoga({ schema: tasksSubgraph([]), logging: false })
  const send = await openApollo(operations, tasks, true)
  const { authorization = '' } = await operations.as('personnel.read')
  const body = JSON.stringify({ query: '{ groups { nodes { name } } }' })
  const headers = { 'content-type': 'application/json', authorization }
  const answers = [1, 2, 3].map(() => async () => (await send({ method: 'POST', headers, body })).json())
  const groups = { nodes: [{ name: 'alpha Team' }, { name: 'Empty' }, { name: 'Zulu team' }] }
  for (const answer of answers) expect(await answer()).toEqual({ data: { groups } })
  expect(requestsTo(operations).map(({ code = 'answered' }) => code)).toEqual([
    'PERSISTED_QUERY_NOT_FOUND',
    'answered',
    'answered',
    'answered',
  ])
})

// Only through Apollo's gateway: graphql-tools takes a minute to copy one error to so many paths.
test('references that cost too much are refused with the reason, and not passed over', async () => {
  const { gateway: operations } = await openFilled()
  const many = Array.from({ length: 3_000 }, (_, index) => ({
    id: String(index),
    title: 'Order steel',
    assigneeId: `usr_${index}`,
    riskId: '',
  }))
  const send = await openApollo(operations, createYoga({ schema: tasksSubgraph(many), logging: false }))
  const { authorization = '' } = await operations.as('personnel.read')
  const fields = Array.from({ length: 40 }, (_, index) => `a${index}: name`).join(' ')
  const body = JSON.stringify({ query: `{ tasks { nodes { assignee { ${fields} } } } }` })
  const response = await send({ method: 'POST', headers: { 'content-type': 'application/json', authorization }, body })
  const { data, errors } = (await response.json()) as { data: unknown; errors: { extensions: { code: string } }[] }
  expect(data).toEqual({ tasks: { nodes: many.map(() => ({ assignee: null })) } })
  expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['TOO_COMPLEX']))
})
