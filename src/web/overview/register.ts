import { base, download, hasGraphiql } from '../api.js'
import { button, el, given, remark, replace, section, spoken } from '../dom.js'
import { shownNumber, T } from '../texts.js'
import { type Overview, type Risk, type RiskMovement, registerQuery, SHOWN_MAX } from './data.js'
import { type Filter, queryOf } from './filter.js'
import { chip } from './levels.js'
import { type Link, placed } from './lists.js'
import { extent, type More, table } from './tables.js'

interface Actions {
  readonly link: Link
  open(riskId: string): void
  readonly more: More
  fail(error: unknown): void
}

const OF_RISKS = ['project', 'level', 'likelihood', 'impact', 'owner', 'search', 'unplaced'] as const

/** The ranked register of what the filter leaves. */
export function registerPart({ link, open, more, fail }: Actions) {
  const tools = el('p', { class: 'tools no-print' })
  const { root, body } = section('register', T.register, tools)

  function show(overview: Overview, filter: Filter, movements: readonly RiskMovement[]): void {
    const moved = new Map(movements.map((one) => [one.id, one]))
    const { nodes, totalCount } = overview.risks
    replace(tools, ...links(filter))
    replace(
      body,
      nodes.length === 0 ? remark(T.noRisks) : rows(nodes, filter, moved),
      extent('risks', more, T.ofRisks, nodes.length, totalCount),
      nodes.length < totalCount && nodes.length >= SHOWN_MAX && el('p', { class: 'note no-print' }, T.mostShown),
    )
  }

  function links(filter: Filter): HTMLAnchorElement[] {
    const csv = `/v1/risks.csv${queryOf(filter, ...OF_RISKS)}`
    const save = (event: Event) => {
      // A plain link would send no key.
      event.preventDefault()
      download(csv, 'risks.csv').catch(fail)
    }
    const asCsv = el('a', { id: 'as-csv', href: base + csv, onclick: save }, T.asCsv)
    const asGraphql = el('a', { id: 'as-graphql', href: `${base}/graphql${registerQuery(filter)}` }, T.asGraphql)
    return hasGraphiql ? [asCsv, asGraphql] : [asCsv]
  }

  function rows(risks: readonly Risk[], filter: Filter, moved: ReadonlyMap<string, RiskMovement>): HTMLTableElement {
    const columns = [
      { label: T.rank, kind: 'number wide' },
      { label: T.risk },
      { label: T.project, kind: 'wide' },
      { label: T.owner, kind: 'wide' },
      { label: T.score, kind: 'level' },
      { label: T.trend, kind: 'trend' },
    ]
    return table(
      T.registerCaption,
      columns,
      risks.map((risk) => [
        risk.rank === null ? T.nothing : shownNumber(risk.rank),
        el(
          'div',
          {},
          button({ class: 'title', id: risk.id, onclick: () => open(risk.id) }, given(risk.title)),
          el('div', { class: 'meta narrow' }, `${risk.project.key} · `, given(risk.reference), ' · ', owner(risk)),
        ),
        placed(risk, link),
        ownerLink(risk, filter),
        chip(risk.level, risk.score),
        trend(moved.get(risk.id)),
      ]),
    )
  }

  function ownerLink(risk: Risk, { owner: chosen }: Filter): Node | string {
    if (!risk.owner) return owner(risk)
    return risk.owner.id === chosen ? owner(risk) : link('', { owner: risk.owner.id }, given(risk.owner.name))
  }

  return { root, show }
}

function owner({ owner: person, ownerName, ownerId }: Risk): Node | string {
  const name = person?.name ?? ownerName
  if (name !== null && name !== undefined) return given(name)
  return ownerId ? T.hidden : T.nothing
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
