import { bodyOf } from '../../http/rest/handler.js'
import type { Store } from '../../store/store.js'
import { asMarkdown, asText, type Movements } from './words.js'

interface Question {
  readonly since: string
  readonly until: string | undefined
  readonly project: readonly string[] | undefined
}

/** The body of `GET /v1/movements`: the same operation, run in the same way. */
export async function movementsIn(store: Store, clock: () => Date, given: Question): Promise<Movements> {
  return JSON.parse(await bodyOf('getMovements', { ...given }, { store, clock }))
}

/** The text of each format. */
export const SHOWN = {
  text: asText,
  markdown: asMarkdown,
  json: (movements: Movements) => JSON.stringify(movements),
} as const
