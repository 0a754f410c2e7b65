import { byGuess, SYNONYMS } from '../../graph/hints/synonyms.js'
import { groupNaming } from '../../personnel/groups.js'
import { personNaming } from '../../personnel/people.js'
import { projectNaming } from '../../projects/projects.js'
import { impossibleIn, type NamingForm } from '../../store/query/conditions.js'
import { nearest } from '../../text.js'
import { perEntryPlural } from '../../vocabulary.js'
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

/** Synonyms that hold in paths only. */
const IN_PATHS = byGuess<readonly string[]>({
  'person user': ['personnel'],
  'changes log': ['history'],
  me: ['key'],
  'history audit events feed': ['changes'],
})

/** What other APIs have at these paths. */
const ELSEWHERE = byGuess<string>({
  'openapi.json openapi.yaml swagger.json': '/v1/openapi.json',
  'docs swagger': '/v1',
  'health status': '/healthz',
  'graphiql graphql': '/graphql',
  search: '/v1/risks?search=...',
  'stats matrix': '/v1/risks/matrix',
  trend: '/v1/risks/trend',
  'user/me users/me person/me people/me personnel/me': '/v1/key',
})

/** How paths name an entry of each list; any text can be a reference. */
export const NAMINGS: Readonly<Record<string, NamingForm>> = {
  personnel: personNaming,
  groups: groupNaming,
  projects: projectNaming,
  ...perEntryPlural((kind) => ({ kind })),
}

/** The steps of each path below `/v1`, the longest first. */
const PATTERNS = [...new Set(ROUTES.map(({ path }) => path))]
  .map((path) => path.split('/').slice(2))
  .sort((one, other) => other.length - one.length)

/** How many steps of an unknown path are looked at: more than any route has, with a prefix such as `/api/rest/v1`. */
const STEPS_MAX = 10

/** A sentence with the nearest existing path to an unknown one, with a space before it; empty if none is near. */
export function didYouMean(path: string, basePath: string): string {
  const meant = nearestPath(path)
  return meant === undefined ? '' : ` Did you mean ${basePath}${meant}?`
}

/** The nearest existing path to an unknown one, else to its beginning; undefined if none is near. */
function nearestPath(path: string): string | undefined {
  const given = path.split('/', STEPS_MAX).filter((step) => step !== '' && !/^(api|rest|v\d+)$/i.test(step))
  const whole = given.join('/')
  if (Object.hasOwn(ELSEWHERE, whole)) return ELSEWHERE[whole]
  const steps = given.map((step) => step.replace(/\.json$/, ''))
  for (const pattern of PATTERNS) {
    if (pattern.length > steps.length) continue
    const found = pattern.map((part, index) => meant(steps[index] ?? '', part, pattern[0]))
    if (found.every((step) => step !== undefined)) return `/v1/${found.join('/')}`
  }
  return undefined
}

/** A step that is not found under that name, whatever is stored, is none that is meant. */
function meant(step: string, part: string, list = ''): string | undefined {
  if (part.startsWith('{')) {
    const naming = part === '{reference}' ? undefined : NAMINGS[part === '{personId}' ? 'personnel' : list]
    return naming && impossibleIn(naming, [decoded(step)]) !== undefined ? undefined : step
  }
  const tried = step.toLowerCase()
  const isSynonym = [SYNONYMS, IN_PATHS].some((words) => Object.hasOwn(words, tried) && words[tried]?.includes(part))
  return isSynonym || nearest(tried, [part]) === part ? part : undefined
}

/** What does what this method is meant for; empty if that is not known. */
export function doneElsewhere(method: string, { path, routes: here }: Place): string {
  if (method === 'DELETE' && path === '/v1/personnel/{id}') return ' Nobody is deleted: PATCH {"status":"INACTIVE"}.'
  if ([...here.keys()].some((method) => method !== 'GET')) return ''
  const below = ROUTES.find((route) => route.method === 'PUT' && route.path.startsWith(`${path}/`))
  if (below) return ` To add one: ${below.method} ${below.path}.`
  return /\/(risks|issues)\b/.test(path) ? ' Risks and issues come with their project: POST /v1/projects.' : ''
}
