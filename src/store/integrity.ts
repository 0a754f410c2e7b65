import { isPostgres } from './address.js'
import { COUNTERS } from './changeCounters.js'
import { isDamage } from './faults.js'
import type { Read } from './store.js'

/** What a check has found. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'differs' | 'repaired'
  readonly count: number
  /** The first few of what differs. */
  readonly details: readonly string[]
}

export const FIRST_MAX = 5

export function findingOf(check: string, first: readonly string[], count = first.length): Finding {
  return { check, status: count === 0 ? 'ok' : 'differs', count, details: first.slice(0, FIRST_MAX) }
}

/** Checks what only a backup brings back: the pages of the store, its references, and the row of change counters. */
export async function integrityOf(read: Read, database: string): Promise<Finding[]> {
  // PostgreSQL looks after its pages (pg_amcheck) and enforces references.
  if (isPostgres(database)) return [await countersIn(read)]
  const pages = findingOf('pages', await damageIn(read))
  if (pages.count > 0) return [pages]
  return [pages, await referencesIn(read), await countersIn(read)]
}

const LINES_MAX = 100

async function damageIn(read: Read, linesMax = LINES_MAX): Promise<string[]> {
  try {
    const lines = await read.rows({ text: `pragma integrity_check(${linesMax})`, values: [] })
    return lines.map(([line]) => String(line).replaceAll(/\s+/g, ' ')).filter((line) => line !== 'ok')
  } catch (error) {
    if (!isDamage(error)) throw error
    // It looks at the structure first, and fails when it then reads the rows.
    return linesMax > 1 ? damageIn(read, 1) : ['they cannot be read']
  }
}

async function referencesIn({ rows }: Read): Promise<Finding> {
  const broken = await rows({ text: 'select "table", rowid, parent from pragma_foreign_key_check', values: [] })
  const first: string[] = []
  for (const [table, row, parent] of broken.slice(0, FIRST_MAX)) {
    const id = table === 'membership' ? "person_id || ' in ' || group_id" : 'id'
    const [named] = await rows({ text: `select ${id} from "${table}" where rowid = ?`, values: [row] })
    first.push(`${named} (no such ${parent})`)
  }
  return findingOf('references', first, broken.length)
}

async function countersIn({ db, t }: Read): Promise<Finding> {
  const all = await db.select().from(t.revision)
  const negative = all.flatMap((row) => COUNTERS.filter((one) => row[one] < 0).map((one) => `${one} is ${row[one]}`))
  return findingOf('change counters', all.length === 1 ? negative : [`${all.length} rows instead of one`])
}
