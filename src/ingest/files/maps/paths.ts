import { isObject } from '../json.js'

/** The values at the end of a path such as `labels.name`: of every element of a list, or of the one at an index. */
export function membersAt(source: unknown, path: string): readonly unknown[] {
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
