import { button, el, replace, section, spoken } from '../dom.js'
import { shownNumber, T } from '../texts.js'
import type { Matrix } from './data.js'
import type { Filter } from './filter.js'
import { levelOf } from './levels.js'
import type { Link } from './lists.js'

const STEPS = [1, 2, 3, 4, 5]

/** The matrix: a table whose cells with risks are buttons that set the filter. */
export function matrixPart(choose: (change: Partial<Filter>) => void, link: Link) {
  let isSwapped = false
  let shown: [Matrix, Filter] | undefined
  const swap = button({ class: 'quiet no-print', 'aria-pressed': 'false', onclick: swapAxes }, T.swap)
  const { root, body } = section('matrix', T.matrix, swap)

  function swapAxes(): void {
    isSwapped = !isSwapped
    swap.setAttribute('aria-pressed', String(isSwapped))
    if (shown) show(...shown)
  }

  function show(matrix: Matrix, filter: Filter): void {
    shown = [matrix, filter]
    const [count, why] = T.unplaced(matrix.unplaced)
    const others = el('p', { class: 'note' }, link('register', { unplaced: true }, count), why)
    replace(body, table(matrix, filter), matrix.unplaced > 0 && others)
  }

  function table(matrix: Matrix, filter: Filter): HTMLTableElement {
    const [down, across] = isSwapped ? [T.impact, T.likelihood] : [T.likelihood, T.impact]
    const rows = [...STEPS].reverse().map((row) => {
      const cells = STEPS.map((column) => (isSwapped ? cell(column, row) : cell(row, column)))
      return el('tr', {}, el('th', { scope: 'row' }, row), ...cells)
    })
    function cell(likelihood: number, impact: number): HTMLTableCellElement {
      const count = matrix.cells.find((one) => one.likelihood === likelihood && one.impact === impact)?.count ?? 0
      const score = likelihood * impact
      const level = levelOf(score)
      if (count === 0) return el('td', { class: `cell level-${level}` })
      const isChosen = filter.likelihood === likelihood && filter.impact === impact
      const choice = isChosen ? { likelihood: undefined, impact: undefined } : { likelihood, impact }
      return el(
        'td',
        { class: `cell level-${level}` },
        button(
          { id: `cell-${likelihood}-${impact}`, 'aria-pressed': String(isChosen), onclick: () => choose(choice) },
          spoken(T.cellBefore(likelihood, impact)),
          el('strong', {}, shownNumber(count)),
          spoken(T.cellAfter(count, score)),
          ' ',
          el('small', {}, T.levels[level]),
        ),
      )
    }
    const axes = [
      el('th', { scope: 'col', class: 'axis' }, T.down(down)),
      el('th', { scope: 'colgroup', colspan: 5, class: 'axis' }, T.across(across)),
    ]
    const steps = STEPS.map((step) => el('th', { scope: 'col' }, step))
    return el(
      'table',
      { class: 'matrix' },
      el('caption', { class: 'spoken' }, T.matrixCaption),
      el('thead', {}, el('tr', {}, ...axes), el('tr', {}, el('td', {}), ...steps)),
      el('tbody', {}, ...rows),
      el('tbody', {}, unassessed(matrix, filter)),
    )
  }

  function unassessed({ unassessed: count }: Matrix, filter: Filter): HTMLTableRowElement {
    const isChosen = filter.level.join() === 'UNASSESSED'
    const choice = { level: isChosen ? [] : ['UNASSESSED'], likelihood: undefined, impact: undefined }
    const some = button(
      { id: 'cell-unassessed', 'aria-pressed': String(isChosen), onclick: () => choose(choice) },
      el('strong', {}, shownNumber(count)),
      ` ${T.levels['UNASSESSED']}`,
    )
    const none = el('small', {}, `${shownNumber(0)} ${T.levels['UNASSESSED']}`)
    return el('tr', {}, el('td', { class: 'cell level-UNASSESSED', colspan: 6 }, count > 0 ? some : none))
  }

  return { root, show }
}
