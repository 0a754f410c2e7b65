import { isObject, type JsonRecord } from '../json.js'
import { blankOf, isScalar, type Mapping, mayLack, type Rule } from '../mapping.js'
import { listed, type SheetRecord, type SheetRecords, type TableRow, UnreadableSheet } from '../table.js'
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

/** The values at the end of a path such as `labels.name`: of every element of a list, or of the one at an index. */
function membersAt(source: unknown, path: string): readonly unknown[] {
  // A member whose own name contains dots takes precedence over a path.
  if (isObject(source) && Object.hasOwn(source, path)) return elementsOf(source[path])
  const [head = '', ...rest] = path.split('.')
  const tail = rest.join('.')
  if (Array.isArray(source)) {
    if (!isIndex(head)) return source.filter(isObject).flatMap((element) => membersAt(element, path))
    return tail === '' ? elementsOf(source[Number(head)]) : membersAt(source[Number(head)], tail)
  }
  return isObject(source) && tail !== '' && Object.hasOwn(source, head) ? membersAt(source[head], tail) : []
}

/** Whether a source has a path, as far as one can tell: where null or an empty list is, anything could have been. */
export function hasPath(source: unknown, path: string): boolean {
  if (source === null || source === undefined) return true
  const [head = '', ...rest] = path.split('.')
  const tail = rest.join('.')
  if (Array.isArray(source)) {
    const elements: unknown[] = source
    if (isIndex(head)) return tail === '' || hasPath(elements[Number(head)], tail)
    return elements.length === 0 || elements.some((element) => hasPath(element, path))
  }
  if (!isObject(source)) return false
  if (Object.hasOwn(source, path)) return true
  return tail !== '' && Object.hasOwn(source, head) && hasPath(source[head], tail)
}

/** Deeper members are not worth naming in a message. */
const DEPTH_MAX = 4
/** What is below a longer name is not named: each of its paths would repeat it. */
const NAME_CHARACTERS_MAX = 200

/** The paths to the values of a source. */
export function pathsOf(source: unknown, depth = 0): string[] {
  if (Array.isArray(source)) return source.flatMap((element) => pathsOf(element, depth))
  if (!isObject(source)) return []
  return Object.entries(source).flatMap(([name, value]) => {
    const isNamed = depth < DEPTH_MAX && name.length <= NAME_CHARACTERS_MAX
    const below = isNamed ? pathsOf(value, depth + 1) : []
    return below.length === 0 ? [name] : below.map((path) => `${name}.${path}`)
  })
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function isIndex(text: string): boolean {
  return /^\d+$/.test(text)
}

/** JSON objects as a table, so that their members can be guessed like columns. */
interface ObjectTable {
  /** The paths to the members. */
  readonly header: readonly string[]
  readonly rows: readonly TableRow[]
  /** The paths that lead to several values. */
  readonly lists: ReadonlySet<string>
}

/** Objects with more paths are no records of one kind. */
const PATHS_MAX = 500
/** Each record is looked up by every path, so that a long one would cost as often. */
const PATH_CHARACTERS_MAX = 1_000
const SEPARATOR = '; '

/** The table of some objects; undefined if they have too many members to be one, or too long names. */
export function objectTable(records: Iterable<JsonRecord>): ObjectTable | undefined {
  const paths = new Set<string>()
  const whole: JsonRecord[] = []
  for (const record of records) {
    if (record.flaws.length > 0) continue
    for (const path of pathsOf(record.members)) {
      paths.add(path)
      if (paths.size > PATHS_MAX || path.length > PATH_CHARACTERS_MAX) return undefined
    }
    whole.push(record)
  }
  const header = [...paths]
  const lists = new Set<string>()
  const rows = whole.map(({ line, members }) => {
    const cells = header.map((path) => {
      const values = membersAt(members, path).filter(isScalar)
      if (values.length > 1) lists.add(path)
      return values.join(SEPARATOR)
    })
    return { line, cells }
  })
  return { header, rows, lists }
}

/** A rule by which several values become one text, unless it looks at them one by one. */
export function listRule(rule: Rule, lists: ReadonlySet<string>): Rule {
  const isList = rule.from.some((path) => lists.has(path))
  const isOneByOne = rule.values ?? rule.bands ?? rule.date ?? rule.split ?? rule.join
  return isList && isOneByOne === undefined ? { ...rule, join: SEPARATOR } : rule
}
