import { createHash } from 'node:crypto'
import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { Fault } from '../errors.js'
import { namesOf } from '../fields.js'
import type { Rows } from './bulk.js'
import { COUNTERS } from './changeCounters.js'
import { type List, memberColumn, pagesOf } from './query/page.js'
import type { Read, Store, Write } from './store.js'
import type { Tables } from './tables.js'

/** Row count of a table, and a hash of all its rows in key order. */
interface Contents {
  readonly rows: number
  readonly checksum: string
}

type Part = List<PgTable, object>

/** The keys of the tables whose rows have no id. */
const KEYS: Readonly<Partial<Record<keyof Tables, readonly string[]>>> = {
  membership: ['groupId', 'personId'],
  riskTally: ['score'],
  sourceMap: ['source', 'noun'],
  idempotencyRecord: ['keyId', 'token'],
}

/** All tables except the change counters, each in key order; a foreign key refers to a table before its own. */
function partsIn({ t }: Read): Part[] {
  return namesOf(t).flatMap((name) => {
    const order = (of: PgTable) => (KEYS[name] ?? ['id']).map((member) => memberColumn(of, member))
    const part = { name: getTableName(t[name]), table: (of: Tables) => of[name], order, matching: () => undefined }
    return name === 'revision' ? [] : [part]
  })
}

/** Copies one snapshot of a store into an empty store, in one transaction; if `onProgress` throws, it is rolled back. */
export async function copyStore(
  source: Store,
  target: Store,
  clock: () => Date,
  onProgress: (rows: number, total: number) => void,
): Promise<Record<string, Contents>> {
  return source.snapshot((from) =>
    target.write({ by: 'cli', at: clock }, async (to) => {
      if ((await rowsIn(to)) > 0)
        throw new Fault('CONFLICT', 'The target is not empty. Copy into a store with nothing in it.')
      const total = await rowsIn(from)
      let done = 0
      const copied: Record<string, Contents> = {}
      for (const list of partsIn(from)) {
        const table = list.table(to.t)
        const resume = await to.suspendIndexes(table)
        const sent = await contentsOf(from, list, async (rows) => {
          await to.insertAll(table, rows)
          done += rows.length
          onProgress(done, total)
        })
        await resume()
        copied[list.name] = await verified(to, list, sent)
      }
      await takeRevision(from, to)
      return copied
    }),
  )
}

async function rowsIn(read: Read): Promise<number> {
  let rows = 0
  for (const { table } of partsIn(read)) rows += await read.db.$count(table(read.t))
  return rows
}

async function contentsOf(
  read: Read,
  list: Part,
  onPage: (rows: Rows) => Promise<void> = async () => {},
): Promise<Contents> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const page of pagesOf(read, list, {})) {
    for (const row of page) hash.update(`${JSON.stringify(Object.values(row))}\n`)
    rows += page.length
    await onPage(page)
  }
  return { rows, checksum: hash.digest('hex') }
}

async function verified(to: Write, list: Part, sent: Contents): Promise<Contents> {
  const found = await contentsOf(to, list)
  if (found.rows === sent.rows && found.checksum === sent.checksum) return found
  const words = `${found.rows} rows (${found.checksum}) instead of ${sent.rows} (${sent.checksum})`
  throw new Fault('UNAVAILABLE', `Nothing was copied: the copy of ${list.name} differs from its source: ${words}.`)
}

/** The change counters continue from the source's; this write raises them by one, so one less is stored. */
async function takeRevision(from: Read, to: Write): Promise<void> {
  const [row] = await from.db.select().from(from.t.revision)
  if (!row) return
  const before = COUNTERS.map((counter) => [counter, row[counter] - 1])
  await to.db.update(to.t.revision).set(Object.fromEntries(before))
}
