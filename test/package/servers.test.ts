import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { codeOf, compile } from './host.js'

const run = promisify(execFile)
const { folder } = inject('host')

const [preamble = ''] = codeOf('embedding.md', 'Inside your own program')
const [, servers = '', graphqlTools = '', fields = '', ownTypes = ''] = codeOf('embedding.md', 'The schema alone')
const [served = ''] = codeOf('embedding.md', 'What `serve` has')
const [callers = ''] = codeOf('embedding.md', 'Your own callers instead of keys')

/** The servers of the document, each with the same requests, and once more after the store is closed. */
const PROGRAM = `
import { parse } from 'graphql'
import { yoga, apollo } from './servers.js'
import { merged, stitched } from './graphqlTools.js'
import { contextFor, maskError, openStore, schema } from 'operations-gateway'
import { execute } from 'graphql'
import { ApolloServer } from '@apollo/server'
import { mergeSchemas } from '@graphql-tools/schema'
import { stitchSchemas } from '@graphql-tools/stitch'
import { createYoga } from 'graphql-yoga'
import { extended as hostSchema } from './fields.js'
import { tasks, withTasks } from './ownTypes.js'

const QUERY = '{ personnel { totalCount } risks { totalCount } _entities(representations: [{ __typename: "Risk", id: "x" }]) { __typename } }'
const scopes = ['personnel.read']
const store = await openStore('file:./data/operations.db')
const executing = (schema, context) => (query) => execute({ schema, document: parse(query), contextValue: context() })
const body = async (response) => (await response).json()
const posted = (yoga) => (query) => body(yoga.fetch('http://localhost/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
}))
const asked = (apollo, context) => async (query) =>
  (await apollo.executeOperation({ query }, { contextValue: context() })).body.singleResult
const executors = {
  execute: executing(schema, () => contextFor(store, { scopes })),
  mergeSchemas: executing(merged, () => ({ ...contextFor(store, { scopes }), user: 'ada' })),
  stitchSchemas: executing(stitched, () => ({ scopes })),
  Yoga: posted(yoga),
  'Apollo Server': asked(apollo, () => contextFor(store, { scopes })),
}
const all = async (query) =>
  Object.fromEntries(await Promise.all(Object.entries(executors).map(async ([name, run]) => [name, await run(query)])))

const open = await all(QUERY)
const motto = await executors.mergeSchemas('{ motto }')
const stitchedMotto = await executors.stitchSchemas('{ motto }')
const managing = () => contextFor(store, { scopes: ['personnel.manage'] })
const executor = ({ document, variables }) =>
  execute({ schema: hostSchema, document, variableValues: { ...variables }, contextValue: managing() })
const hostApollo = new ApolloServer({ schema: hostSchema })
const hostYoga = createYoga({ schema: hostSchema, context: managing })
const extending = {
  execute: executing(hostSchema, managing),
  mergeSchemas: executing(mergeSchemas({ schemas: [hostSchema] }), managing),
  stitchSchemas: executing(stitchSchemas({ subschemas: [{ schema: hostSchema, executor }] }), managing),
  Yoga: posted(hostYoga),
  'Apollo Server': asked(hostApollo, managing),
}
const extended = {}
for (const [index, [name, run]] of Object.entries(extending).entries())
  extended[name] = await run(\`mutation { addPerson(input: { name: "Zoe", email: "zoe@host\${index}.example" }) { id: name inbox } }\`)
const { data } = await extending.execute('{ personnel(first: 2) { nodes { id name email } } }')
const people = data.personnel.nodes
tasks.push(...people.map(({ id }) => ({ title: 'Call', assigneeId: id })), { title: 'Rest', assigneeId: null })
const own = {
  execute: executing(withTasks, managing),
  Yoga: posted(createYoga({ schema: withTasks, context: managing })),
  'Apollo Server': asked(new ApolloServer({ schema: withTasks }), managing),
}
const shown = {}
for (const [name, run] of Object.entries(own)) shown[name] = await run('{ tasks { title assignee { id name email } } }')
const stores = [store, (await import('./servers.js')).store, (await import('./graphqlTools.js')).store]
await Promise.all(stores.map((one) => one.close()))
const closed = await all('{ personnel { totalCount } }')
const masked = maskError(new Error('The database connection is not open'))
console.log(JSON.stringify({ open, motto, stitchedMotto, extended, closed, masked, people, shown }))
process.exit()
`

interface Outcome {
  readonly data: unknown
  readonly errors: readonly unknown[]
}

let complaints: string[]
let results: Record<'open' | 'closed' | 'extended', Record<string, Outcome>> &
  Record<'motto' | 'stitchedMotto' | 'masked', unknown> & { readonly people: unknown[]; readonly shown: object }

beforeAll(async () => {
  const programs = {
    'servers.ts': `${preamble}${servers}\nexport { apollo, store, yoga }`,
    'graphqlTools.ts': `${preamble}${graphqlTools}\nexport { merged, stitched, store }`,
    'callers.ts': `${preamble}${callers}`,
    'served.ts': `${preamble}${served}`,
    'fields.ts': `${fields}\nexport { extended }`,
    'ownTypes.ts': `${ownTypes}\nexport { tasks, withTasks }`,
  }
  // The declarations of Yoga and Apollo Server do not pass a check of libraries; the host has chosen them.
  complaints = await compile(folder, programs, false)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  results = JSON.parse(stdout.slice(stdout.indexOf('{"open"')))
})

test('the code of the document passes a strict type check', () => {
  expect(complaints).toEqual([])
})

describe.each(['execute', 'mergeSchemas', 'stitchSchemas', 'Yoga', 'Apollo Server'])('by %s', (server) => {
  test('what the scopes grant is served, and each refusal names the needed scope', () => {
    const refused = { code: 'INSUFFICIENT_SCOPE', requiredScope: 'projects.read' }
    const { data, errors } = results.open[server] ?? {}
    expect(data).toEqual({ personnel: { totalCount: expect.any(Number) }, risks: null, _entities: [null] })
    const message = 'This needs a key with the scope projects.read.'
    const at = (...path: readonly (string | number)[]) =>
      expect.objectContaining({ message, path, extensions: refused })
    expect(errors).toHaveLength(2)
    expect(errors).toEqual(expect.arrayContaining([at('risks'), at('_entities', 0)]))
  })

  test('callers of a closed store are told', () => {
    const { data, errors } = results.closed[server] ?? {}
    expect(data).toEqual({ personnel: null })
    const [message, extensions] = ['The store is closed.', { code: 'UNAVAILABLE' }]
    expect(errors).toEqual([expect.objectContaining({ message, path: ['personnel'], extensions })])
  })

  test('the rows of our types reach the fields that the host has added', () => {
    const inbox = expect.stringMatching(/^mail\/zoe@host\d\.example$/)
    expect(results.extended[server]).toEqual({ data: { addPerson: { id: 'Zoe', inbox } } })
  })
})

test('a type of the host has our rows as fields', () => {
  const { people, shown } = results
  const tasks = [...people.map((assignee) => ({ title: 'Call', assignee })), { title: 'Rest', assignee: null }]
  expect(people).toHaveLength(2)
  expect(shown).toEqual({
    execute: { data: { tasks } },
    Yoga: { data: { tasks } },
    'Apollo Server': { data: { tasks } },
  })
})

test('the fields of the host stand beside ours', () => {
  const motto = { data: { motto: 'Per aspera' } }
  expect([results.motto, results.stitchedMotto]).toEqual([motto, motto])
})

test('maskError hides what is no refusal', () => {
  expect(results.masked).toEqual({ message: 'Something went wrong on our side.', extensions: { code: 'INTERNAL' } })
})
