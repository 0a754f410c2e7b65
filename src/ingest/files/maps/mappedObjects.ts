import { isObject, type JsonRecord } from '../json.js'
import { isNeeded, isScalar, type Mapping, type Rule, usesOf } from '../mapping.js'
import { listed, type TableRow, UnreadableSheet } from '../table.js'
import { recordMapper } from './recordMapper.js'

/** The records of JSON objects by a map; a path that no object has is an error, as a missing column is in a table. */
export function mappedObjects(source: Iterable<JsonRecord>, mapping: Mapping, name: string) {
  const mapper = recordMapper(mapping)
  let unseen = usesOf(mapping)
  const samples: unknown[] = []
  for (const { line, members, violations } of source) {
    if (violations.length > 0) {
      mapper.add(line, violations)
      continue
    }
    if (samples.length < SAMPLES) samples.push(members)
    // Each path is seen soon, so that most records cost nothing.
    if (unseen.length > 0)
      unseen = unseen.filter(([, { from }]) => from.every((path) => valuesAt(members, path) === undefined))
    mapper.add(line, violations, (path) => valuesAt(members, path) ?? [])
  }
  const missing = unseen.filter(([, one]) => isNeeded(one))
  if (samples.length > 0 && missing.length > 0) {
    const paths = missing.map(([use, { from }]) => `${from.join(' or ')} (for ${use})`).join(', ')
    const there = listed(new Set(samples.flatMap((sample) => pathsOf(sample))))
    throw new UnreadableSheet(name, `No record has ${paths}, which ${mapping.name} names. There are: ${there}.`)
  }
  const mapped = mapper.result()
  // A field whose path no record has is absent, unless the map has a value for a blank.
  for (const [field] of unseen) {
    const { default: fallback, whenBlank = fallback } = mapping.rules.get(field) ?? {}
    if (whenBlank === undefined) for (const { values } of mapped.records) delete values[field]
  }
  return mapped
}

/** How many objects a message takes its paths from. */
const SAMPLES = 20

/**
 * The values at the end of a path such as `labels.name`, of every element of a list or of the one at an index; undefined
 * if the source does not have it. Where null or an empty list is, anything could have been.
 */
export function valuesAt(source: unknown, path: string): readonly unknown[] | undefined {
  if (source === null || source === undefined) return []
  // A member whose own name contains dots takes precedence over a path.
  if (isObject(source) && Object.hasOwn(source, path)) return elementsOf(source[path])
  const [head = '', ...rest] = path.split('.')
  const tail = rest.join('.')
  const below = (value: unknown) => (tail === '' ? elementsOf(value) : valuesAt(value, tail))
  if (!Array.isArray(source))
    return isObject(source) && tail !== '' && Object.hasOwn(source, head) ? below(source[head]) : undefined
  if (/^\d+$/.test(head)) return below(source[Number(head)])
  const found = source.map((element) => valuesAt(element, path)).filter((values) => values !== undefined)
  return found.length > 0 || source.length === 0 ? found.flat() : undefined
}

/** Deeper members are not worth naming in a message. */
const DEPTH_MAX = 4
/** What is below a longer name is not named: each of its paths would repeat it. */
const NAME_CHARACTERS_MAX = 200

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

/** Objects with more paths are no records of one kind. */
const PATHS_MAX = 500
/** Each record is looked up by every path, so that a long one would cost as often. */
const PATH_CHARACTERS_MAX = 1_000
const SEPARATOR = '; '

/** JSON objects as a table whose columns are the paths to members; `lists` are those that lead to several values. */
export function objectTable(records: Iterable<JsonRecord>) {
  const paths = new Set<string>()
  const whole: JsonRecord[] = []
  for (const record of records) {
    if (record.violations.length > 0) continue
    for (const path of pathsOf(record.members)) {
      paths.add(path)
      if (paths.size > PATHS_MAX || path.length > PATH_CHARACTERS_MAX) return undefined
    }
    whole.push(record)
  }
  const header = [...paths]
  const lists = new Set<string>()
  const rows = whole.map(({ line, members }): TableRow => {
    const cells = header.map((path) => {
      const values = (valuesAt(members, path) ?? []).filter(isScalar)
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
