import { el } from '../dom.js'
import { T } from '../texts.js'

/** The lowest score of each level, from the server, in ascending order. */
const FLOORS: Readonly<Record<string, number>> = JSON.parse(document.body.dataset['levels'] ?? '{}')

export const LEVELS = Object.keys(FLOORS).reverse()

export function levelOf(score: number): string {
  return LEVELS.find((level) => score >= (FLOORS[level] ?? 0)) ?? ''
}

/** The level of a risk or the severity of an issue: in colour and in words. */
export function chip(level: string, score?: number): HTMLElement {
  const figure = score === undefined ? [] : [el('strong', {}, score), ' ']
  return el('span', { class: `chip level-${level}` }, ...figure, T.levels[level] ?? level)
}

/** The status of a risk or an issue; what has happened or cannot go on stands out. */
export function statusMark(status: string): Node | string {
  const word = T.statuses[status] ?? status
  return status === 'OCCURRED' || status === 'BLOCKED' ? el('strong', { class: 'mark' }, word) : word
}
