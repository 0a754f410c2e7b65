import { ROUTES, type Route } from './routes.js'

/** The routes at one path, and the values of its variable segments. */
export interface Match {
  readonly at: Place
  readonly parameters: Readonly<Record<string, string>>
}

/** One path of the route table. */
export interface Place {
  /** The template of the path, such as `/v1/risks/{id}`. */
  readonly path: string
  readonly routes: ReadonlyMap<string, Route>
  /** The value of the `Allow` header. */
  readonly allow: string
}

interface Pattern {
  readonly place: Place
  readonly names: readonly string[]
  readonly expression: RegExp
}

const byPath = new Map<string, Route[]>()
for (const route of ROUTES) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route])

const fixed = new Map<string, Match>()
const patterns: Pattern[] = []
for (const [path, routes] of byPath) {
  const place = placeOf(path, routes)
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (names.length === 0) fixed.set(path, { at: place, parameters: {} })
  else patterns.push({ place, names, expression: expressionOf(path) })
}

/** Finds the routes at a path: fixed paths by a map lookup, the others by their patterns. */
export function routesAt(path: string): Match | undefined {
  const found = fixed.get(path)
  if (found) return found
  for (const { place, names, expression } of patterns) {
    const values = expression.exec(path)
    if (!values) continue
    return { at: place, parameters: Object.fromEntries(names.map((name, i) => [name, decoded(values[i + 1] ?? '')])) }
  }
  return undefined
}

function placeOf(path: string, routes: readonly Route[]): Place {
  const methods: string[] = routes.map(({ method }) => method)
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return { path, routes: new Map(routes.map((route) => [route.method, route])), allow }
}

function expressionOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`)
}

// A segment with invalid percent-encoding is used as it is; no id matches it.
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
