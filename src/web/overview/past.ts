import { el, given, replace, section, svg } from '../dom.js'
import { shownDay, shownNumber, T } from '../texts.js'
import type { Movements, Past, RiskMovement, TrendPoint } from './data.js'
import { chip, LEVELS } from './levels.js'
import { table } from './tables.js'

const MOVED_SHOWN = 8

/** What moved since the chosen day. */
export function movedPart(open: (riskId: string) => void) {
  const day = el('p', { class: 'tools' })
  const { root, body } = section('moved', T.moved, day)

  function show({ movements: { counts, risks } }: Past, since: string): void {
    replace(day, T.movedSince(shownDay(since)))
    const isStill = Object.values(counts).every((count) => count === 0)
    if (isStill) {
      replace(body, el('p', { class: 'note' }, T.nothingMoved(shownDay(since))))
      return
    }
    replace(
      body,
      summary(counts),
      risks.length > 0 && rows(risks.slice(0, MOVED_SHOWN)),
      rest(risks.length - MOVED_SHOWN),
    )
  }

  function rows(risks: readonly RiskMovement[]): HTMLTableElement {
    const columns = [{ label: T.movement, kind: 'trend wide' }, { label: T.risk }, { label: T.score, kind: 'level' }]
    return table(
      T.movedCaption,
      columns,
      risks.map((one) => [
        el('span', { class: `moved ${one.movement}` }, T.movements[one.movement] ?? one.movement),
        el(
          'div',
          {},
          el(
            'button',
            { type: 'button', class: 'title', id: `moved-${one.id}`, onclick: () => open(one.id) },
            given(one.title),
          ),
          el(
            'div',
            { class: 'meta' },
            el('span', { class: 'narrow' }, `${T.movements[one.movement] ?? one.movement} · `),
            `${one.project.key} · `,
            given(one.reference),
          ),
        ),
        scores(one),
      ]),
    )
  }
  return { root, show }
}

function scores({ scoreFrom, scoreTo, levelFrom, levelTo }: RiskMovement): Node {
  if (scoreTo === null || levelTo === null) return chip(levelFrom ?? '', scoreFrom ?? 0)
  const after = chip(levelTo, scoreTo)
  return scoreFrom === null ? after : el('span', {}, el('span', { class: 'before' }, `${scoreFrom} → `), after)
}

function summary(counts: Movements['counts']): HTMLElement {
  const words = (names: Readonly<Record<string, string>>) =>
    Object.entries(names)
      .map(([name, word]) => `${shownNumber(counts[name.toLowerCase()] ?? 0)} ${word}`)
      .join(', ')
  const line = (what: string, text: string) => el('div', {}, el('dt', {}, what), el('dd', {}, text))
  return el(
    'dl',
    { class: 'counts' },
    line(T.risksMoved, words(T.movements)),
    line(T.issuesMoved, words(T.issueMovements)),
  )
}

function rest(count: number): HTMLElement | false {
  return count > 0 && el('p', { class: 'note' }, T.moreMoved(count))
}

const [WIDTH, HEIGHT] = [600, 160]

/** The members of a point, the highest level first: it stands on the base line, where its changes are seen best. */
const BANDS = LEVELS.map((level) => ({ level, member: level.toLowerCase() as keyof TrendPoint }))

/** Levels over time: columns for the eye, and a table. */
export function trendPart() {
  const { root, body } = section('trend', T.trendHeading)

  function show({ riskTrend: { points } }: Past): void {
    const [first, last] = [points[0], points.at(-1)]
    if (!first || !last) return
    const label = T.trendLabel(shownDay(first.on), shownDay(last.on))
    const legend = BANDS.map(({ level }) => el('li', { class: `level-${level}` }, T.levels[level]))
    replace(
      body,
      el(
        'figure',
        {},
        chart(points, label),
        el(
          'figcaption',
          {},
          el('span', {}, shownDay(first.on)),
          el('ul', { class: 'parts' }, ...legend),
          el('span', {}, shownDay(last.on)),
        ),
      ),
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
  return svg(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: 'img',
      'aria-label': label,
      preserveAspectRatio: 'none',
      class: 'chart',
    },
    ...columns,
  )
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
