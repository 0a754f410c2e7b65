import { el, given, remark, replace, section, svg } from '../dom.js'
import { shownDay, shownNumber, T } from '../texts.js'
import { entryName, type Link, viewLink } from './address.js'
import type { IssueMovement, Movement, Overview, Past, RiskMovement, Shown, TrendPoint } from './data.js'
import { FIRST } from './data.js'
import { type Filter, sinceOf } from './filter.js'
import { unfollowed } from './filterBar.js'
import { chip, LEVELS } from './levels.js'
import { type Column, extent, type More, table } from './tables.js'

/** Until the past is there, which takes longer than the present. */
export const loading = () => el('p', { class: 'note loading' }, T.loading)

export function movedPart(link: Link, more: More) {
  const day = el('p', { class: 'tools' })
  const { root, body } = section('moved', T.moved, day)
  replace(body, loading())

  function show({ movements }: Past, filter: Filter, overview: Overview, { moved: most }: Shown): void {
    const { counts, risks, issues } = movements
    const since = shownDay(sinceOf(filter))
    replace(day, T.movedSince(since))
    const isChosen = ({ movement }: Movement) => movement === (filter.movement ?? movement)
    const kinds = filter.movement ? [filter.movement] : Object.keys(T.movements)
    const all = kinds.reduce((sum, kind) => sum + (counts[kind.toLowerCase()] ?? 0), 0)
    const entries = issues
      ? table(T.movedIssuesCaption, ISSUE_COLUMNS, issues.filter(isChosen).slice(0, most))
      : table(T.movedCaption, RISK_COLUMNS, risks.filter(isChosen).slice(0, most))
    const isStill = Object.values(counts).every((count) => count === 0)
    const words = issues ? T.ofIssues : T.ofRisks
    replace(
      body,
      unfollowed(filter, overview, ['project', 'projectStatus', 'level']),
      isStill ? remark(T.nothingMoved(since)) : summary(counts, filter),
      all > 0 && entries,
      all > FIRST.moved && extent('moved', more, words, Math.min(most, all), all),
    )
  }

  /** The counts, each a link to what it counts. */
  function summary(counts: Past['movements']['counts'], { movement }: Filter): HTMLElement {
    const item = ([kind, word]: readonly [string, string]) => {
      const count = counts[kind.toLowerCase()] ?? 0
      const text = `${shownNumber(count)} ${word}`
      if (count === 0) return text
      const counted = link('moved', { movement: kind === movement ? undefined : kind }, text)
      if (kind === movement) counted.setAttribute('aria-current', 'true')
      return counted
    }
    const line = (what: string, names: Readonly<Record<string, string>>) => {
      const items = Object.entries(names).flatMap((one, index) => [index > 0 && ', ', item(one)])
      return el('div', {}, el('dt', {}, what), el('dd', {}, ...items))
    }
    return el('dl', { class: 'counts' }, line(T.risksMoved, T.movements), line(T.issuesMoved, T.issueMovements))
  }
  return { root, show }
}

const WORDS: Readonly<Record<string, string>> = { ...T.movements, ...T.issueMovements }
const wordOf = ({ movement }: Movement) => WORDS[movement] ?? ''
const moveOf = (one: Movement) => el('span', { class: `moved ${one.movement}` }, wordOf(one))

const movementColumns = <One extends Movement>(
  kind: 'risk' | 'issue',
  change: string,
  changeOf: (one: One) => Node,
) => [
  { label: T.movement, kind: 'trend wide', cell: (one: One) => moveOf(one) },
  { label: T.kinds[kind] ?? '', cell: (one: One) => titleOf(kind, one) },
  { label: change, kind: 'level', cell: changeOf },
]

function titleOf(kind: 'risk' | 'issue', one: Movement): HTMLElement {
  const narrow = el('span', { class: 'narrow' }, `${wordOf(one)} · `)
  const place = el('div', { class: 'meta' }, narrow, `${one.project.key} · `, given(one.reference))
  return el('div', {}, el('div', { class: 'title' }, viewLink(kind, entryName(one), given(one.title))), place)
}

const RISK_COLUMNS = movementColumns('risk', T.score, scores)
const ISSUE_COLUMNS = movementColumns('issue', T.change, changes)

function changes({ movement, severityFrom, severityTo, dueFrom, dueTo }: IssueMovement): Node {
  if (movement !== 'SLIPPED') return levels(severityFrom, severityTo)
  return el('span', {}, T.fromTo(dueFrom ? shownDay(dueFrom) : T.nothing, dueTo ? shownDay(dueTo) : T.nothing))
}

function scores({ scoreFrom, scoreTo, levelFrom, levelTo }: RiskMovement): Node {
  if (scoreTo === null || levelTo === null) return chip(levelFrom ?? '', scoreFrom ?? 0)
  const after = chip(levelTo, scoreTo)
  return scoreFrom === null ? after : before(String(scoreFrom), after)
}

function levels(from: string | null, to: string | null): Node {
  const after = chip(to ?? from ?? '')
  return from === null || to === null ? after : before(T.levels[from] ?? from, after)
}

function before(words: string, after: Node): HTMLElement {
  return el('span', {}, el('span', { class: 'before' }, `${words} → `), after)
}

const [WIDTH, HEIGHT] = [600, 160]

/** The members of a point, the highest level first: it stands on the base line, where its changes are seen best. */
const BANDS = LEVELS.map((level) => ({ level, member: level.toLowerCase() as keyof TrendPoint }))

/** Levels over time: columns for the eye with the values of one day in words, and a table. */
export function trendPart() {
  const { root, body } = section('trend', T.trendHeading)
  replace(body, loading())

  function show({ riskTrend: { points } }: Past, filter: Filter, overview: Overview): void {
    const [first, last] = [points[0], points.at(-1)]
    if (!first || !last) return
    const top = niceTop(Math.max(1, ...points.map(({ live }) => live)))
    const axis = [top, top / 2, 0].map((value) => el('span', {}, shownNumber(value)))
    const legend = BANDS.map(({ level }) => el('li', { class: `level-${level}` }, T.levels[level]))
    const days = [el('span', {}, shownDay(first.on)), el('span', {}, shownDay(last.on))]
    replace(
      body,
      unfollowed(filter, overview, ['project', 'projectStatus']),
      el(
        'figure',
        {},
        el('div', { class: 'axis', 'aria-hidden': 'true' }, ...axis),
        ...explored(points, chart(points, top)),
        el('div', { class: 'days' }, ...days),
        el('figcaption', {}, el('ul', { class: 'parts' }, ...legend)),
      ),
      el('details', { id: 'trend-table', class: 'no-print' }, el('summary', {}, T.trendTable), rows(points)),
    )
  }
  return { root, show }
}

/** The least of 2, 4, 10, 20, 40, 100 ... that is not below, so that its half is a round number too. */
function niceTop(most: number): number {
  for (let ten = 1; ; ten *= 10) {
    const found = [2, 4, 10].find((one) => one * ten >= most)
    if (found) return found * ten
  }
}

/** The chart, a slider over its days, and the values of the day: of the last one first. */
function explored(points: readonly TrendPoint[], picture: SVGElement): Element[] {
  const values = el('p', { class: 'values' })
  const mark = svg('rect', { class: 'chosen-day', y: 0, height: HEIGHT, width: (WIDTH / points.length).toFixed(1) })
  picture.append(mark)
  const last = points.length - 1
  const slider = el('input', {
    ...{ type: 'range', id: 'trend-day', class: 'no-print', 'aria-label': T.day },
    ...{ min: 0, max: last, value: last, oninput: () => tell(Number(slider.value)) },
  })

  function tell(index: number): void {
    const point = points[index]
    if (!point) return
    const levels = BANDS.map(({ level, member }) => `${shownNumber(Number(point[member]))} ${T.levels[level]}`)
    const text = T.pointValues(shownDay(point.on), shownNumber(point.live), levels.join(', '))
    mark.setAttribute('x', ((index * WIDTH) / points.length).toFixed(1))
    slider.value = String(index)
    slider.setAttribute('aria-valuetext', text)
    replace(values, text)
  }
  picture.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = picture.getBoundingClientRect()
    tell(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * points.length))))
  })
  picture.addEventListener('pointerleave', () => tell(last))
  tell(last)
  return [picture, slider, values]
}

function chart(points: readonly TrendPoint[], top: number): SVGElement {
  const step = WIDTH / points.length
  const columns = points.flatMap((point, index) => {
    let base = HEIGHT
    return BANDS.map(({ level, member }) => {
      const height = (Number(point[member]) / top) * HEIGHT
      base -= height
      const [x, width] = [index * step, Math.max(1, step - Math.min(2, step / 4))]
      const box = Object.entries({ x, y: base, width, height }).map(([name, value]) => [name, value.toFixed(1)])
      return svg('rect', { class: `level-${level}`, ...Object.fromEntries(box) })
    })
  })
  const line = svg('path', { class: 'middle', d: `M0 ${HEIGHT / 2}H${WIDTH}` })
  const label = T.trendLabel(shownDay(points[0]?.on ?? ''), shownDay(points.at(-1)?.on ?? ''))
  const size = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' }
  return svg('svg', { ...size, role: 'img', 'aria-label': label, class: 'chart' }, line, ...columns)
}

function rows(points: readonly TrendPoint[]): HTMLTableElement {
  const figure = (label: string, member: keyof TrendPoint): Column<TrendPoint> => {
    return { label, kind: 'number', cell: (point) => shownNumber(Number(point[member])) }
  }
  const levels = BANDS.map(({ level, member }) => figure(T.levels[level] ?? level, member))
  const day = { label: T.day, cell: ({ on }: TrendPoint) => shownDay(on) }
  return table(T.trendHeading, [day, ...levels, figure(T.live, 'live')], points)
}
