import { el } from '../dom.js'

export interface Column {
  readonly label: string
  /** `wide` columns are hidden on a narrow screen, `number` ones are aligned at the right. */
  readonly kind?: string
}

/** A table with a caption for screen readers; the cells of a row are in the order of the columns. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly (Node | string)[])[]) {
  const head = columns.map(({ label, kind }) => el('th', { scope: 'col', class: kind }, label))
  const cells = (row: readonly (Node | string)[]) => row.map((cell, i) => el('td', { class: columns[i]?.kind }, cell))
  return el(
    'table',
    { class: 'list' },
    el('caption', { class: 'spoken' }, caption),
    el('thead', {}, el('tr', {}, ...head)),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...cells(row)))),
  )
}
