import { aliasedTable, and, between, or, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { badArgument, TooComplex } from '../errors.js'
import { type InProjects, inProjects, projectNaming } from '../projects/projects.js'
import { levelOf } from '../projects/scores.js'
import {
  ISSUE_MOVEMENTS,
  issueMovement,
  movements,
  projectMovement,
  RISK_MOVEMENTS,
  riskMovement,
} from '../store/derivedRows.js'
import type { Optional } from '../store/query/conditions.js'
import { conditional } from '../store/query/jsonPage.js'
import type { View } from '../store/query/views.js'
import type { Read } from '../store/store.js'
import { ISSUE_SEVERITIES, type RiskLevel, scoreBoundsOf } from '../vocabulary.js'
import {
  AFTER_ALL,
  earliest,
  historyExtent,
  ISSUE_DUE,
  ISSUE_OPEN,
  ISSUE_SEVERITY,
  lastBefore,
  numberFound,
  ofKind,
  type PastValue,
  pastChanges,
  RISK_LIVE,
  RISK_SCORE,
} from './past.js'

interface MovementArguments {
  readonly since: string
  readonly until?: Optional<string>
  readonly filter?: Optional<MovementFilter>
  /** Bounds the entries of each kind of movement. */
  readonly first?: Optional<number>
  /** Ids of risks that are listed beyond `first`. */
  readonly including?: Optional<readonly string[]>
}

interface MovementFilter extends InProjects {
  readonly level?: Optional<readonly RiskLevel[]>
}

const comma = sql.raw(', ')

export const movementsView: View<MovementArguments> = {
  row: movements,
  lists: { risks: riskMovement, issues: issueMovement, projects: projectMovement },
  names: { project: projectNaming },
  check({ since, until }) {
    if (until != null && until < since) throw badArgument('until', 'Must not be before `since`.')
  },
  isBounded: ({ first }) => first != null,
  tables(read, args, { guard, most }) {
    const question = { read, ...args, filter: args.filter ?? {}, guard, most }
    const parts = [cut(question), ...riskTables(question), ...issueTables(question), ...countTables(question)]
    return sql`with ${sql.join(parts, comma)}`
  },
  extent: historyExtent,
  size: sql`"new" + closed + up + down + opened + resolved + worse + slipped`,
  tooMany: (most) =>
    new TooComplex(
      `More than ${most} risks and issues moved.`,
      (page) => `Name a \`project\` or a later \`since\`, or set ${page()}.`,
    ),
}

interface Question extends MovementArguments {
  readonly read: Read
  readonly filter: MovementFilter
  readonly guard: SQL | undefined
  readonly most: number
}

/** Lets a scan be stopped, if the statement runs where it can be. */
function stillWanted({ read, guard }: Question, table: PgTable): SQL | undefined {
  return guard && read.guard({ table, rows: Number.POSITIVE_INFINITY })
}

/** The last change before each end. */
function cut({ read, since, until }: Question): SQL {
  const last = until == null ? AFTER_ALL : lastBefore(read, until)
  return sql`cut as materialized (select ${lastBefore(read, since)} as first, ${last} as last)`
}

/** What changes found, by entity: the numbers at both ends of those that differ from the stored row. */
function pastTable(name: string, kind: 'RISK' | 'ISSUE', values: Named, { read, until, guard }: Question): SQL {
  const { id, entityId } = pastChanges(read)
  const atEnd = (value: PastValue, end: string) => {
    const found = sql`case when ${id} > ${sql.raw(end)} then ${numberFound(read, value)} end`
    return earliest(sql`${id}`, found)
  }
  const columns = Object.entries(values).flatMap(([column, value]) => [
    sql`${atEnd(value, 'cut.first')} as ${sql.raw(`${column}_then`)}`,
    ...(until == null ? [] : [sql`${atEnd(value, 'cut.last')} as ${sql.raw(`${column}_now`)}`]),
  ])
  const where = conditional(and(guard, sql`${id} > cut.first`, ofKind(read, kind)))
  const from = sql`cut cross join ${read.t.change} c`
  return sql`${sql.raw(name)} as materialized (select ${entityId} as entity_id, ${sql.join(columns, comma)} from ${from}${where} group by ${entityId})`
}

type Named = Readonly<Record<string, PastValue>>

/** The numbers at both ends of every entity; before the first change of the store nothing was there. */
function stateColumns(values: Named, live: string, { until }: Question): SQL {
  const at = (column: string, stored: SQL, end: string, side: string) => {
    const found = sql`coalesce(${sql.raw(`past.${column}_${side}`)}, ${stored})`
    return column === live ? sql`case when ${sql.raw(end)} = 0 then 0 else ${found} end` : found
  }
  const columns = Object.entries(values).flatMap(([column, { stored }]) => [
    sql`${at(column, stored, 'cut.first', 'then')} as ${sql.raw(`${column}_then`)}`,
    sql`${until == null ? stored : at(column, stored, 'cut.last', 'now')} as ${sql.raw(`${column}_now`)}`,
  ])
  return sql.join(columns, comma)
}

/** A text of an entity as it was at the end. */
function textAtEnd(field: 'title' | 'reference', { read, until }: Question): SQL {
  if (until == null) return sql.raw(`matched.${field}`)
  const { entityId, id, fields } = pastChanges(read)
  const { json, t } = read
  const later = sql`${entityId} = matched.id and ${id} > cut.last and ${json.touches(fields, field)}`
  const found = sql`select ${json.recorded(fields, field, 'from')} from ${t.change} c where ${later} order by ${id} limit 1`
  return sql`coalesce((${found}), ${sql.raw(`matched.${field}`)})`
}

const RISK: Named = { live: RISK_LIVE, score: RISK_SCORE }

function riskTables(question: Question): SQL[] {
  const { read, filter } = question
  const { risk } = read.t
  const state = sql`risk_state as materialized (select id, project_id, reference, title, ${stateColumns(RISK, 'live', question)}
    from ${risk} cross join cut left join risk_past past on past.entity_id = ${risk.id}${conditional(stillWanted(question, risk))})`
  const tally = (side: string) =>
    sql.raw(`tally_${side} as materialized (select score_${side} as score, count(*) as risks
    from risk_state where live_${side} = 1 group by score_${side})`)
  const { projectId } = aliasedTable(risk, 'risk_state')
  const wanted = and(
    sql`live_then + live_now > 0`,
    inProjects(read, projectId, filter),
    filter.level ? or(atLevels(filter.level, 'then'), atLevels(filter.level, 'now')) : undefined,
  )
  const matched = sql`risk_matched as materialized (select id, project_id, reference, title,
    case when live_then = 0 then 'NEW' when live_now = 0 then 'CLOSED' when score_now > score_then then 'UP'
      when score_now < score_then then 'DOWN' else 'UNCHANGED' end as movement,
    case when live_then = 1 then score_then end as score_from, case when live_now = 1 then score_now end as score_to
    from risk_state${conditional(wanted)})`
  const rank = (side: string, score: string) =>
    sql.raw(`case when ${score} is not null then cast(1 + coalesce((select sum(risks) from tally_${side}
      where tally_${side}.score > matched.${score}), 0) as integer) end`)
  const [from, to] = [sql.raw('coalesce(score_from, 0)'), sql.raw('coalesce(score_to, 0)')]
  const order = sql`order by abs(${to} - ${from}) desc, ${from} + ${to} desc, matched.id`
  const shown = sql`risk_movement as materialized (select row_number() over (${order}) as position, matched.id, matched.project_id,
    ${textAtEnd('reference', question)} as reference, ${textAtEnd('title', question)} as title, movement, score_from, score_to,
    ${levelOf(sql`score_from`)} as level_from, ${levelOf(sql`score_to`)} as level_to,
    ${rank('then', 'score_from')} as rank_from, ${rank('now', 'score_to')} as rank_to
    from ${bounded('risk_matched', order, question)} cross join cut where movement <> 'UNCHANGED'
    order by 1${limited(question)})`
  return [pastTable('risk_past', 'RISK', RISK, question), state, tally('then'), tally('now'), matched, shown]
}

/** The first rows of each movement, and those that are included. */
function bounded(table: string, order: SQL, { read, first, including }: Question): SQL {
  const rows = sql.raw(`${table} matched`)
  if (first == null) return rows
  const placed = sql`select matched.*, row_number() over (partition by movement ${order}) as place from ${rows}`
  const wanted = or(sql`place <= ${read.limit(first)}`, including ? read.among(sql.raw('id'), including) : undefined)
  return sql`(select * from (${placed}) placed where ${wanted}) matched`
}

/** A whole list gets one row too many, to detect that there are; what `first` bounds is complete in any case. */
function limited({ read, first, most }: Question): SQL {
  return first == null ? sql` limit ${read.limit(most + 1)}` : sql.raw('')
}

function atLevels(levels: readonly RiskLevel[], side: 'then' | 'now'): SQL {
  const ranges = levels.map((level) => between(sql.raw(`score_${side}`), ...scoreBoundsOf(level)))
  return sql`(${sql.raw(`live_${side}`)} = 1 and ${or(...ranges) ?? sql`false`})`
}

const ISSUE: Named = { live: ISSUE_OPEN, severity: ISSUE_SEVERITY, due: ISSUE_DUE }

function issueTables(question: Question): SQL[] {
  const { read, filter } = question
  const { issue } = read.t
  const state = sql`issue_state as materialized (select id, project_id, reference, title, ${stateColumns(ISSUE, 'live', question)}
    from ${issue} cross join cut left join issue_past past on past.entity_id = ${issue.id}${conditional(and(stillWanted(question, issue), inProjects(read, issue.projectId, filter)))})`
  const kind = (movement: string, where: string) =>
    sql.raw(`select id, project_id, reference, title, '${movement}' as movement,
    case when live_then = 1 then severity_then end as severity_from, case when live_now = 1 then severity_now end as severity_to,
    case when live_then = 1 then due_then else 0 end as due_from, case when live_now = 1 then due_now else 0 end as due_to
    from issue_state where ${where}`)
  const both = 'live_then = 1 and live_now = 1'
  const kinds = [
    kind('OPENED', 'live_then = 0 and live_now = 1'),
    kind('RESOLVED', 'live_then = 1 and live_now = 0'),
    kind('WORSE', `${both} and severity_now > severity_then`),
    kind('SLIPPED', `${both} and due_then > 0 and due_now > due_then`),
  ]
  const matched = sql`issue_matched as materialized (${sql.join(kinds, sql` union all `)})`
  const [from, to] = [sql.raw('coalesce(severity_from, -1)'), sql.raw('coalesce(severity_to, -1)')]
  const later = sql`case when movement = 'SLIPPED' then ${dayCount('due_to')} - ${dayCount('due_from')} else 0 end`
  const order = sql`order by case when movement = 'SLIPPED' then 0 else abs(${to} - ${from}) end desc, ${later} desc,
    ${from} + ${to} desc, matched.id, movement`
  const shown = sql`issue_movement as materialized (select row_number() over (${order}) as position, matched.id, matched.project_id,
    ${textAtEnd('reference', question)} as reference, ${textAtEnd('title', question)} as title, movement,
    ${severityNamed('severity_from')} as severity_from, ${severityNamed('severity_to')} as severity_to,
    ${dayText('due_from')} as due_from, ${dayText('due_to')} as due_to
    from ${bounded('issue_matched', order, question)} cross join cut order by 1${limited(question)})`
  return [pastTable('issue_past', 'ISSUE', ISSUE, question), state, matched, shown]
}

function severityNamed(index: string): SQL {
  const cases = ISSUE_SEVERITIES.map((name, at) => `when ${at} then '${name}'`).join(' ')
  return sql.raw(`case ${index} ${cases} end`)
}

/** The day of a number such as 20270131; null for 0. */
function dayText(number: string): SQL {
  const part = (start: number, length: number) => `substr(cast(${number} as text), ${start}, ${length})`
  return sql.raw(`case when ${number} > 0 then ${part(1, 4)} || '-' || ${part(5, 2)} || '-' || ${part(7, 2)} end`)
}

/** The Julian day number of the same, so that days can be subtracted. */
function dayCount(number: string): SQL {
  const [year, month, day] = [`(${number} / 10000)`, `(${number} / 100 % 100)`, `(${number} % 100)`]
  const shift = `((14 - ${month}) / 12)`
  const y = `(${year} + 4800 - ${shift})`
  return sql.raw(
    `(${day} + (153 * (${month} + 12 * ${shift} - 3) + 2) / 5 + 365 * ${y} + ${y} / 4 - ${y} / 100 + ${y} / 400)`,
  )
}

function countTables({ read, since, until }: Question): SQL[] {
  const kinds = [...RISK_MOVEMENTS, 'UNCHANGED', ...ISSUE_MOVEMENTS]
  const column = (kind: string) => `"${kind.toLowerCase()}"`
  const names = kinds.map(column)
  const each = kinds.map(
    (kind) => `cast(sum(case movement when '${kind}' then 1 else 0 end) as integer) as ${column(kind)}`,
  )
  const totals = names.map((name) => `cast(coalesce(sum(${name}), 0) as integer) as ${name}`)
  const { project } = read.t
  return [
    sql`project_count as materialized (select project_id, ${sql.raw(each.join(', '))} from (
      select project_id, movement from risk_matched union all select project_id, movement from issue_matched
    ) moved group by project_id)`,
    sql`project_movement as materialized (select row_number() over (order by ${project.key}) as position, project_id as id,
      ${sql.raw(names.join(', '))} from project_count join ${project} on ${project.id} = project_id)`,
    sql`movements as materialized (select 1 as id, cast(${since} as text) as since, cast(${until ?? null} as text) as until,
      ${sql.raw(totals.join(', '))} from project_count)`,
  ]
}
