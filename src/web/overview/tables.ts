import { base, download } from '../api.js'
import { button, el } from '../dom.js'
import { T } from '../texts.js'
import type { Link } from './address.js'
import { PAGE, SHOWN_MAX, type Shown } from './data.js'
import { type Filter, today, VALUES } from './filter.js'

/** A column of a table: its heading, and its cell in each row. */
export interface Column<Row> {
  readonly label: Node | string
  /** `wide` columns are hidden on a narrow screen, `number` ones are aligned at the right. */
  readonly kind?: string
  /** Of a column that lists can be ordered by. */
  readonly sorted?: 'ascending' | 'descending' | 'none'
  readonly cell: (row: Row) => Node | string
}

export type More = (list: keyof Shown) => void

export type Fail = (error: unknown) => void

/** A table with a caption for screen readers. */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[], kind = '') {
  const head = columns.map(({ label, kind: of, sorted }) =>
    el('th', { scope: 'col', class: of, 'aria-sort': sorted }, label),
  )
  const cells = (row: Row) => columns.map(({ kind: of, cell }) => el('td', { class: of }, cell(row)))
  return el(
    'table',
    { class: `list ${kind}` },
    el('caption', { class: 'spoken' }, caption),
    el('thead', {}, el('tr', {}, ...head)),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...cells(row)))),
  )
}

/** Makes headings that order a list by what the API offers. */
export function ordering(link: Link, section: string, name: 'order' | 'issueOrder', filter: Filter) {
  const [own] = VALUES[name]
  const chosen = filter[name] ?? own
  return (label: string, order: string): Pick<Column<unknown>, 'label' | 'sorted'> => {
    const change = { [name]: order === own ? undefined : order }
    if (order !== chosen) return { label: link(section, change, label), sorted: 'none' }
    return { label, sorted: order === 'DUE' || order === 'RANK' ? 'ascending' : 'descending' }
  }
}

/** As many rows as the styles let a printed page have. */
const PRINTED: Partial<Shown> = { risks: 20, moved: 10, late: 10 }

/** Below a list: how much of it is shown or printed, and a button for more. */
export function extent(list: keyof Shown, more: More, words: typeof T.ofRisks, shown: number, all: number) {
  const left = Math.min(all, SHOWN_MAX) - shown
  const next = button({ id: `more-${list}`, onclick: () => more(list) }, T.more(Math.min(PAGE, left)))
  const printed = el('small', { class: 'print-only' }, words(Math.min(shown, PRINTED[list] ?? shown), all))
  return el('p', { class: 'more' }, el('span', {}, words(shown, all)), printed, left > 0 && next)
}

/** Downloads a list as CSV; a plain link would send no key. */
export function csvLink(list: string, query: string, fail: Fail): HTMLAnchorElement {
  const path = `/v1/${list}.csv${query}`
  const save = (event: Event) => {
    event.preventDefault()
    download(path, `${list}-${today()}.csv`).catch(fail)
  }
  return el('a', { id: `csv-${list}`, href: base + path, onclick: save }, T.asCsv)
}
