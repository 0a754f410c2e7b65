import { button, el } from '../dom.js'
import { T } from '../texts.js'
import { PAGE, SHOWN_MAX, type Shown } from './data.js'

interface Column {
  readonly label: string
  /** `wide` columns are hidden on a narrow screen, `number` ones are aligned at the right. */
  readonly kind?: string
}

export type More = (list: keyof Shown) => void

export type Row = readonly (Node | string)[]

/** A table with a caption for screen readers; the cells of a row are in the order of the columns. */
export function table(caption: string, columns: readonly Column[], rows: readonly Row[]) {
  const head = columns.map(({ label, kind }) => el('th', { scope: 'col', class: kind }, label))
  const cells = (row: Row) => row.map((cell, i) => el('td', { class: columns[i]?.kind }, cell))
  return el(
    'table',
    { class: 'list' },
    el('caption', { class: 'spoken' }, caption),
    el('thead', {}, el('tr', {}, ...head)),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...cells(row)))),
  )
}

/** Below a list: how much of it is shown, and a button for more. */
export function extent(
  list: keyof Shown,
  more: More,
  words: (shown: number, all: number) => string,
  shown: number,
  all: number,
) {
  const left = Math.min(all, SHOWN_MAX) - shown
  const next = button({ id: `more-${list}`, onclick: () => more(list) }, T.more(Math.min(PAGE, left)))
  return el('p', { class: 'more no-print' }, el('span', {}, words(shown, all)), left > 0 && next)
}
