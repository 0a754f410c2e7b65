import { dayIn } from './days.js'
import { excerpt, NO_FLAWS, type SheetFlaw } from './flaws.js'
import { isObject } from './json.js'
import { folded, isScalar, type Mapping, type Rule, type Scalar } from './mapping.js'

/** The source's values under a name: the cells of its columns, or the members at the end of its path. */
type Gather = (name: string) => readonly unknown[]

/** Fills in the fields of one record and returns the flaws; a field with a flaw is left as it is. */
export function fillIn(values: Record<string, unknown>, { rules }: Mapping, gather: Gather): readonly SheetFlaw[] {
  const flaws: SheetFlaw[] = []
  for (const [field, rule] of rules) {
    const result = valueBy(rule, gather)
    if ('value' in result) values[field] = result.value
    else flaws.push(result.flaw)
  }
  return flaws.length === 0 ? NO_FLAWS : flaws
}

function valueBy(rule: Rule, gather: Gather): { value: Scalar } | { flaw: SheetFlaw } {
  if (rule.constant !== undefined) return { value: rule.constant }
  const { column, found } = firstFilled(rule.from, gather)
  const scalars = found.filter(isScalar)
  if (scalars.length < found.length) return { flaw: nested(column, found) }
  const [first] = scalars
  if (first === undefined) return { value: rule.default ?? '' }
  if (rule.values) {
    const known = scalars.map((one) => rule.values?.get(folded(String(one)))).find((one) => one !== undefined)
    const value = known ?? rule.default
    if (value !== undefined) return { value }
  }
  if (rule.date) {
    const text = String(first)
    const read = dayIn(text, rule.date)
    return 'day' in read ? { value: read.day } : { flaw: { column, value: excerpt(text), detail: read.flaw } }
  }
  return { value: rule.join === undefined ? first : scalars.join(rule.join) }
}

function firstFilled(names: readonly string[], gather: Gather): { column: string; found: readonly unknown[] } {
  for (const column of names) {
    const found = gather(column).filter(isFilled)
    if (found.length > 0) return { column, found }
  }
  return { column: names[0] ?? '', found: [] }
}

function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && !(typeof value === 'string' && value.trim() === '')
}

function nested(column: string, found: readonly unknown[]): SheetFlaw {
  const object = found.find(isObject)
  const member = object && Object.keys(object)[0]
  const detail = member
    ? `This is an object; the map must name one of its members, such as ${column}.${excerpt(member)}.`
    : 'This is a list or an object, not a value.'
  return { column, value: object ? '{...}' : '[...]', detail }
}

/** The values at the end of a path such as `labels.name`: of every element of a list, or of the one at an index. */
export function membersAt(source: unknown, path: string): readonly unknown[] {
  // A member whose own name contains dots takes precedence over a path.
  if (isObject(source) && Object.hasOwn(source, path)) return elementsOf(source[path])
  const [head = '', ...rest] = path.split('.')
  const tail = rest.join('.')
  if (Array.isArray(source)) {
    if (!/^\d+$/.test(head)) return source.filter(isObject).flatMap((element) => membersAt(element, path))
    return tail === '' ? elementsOf(source[Number(head)]) : membersAt(source[Number(head)], tail)
  }
  return isObject(source) && tail !== '' && Object.hasOwn(source, head) ? membersAt(source[head], tail) : []
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
