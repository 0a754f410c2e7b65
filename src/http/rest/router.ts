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

const places = [...new Set(ROUTES.map(({ path }) => path))].map(placeOf)
const isPattern = ({ path }: Place) => path.includes('{')
const fixed = new Map(places.filter((place) => !isPattern(place)).map((at) => [at.path, { at, parameters: {} }]))
const patterns = places.filter(isPattern).map((at) => ({ at, expression: expressionOf(at.path) }))

/** Finds the routes at a path: fixed paths by a map lookup, the others by their patterns. */
export function routesAt(path: string): Match | undefined {
  const found = fixed.get(path)
  if (found) return found
  for (const { at, expression } of patterns) {
    const values = expression.exec(path)?.groups
    if (!values) continue
    const parameters = Object.entries(values).map(([name, value]) => [name, decoded(value)] as const)
    return { at, parameters: Object.fromEntries(parameters) }
  }
  return undefined
}

function placeOf(path: string): Place {
  const routes = new Map<string, Route>(ROUTES.filter((one) => one.path === path).map((one) => [one.method, one]))
  const allow = [...routes.keys(), ...(routes.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return { path, routes, allow }
}

function expressionOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
}

// A segment with invalid percent-encoding is used as it is; no id matches it.
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
