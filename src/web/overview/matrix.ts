import { button, el, remark, replace, section, spoken } from '../dom.js'
import { shownNumber, T } from '../texts.js'
import type { Link } from './address.js'
import type { Matrix, Overview } from './data.js'
import { chosenCell, type Filter, hasCell } from './filter.js'
import { levelOf } from './levels.js'

const STEPS = [1, 2, 3, 4, 5]

/** The matrix: a table whose cells with risks are buttons that set the filter. */
export function matrixPart(choose: (change: Partial<Filter>, to?: string) => void, link: Link) {
  let isSwapped = false
  let shown: [Overview, Filter] | undefined
  const swap = button({ class: 'quiet no-print', 'aria-pressed': 'false', onclick: swapAxes }, T.swap)
  const tools = el('div', { class: 'tools' })
  const { root, body } = section('matrix', T.matrix, tools)

  function swapAxes(): void {
    isSwapped = !isSwapped
    swap.setAttribute('aria-pressed', String(isSwapped))
    if (shown) show(...shown)
  }

  function show(overview: Overview, filter: Filter): void {
    shown = [overview, filter]
    const matrix = overview.cells ?? overview.riskMatrix
    const [count, why] = T.unplaced(matrix.unplaced)
    const others = remark(link('register', { ...chosenCell(filter), unplaced: true }, count), why)
    replace(tools, basisChoice(link, 'matrix', filter), swap)
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
      const isChosen = filter.likelihood === likelihood && filter.impact === impact
      const isDimmed = hasCell(filter) && !isWithin(filter, likelihood, impact)
      const some = choice(
        `${likelihood}-${impact}`,
        isChosen,
        isChosen ? chosenCell(filter) : chosenCell(filter, likelihood, impact),
        spoken(T.cellBefore(likelihood, impact)),
        el('strong', {}, shownNumber(count)),
        spoken(T.cellAfter(count, score)),
        ' ',
        el('small', {}, T.levels[level]),
      )
      return el('td', { class: kindOf(level, isDimmed) }, count > 0 && some)
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
    const word = filter.residual ? T.noResidual : T.levels['UNASSESSED']
    const change = isChosen ? { level: [] } : { ...chosenCell(filter), level: ['UNASSESSED'] }
    const some = choice('unassessed', isChosen, change, el('strong', {}, shownNumber(count)), ` ${word}`)
    const text = el('small', {}, `${shownNumber(count)} ${word}`)
    const kind = kindOf('UNASSESSED', hasCell(filter) && !isChosen)
    return el('tr', {}, el('td', { class: kind, colspan: 6 }, count > 0 && !filter.residual ? some : text))
  }

  /** A button that chooses some risks, and goes to them, or all again. */
  function choice(id: string, isChosen: boolean, change: Partial<Filter>, ...content: readonly (Node | string)[]) {
    const select = () => choose(change, isChosen ? '' : 'register')
    return button({ id: `cell-${id}`, 'aria-pressed': String(isChosen), onclick: select }, ...content)
  }

  return { root, show }
}

const kindOf = (level: string, isDimmed: boolean) => `cell level-${level}${isDimmed ? ' dimmed' : ''}`

/** Whether the risks of a cell are among those that are chosen. */
function isWithin(filter: Filter, likelihood: number, impact: number): boolean {
  const isLevel = filter.residual || filter.level.length === 0 || filter.level.includes(levelOf(likelihood * impact))
  const isStep = (filter.likelihood ?? likelihood) === likelihood && (filter.impact ?? impact) === impact
  return isLevel && isStep && !filter.unplaced
}

/** Today's exposure, or what remains of it after the response. */
export function basisChoice(link: Link, section: string, filter: Filter): HTMLElement {
  const choice = (residual: true | undefined, word: string) => {
    const change = { residual, likelihood: undefined, impact: undefined }
    return filter.residual === residual ? el('strong', { 'aria-current': 'true' }, word) : link(section, change, word)
  }
  return el(
    'span',
    { class: 'choice no-print', role: 'group', 'aria-label': T.basis },
    choice(undefined, T.current),
    choice(true, T.residual),
  )
}
