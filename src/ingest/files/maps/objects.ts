import { listed, UnreadableSheet } from '../flaws.js'
import type { JsonRecord } from '../json.js'
import { blankOf, type Mapping, mayLack } from '../mapping.js'
import type { SheetRecord, SheetRecords } from '../records.js'
import { hasPath, membersAt, pathsOf } from './paths.js'
import { RecordMapper } from './records.js'

/** The records of JSON objects by a map; a path that no object has is an error, as a missing column is in a table. */
export function mappedObjects(source: Iterable<JsonRecord>, mapping: Mapping, name: string): SheetRecords {
  const mapper = new RecordMapper(mapping)
  const blank = blankOf(mapping)
  const unseen = new UnseenPaths(mapping)
  const records: (SheetRecord & { values: Record<string, unknown> })[] = []
  for (const { line, members, flaws } of source) {
    const values = { ...blank }
    if (flaws.length > 0) {
      records.push({ index: records.length, line, values, flaws })
      continue
    }
    unseen.look(members)
    const gather = (path: string) => membersAt(members, path)
    if (!mapper.takes(gather)) continue
    records.push({ index: records.length, line, values, flaws: mapper.fillIn(values, gather, line) })
  }
  for (const field of unseen.finish(name)) for (const { values } of records) delete values[field]
  return { records, notes: mapper.notes(), warnings: mapper.warnings() }
}

/** How many objects a message takes its paths from. */
const SAMPLES = 20

/** The names of a map that no object has had yet. */
class UnseenPaths {
  readonly #mapping: Mapping
  readonly #unseen: { use: string; from: readonly string[]; mayLack: boolean }[]
  readonly #samples: unknown[] = []

  constructor(mapping: Mapping) {
    const rules = Array.from(mapping.rules, ([field, rule]) => ({ use: field, ...rule, mayLack: mayLack(rule) }))
    const where = mapping.where.map((one) => ({ use: 'where', from: one.from, mayLack: mayLack(one) }))
    this.#mapping = mapping
    this.#unseen = [...rules, ...where].filter(({ from }) => from.length > 0)
  }

  look(members: unknown): void {
    if (this.#samples.length < SAMPLES) this.#samples.push(members)
    // Each path is seen soon, so that most records cost nothing.
    for (let at = this.#unseen.length - 1; at >= 0; at--) {
      if (this.#unseen[at]?.from.some((path) => hasPath(members, path))) this.#unseen.splice(at, 1)
    }
  }

  /** The fields that are absent because the source lacks them. */
  finish(name: string): string[] {
    if (this.#samples.length === 0) return []
    const missing = this.#unseen.filter((one) => !one.mayLack)
    if (missing.length > 0) {
      const paths = missing.map(({ use, from }) => `${from.join(' or ')} (for ${use})`).join(', ')
      const there = listed(new Set(this.#samples.flatMap((sample) => pathsOf(sample))))
      throw new UnreadableSheet(name, `No record has ${paths}, which ${this.#mapping.name} names. There are: ${there}.`)
    }
    const { rules } = this.#mapping
    return this.#unseen.flatMap(({ use }) => (rules.has(use) && rules.get(use)?.default === undefined ? [use] : []))
  }
}
