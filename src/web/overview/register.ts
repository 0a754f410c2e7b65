import { base, hasGraphiql } from '../api.js'
import { el, given, remark, replace, section, spoken } from '../dom.js'
import { shownNumber, T } from '../texts.js'
import type { Link } from './address.js'
import { type Overview, type Risk, type RiskMovement, registerQuery, SHOWN_MAX } from './data.js'
import { type Filter, queryOf, riskFilterOf } from './filter.js'
import { chip, statusMark } from './levels.js'
import { placed, titled } from './lists.js'
import { basisChoice } from './matrix.js'
import { type Column, csvLink, extent, type Fail, type More, ordering, table } from './tables.js'
import { dueDay, responsible } from './views/parts.js'

/** The ranked register of what the filter leaves. */
export function registerPart(link: Link, more: More, fail: Fail) {
  const tools = el('div', { class: 'tools no-print' })
  const { root, body } = section('register', T.register, tools)

  function show(overview: Overview, filter: Filter, movements: readonly RiskMovement[] | undefined): void {
    // Until it is known how they moved, nothing is said of it.
    const moved = movements && new Map(movements.map((one) => [one.id, one]))
    const { nodes, totalCount } = overview.risks
    const asCsv = csvLink('risks', queryOf({ ...riskFilterOf(filter), order: filter.order }), fail)
    const asGraphql = el('a', { id: 'as-graphql', href: `${base}/graphql${registerQuery(filter)}` }, T.asGraphql)
    replace(tools, basisChoice(link, 'register', filter), asCsv, hasGraphiql && asGraphql)
    replace(
      body,
      nodes.length === 0 ? remark(T.noRisks) : rows(nodes, filter, moved),
      extent('risks', more, T.ofRisks, nodes.length, totalCount),
      nodes.length < totalCount && nodes.length >= SHOWN_MAX && el('p', { class: 'note no-print' }, T.mostShown),
    )
  }

  function rows(risks: readonly Risk[], filter: Filter, moved?: ReadonlyMap<string, RiskMovement>): HTMLTableElement {
    const factorsLabel = el('abbr', { title: T.factorsMean }, T.factors)
    const order = ordering(link, 'register', 'order', filter)
    const columns: readonly Column<Risk>[] = [
      { ...order(T.rank, 'RANK'), kind: 'number rank', cell: ({ rank }) => (rank ? shownNumber(rank) : T.nothing) },
      { label: T.risk, kind: 'title', cell: (risk) => titled('risk', risk, measure(risk)) },
      { label: T.project, kind: 'place', cell: (risk) => placed(risk, link) },
      { label: T.status, kind: 'short', cell: ({ status }) => statusMark(status) },
      { label: factorsLabel, kind: 'short factors', cell: (risk) => factors(risk, filter) },
      { label: T.scoreThen, kind: 'level', cell: (risk) => scores(risk, filter) },
      { label: T.owner, kind: 'holder', cell: (risk) => responsible(risk.owner, risk.ownerName, risk.ownerId) },
      { ...order(T.due, 'DUE'), kind: 'day', cell: ({ dueOn }) => dueDay(dueOn) },
      { ...order(T.trend, 'UPDATED'), kind: 'trend', cell: ({ id }) => (moved ? trend(moved.get(id)) : '') },
    ]
    return table(T.registerCaption, columns, risks, 'entries')
  }
  return { root, show }
}

/** What is done about it, for a meeting. */
function measure({ mitigation }: Risk): HTMLElement {
  return el('div', { class: 'measure print-only' }, `${T.measures}: `, given(mitigation ?? T.noMeasure))
}

function factors(risk: Risk, { residual }: Filter): string {
  const { likelihood, impact, residualLikelihood, residualImpact } = risk
  const [one, other] = residual ? [residualLikelihood, residualImpact] : [likelihood, impact]
  return one === null || other === null ? T.nothing : T.times(one, other)
}

/** The score of today and the one that remains; the one that is chosen has its level in words. */
function scores(risk: Risk, { residual }: Filter): Node {
  const { score, level, residualScore, residualLevel } = risk
  const after = residualScore === null || residualLevel === null ? undefined : chip(residualLevel, residualScore)
  if (residual) return el('span', {}, el('span', { class: 'before' }, `${score} → `), after ?? T.nothing)
  const remains = residualScore === null ? [] : [el('span', { class: 'before' }, ` → ${residualScore}`)]
  return el('span', {}, chip(level, score), ...remains)
}

const ARROWS: Readonly<Record<string, string>> = { UP: '▲', DOWN: '▼', NEW: '●' }

/** How a risk has moved: an arrow, and words for who does not see it. */
function trend(movement: RiskMovement | undefined): Node | string {
  if (!movement) return spoken(T.unchanged)
  const { movement: kind, scoreFrom } = movement
  const words =
    kind === 'UP' ? T.upFrom(scoreFrom ?? 0) : kind === 'DOWN' ? T.downFrom(scoreFrom ?? 0) : T.movements[kind]
  const arrow = el('span', { 'aria-hidden': 'true' }, `${ARROWS[kind] ?? ''} `)
  return el('span', { class: `moved ${kind}` }, arrow, words)
}
