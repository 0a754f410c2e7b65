import { button, el, given, remark, replace, section, svg } from '../dom.js'
import { shownDay, shownNumber, T } from '../texts.js'
import type { IssueMovement, Movements, Overview, Past, RiskMovement, Shown, TrendPoint } from './data.js'
import { type Filter, sinceOf } from './filter.js'
import { unfollowed } from './filterBar.js'
import { chip, LEVELS } from './levels.js'
import type { Link } from './lists.js'
import { extent, type More, type Row, table } from './tables.js'

/** Parts of the filter that the API knows neither for movements nor for levels over time. */
const UNFOLLOWED = ['likelihood', 'unplaced', 'owner', 'search'] as const

/** Until the past is there, which takes longer than the present. */
const loading = () => el('p', { class: 'note loading' }, T.loading)

export function movedPart(link: Link, more: More, open: (riskId: string) => void) {
  const day = el('p', { class: 'tools' })
  const { root, body } = section('moved', T.moved, day)
  replace(body, loading())

  function show({ movements }: Past, filter: Filter, overview: Overview, { moved: most }: Shown): void {
    const { counts, risks, issues } = movements
    const since = shownDay(sinceOf(filter))
    replace(day, T.movedSince(since))
    const isChosen = ({ movement }: { movement: string }) => movement === (filter.movement ?? movement)
    const [moved, movedIssues] = [risks.filter(isChosen), issues?.filter(isChosen)]
    const kinds = filter.movement ? [filter.movement] : Object.keys(T.movements)
    const all = kinds.reduce((sum, kind) => sum + (counts[kind.toLowerCase()] ?? 0), 0)
    const entries = movedIssues
      ? issueTable(movedIssues.slice(0, most).map(issueRow))
      : riskTable(moved.slice(0, most).map(riskRow))
    const isStill = Object.values(counts).every((count) => count === 0)
    const words = issues ? T.ofIssues : T.ofRisks
    replace(
      body,
      unfollowed(filter, overview, [...UNFOLLOWED, 'severity', 'dueBefore']),
      isStill ? remark(T.nothingMoved(since)) : summary(counts, filter),
      all > 0 && entries,
      all > most && extent('moved', more, words, most, all),
    )
  }

  /** The counts, each a link to what it counts. */
  function summary(counts: Movements['counts'], { movement }: Filter): HTMLElement {
    const item = ([kind, word]: readonly [string, string]) => {
      const text = `${shownNumber(counts[kind.toLowerCase()] ?? 0)} ${word}`
      if (!counts[kind.toLowerCase()]) return text
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

  function riskRow(risk: RiskMovement): Row {
    const title = button({ class: 'title', id: `moved-${risk.id}`, onclick: () => open(risk.id) }, given(risk.title))
    return row(risk, T.movements[risk.movement] ?? '', title, scores(risk))
  }
  return { root, show }
}

const MOVEMENT = { label: T.movement, kind: 'trend wide' }
const riskTable = (rows: readonly Row[]) =>
  table(T.movedCaption, [MOVEMENT, { label: T.risk }, { label: T.score, kind: 'level' }], rows)
const issueTable = (rows: readonly Row[]) =>
  table(T.movedIssuesCaption, [MOVEMENT, { label: T.issue }, { label: T.change, kind: 'level' }], rows)

function row(
  { movement, project, reference }: RiskMovement | IssueMovement,
  word: string,
  title: Node,
  change: Node,
): Row {
  const narrow = el('span', { class: 'narrow' }, `${word} · `)
  return [
    el('span', { class: `moved ${movement}` }, word),
    el('div', {}, title, el('div', { class: 'meta' }, narrow, `${project.key} · `, given(reference))),
    change,
  ]
}

function issueRow(issue: IssueMovement): Row {
  const { movement, title, severityFrom, severityTo, dueFrom, dueTo } = issue
  const days = () => T.fromTo(dueFrom ? shownDay(dueFrom) : T.nothing, dueTo ? shownDay(dueTo) : T.nothing)
  const change = movement === 'SLIPPED' ? el('span', {}, days()) : levels(severityFrom, severityTo)
  return row(issue, T.issueMovements[movement] ?? '', given(title), change)
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

/** Levels over time: columns for the eye, and a table. */
export function trendPart() {
  const { root, body } = section('trend', T.trendHeading)
  replace(body, loading())

  function show({ riskTrend: { points } }: Past, filter: Filter, overview: Overview): void {
    const [first, last] = [points[0], points.at(-1)]
    if (!first || !last) return
    const label = T.trendLabel(shownDay(first.on), shownDay(last.on))
    const legend = BANDS.map(({ level }) => el('li', { class: `level-${level}` }, T.levels[level]))
    const caption = el(
      'figcaption',
      {},
      el('span', {}, shownDay(first.on)),
      el('ul', { class: 'parts' }, ...legend),
      el('span', {}, shownDay(last.on)),
    )
    replace(
      body,
      unfollowed(filter, overview, ['level', ...UNFOLLOWED]),
      el('figure', {}, chart(points, label), caption),
      el('details', { id: 'trend-table', class: 'no-print' }, el('summary', {}, T.trendTable), rows(points)),
    )
  }
  return { root, show }
}

function chart(points: readonly TrendPoint[], label: string): SVGElement {
  const most = Math.max(1, ...points.map(({ live }) => live))
  const step = WIDTH / points.length
  const columns = points.flatMap((point, index) => {
    let base = HEIGHT
    return BANDS.map(({ level, member }) => {
      const height = (Number(point[member]) / most) * HEIGHT
      base -= height
      const [x, width] = [index * step, Math.max(1, step - Math.min(2, step / 4))]
      return svg('rect', {
        class: `level-${level}`,
        x: x.toFixed(1),
        y: base.toFixed(1),
        width: width.toFixed(1),
        height: height.toFixed(1),
      })
    })
  })
  const size = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' }
  return svg('svg', { ...size, role: 'img', 'aria-label': label, class: 'chart' }, ...columns)
}

function rows(points: readonly TrendPoint[]): HTMLTableElement {
  const columns = [
    { label: T.day },
    ...BANDS.map(({ level }) => ({ label: T.levels[level] ?? level, kind: 'number' })),
    { label: T.live, kind: 'number' },
  ]
  return table(
    T.trendHeading,
    columns,
    points.map((point) => [
      shownDay(point.on),
      ...BANDS.map(({ member }) => shownNumber(Number(point[member]))),
      shownNumber(point.live),
    ]),
  )
}
