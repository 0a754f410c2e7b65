import type { JsonRecord } from '../json.js'
import { isScalar, type Rule } from '../mapping.js'
import { membersAt, pathsOf } from '../maps/paths.js'
import type { TableRow } from '../table.js'

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
