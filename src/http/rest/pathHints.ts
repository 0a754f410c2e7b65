import { SYNONYMS } from '../../graph/hints/synonyms.js'
import { nearest } from '../../text.js'
import { ROUTES } from './routes.js'

/** Synonyms that hold in paths only. */
const IN_PATHS: typeof SYNONYMS = {
  person: ['personnel'],
  user: ['personnel'],
  changes: ['history'],
  log: ['history'],
  me: ['key'],
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
  const isSynonym = [SYNONYMS, IN_PATHS].some((words) => Object.hasOwn(words, tried) && words[tried]?.includes(part))
  return isSynonym || nearest(tried, [part]) === part ? part : undefined
}
