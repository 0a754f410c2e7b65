import { nearest } from '../../text.js'
import { ROUTES } from './routes.js'

/** Common guesses for the collections, with the names in this API. */
const SYNONYMS: Readonly<Record<string, string>> = {
  people: 'personnel',
  persons: 'personnel',
  person: 'personnel',
  users: 'personnel',
  user: 'personnel',
  employees: 'personnel',
  staff: 'personnel',
  roster: 'personnel',
  teams: 'groups',
  team: 'groups',
  tickets: 'issues',
  tasks: 'issues',
  bugs: 'issues',
  changes: 'history',
  log: 'history',
  me: 'key',
}

const PATTERNS = [...new Set(ROUTES.map(({ path }) => path))].map((path) => path.split('/').slice(2))

/** The nearest existing path to an unknown one; undefined if none is near. */
export function nearestPath(path: string): string | undefined {
  const steps = path.split('/').filter((step) => step !== '' && !/^(api|rest|v\d+)$/i.test(step))
  for (const pattern of PATTERNS) {
    if (pattern.length !== steps.length) continue
    const found = pattern.map((part, index) => (part.startsWith('{') ? steps[index] : meant(steps[index] ?? '', part)))
    if (found.every((step) => step !== undefined)) return `/v1/${found.join('/')}`
  }
  return undefined
}

function meant(step: string, part: string): string | undefined {
  const tried = step.toLowerCase()
  const isSynonym = Object.hasOwn(SYNONYMS, tried) && SYNONYMS[tried] === part
  return isSynonym || nearest(tried, [part]) === part ? part : undefined
}
