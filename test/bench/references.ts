/**
 * The cost of `_entities` batches as a gateway sends them: over a socket, on a store with 10,000 people and 10,000
 * risks. The response cache is off, so that every batch is read.
 *
 *   npm run bench -- references
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { mintKey } from '../../src/auth/keys.js'
import { createApp } from '../../src/http/app.js'
import { LIMITS } from '../../src/limits.js'
import { personWith } from '../../src/personnel/people.js'
import { openStore } from '../../src/store/open.js'
import type { Write } from '../../src/store/store.js'
import { median } from '../campaigns/client.js'
import { addProject, addRisks, project, risk } from '../support/fixtures.js'

const PEOPLE = 10_000
const PROJECTS = 100
const RISKS_EACH = 100
const ROUNDS = 15

type Representation = Readonly<Record<string, unknown>>

interface Batch {
  readonly name: string
  readonly references: readonly Representation[]
  readonly selection: string
}

async function fill(write: Write): Promise<string[]> {
  const people = Array.from({ length: PEOPLE }, (_, index) =>
    personWith(write, undefined, { name: `Person ${index}`, email: `p${index}@example.com`, title: 'Engineer' }),
  )
  await write.insertAll(write.t.person, people)
  for (let index = 0; index < PROJECTS; index++) {
    const id = await addProject(write, project({ key: `P-${index}` }))
    const drafts = Array.from({ length: RISKS_EACH }, (_, n) => risk(id, { reference: `R-${n}` }))
    await addRisks(write, drafts)
  }
  return people.map(({ id }) => id)
}

const PERSON = '... on Person { id name email title department status }'
const RISK = '... on Risk { reference title score level status project { key name } }'

function batchesOf(ids: readonly string[]): Batch[] {
  const people = (count: number, of: (index: number) => Representation) =>
    Array.from({ length: count }, (_, index) => ({ __typename: 'Person', ...of((index * 7) % PEOPLE) }))
  const byId = (count: number): Batch => ({
    name: `${count} people by id`,
    references: people(count, (index) => ({ id: ids[index] })),
    selection: PERSON,
  })
  return [
    byId(100),
    byId(1_000),
    byId(5_000),
    {
      name: '5,000 people by e-mail',
      references: people(5_000, (index) => ({ email: `p${index}@example.com` })),
      selection: PERSON,
    },
    {
      name: '5,000 references to 40 people',
      references: people(5_000, (index) => ({ id: ids[index % 40] })),
      selection: PERSON,
    },
    {
      name: '5,000 risks by project and reference',
      references: Array.from({ length: 5_000 }, (_, index) => ({
        __typename: 'Risk',
        project: { key: `P-${index % PROJECTS}` },
        reference: `R-${Math.floor(index / PROJECTS)}`,
      })),
      selection: RISK,
    },
  ]
}

const folder = mkdtempSync(join(tmpdir(), 'references-'))
const store = await openStore(`file:${join(folder, 'operations.db')}`)
const lines: { readonly statements: number }[] = []
try {
  const ids = await store.write({ by: 'bench', at: () => new Date() }, fill)
  const { secret } = await store.write({ by: 'bench', at: () => new Date() }, (write) =>
    mintKey(write, { name: 'bench', scopes: ['personnel.read', 'projects.read'], expiresAt: undefined }),
  )
  const app = createApp({
    store,
    log: pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) }),
    clock: () => new Date(),
    basePath: '',
    graphiql: false,
    wholeListRowsMax: LIMITS.wholeListRowsMax,
    ratePerMinute: 0,
    responseCacheBytesMax: 0,
    inFlightBytesMax: LIMITS.inFlightBytesMax,
    slowMs: 60_000,
    corsOrigins: '',
  })
  const server = createServer(app.listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  console.log(`| batch | statements | ms (median of ${ROUNDS}) | KB sent | KB answered |\n|---|---|---|---|---|`)
  for (const { name, references, selection } of batchesOf(ids)) {
    const query = `query ($all: [_Any!]!) { _entities(representations: $all) { __typename ${selection} } }`
    const body = JSON.stringify({ query, variables: { all: references } })
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const times: number[] = []
    let answered = 0
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now()
      const text = await (await fetch(`${origin}/graphql`, { method: 'POST', headers, body })).text()
      times.push(performance.now() - began)
      answered = text.length
      if (text.includes('"errors"') || text.includes('null,null')) throw new Error(text.slice(0, 300))
    }
    const kilobytes = (bytes: number) => Math.round(bytes / 1_000)
    const cells = [
      name,
      lines.at(-1)?.statements,
      median(times).toFixed(0),
      kilobytes(body.length),
      kilobytes(answered),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  server.close()
  server.closeAllConnections()
} finally {
  await store.close()
  rmSync(folder, { recursive: true })
}
