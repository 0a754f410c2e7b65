import { and, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Scope } from '../auth/scopes.js'
import { projectNaming } from '../projects/projects.js'
import { literal } from '../store/literals.js'
import { namesIn, type Optional, refersTo } from '../store/query/conditions.js'
import { type Caller, type List, memberColumn } from '../store/query/page.js'
import type { Computed } from '../store/query/relations.js'
import type { Read } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { ENTITY_KINDS, type EntityKind, kindOf, NOUN_NAMES, NOUNS, type NounName, nounOfKind } from '../vocabulary.js'

/** The scope that reads entities of a kind, and the one that also shows who changed them. */
export function scopeOfKind(kind: EntityKind, action: 'read' | 'manage'): Scope {
  return `${areaOf(kind)}.${action}`
}

const areaOf = (kind: EntityKind) => NOUNS[nounOfKind(kind)].area

export interface FeedFilter {
  readonly entity?: Optional<readonly EntityKind[]>
  /** Ids or keys. */
  readonly project?: Optional<readonly string[]>
  readonly since?: Optional<string>
}

/** The changes of all entities that the caller may read, oldest first: a list to follow. */
export const feed: List<Tables['change'], FeedFilter> = {
  name: 'feed',
  table: (t) => t.change,
  order: ({ id }) => [id],
  rowNonce: ({ nonce }) => nonce,
  names: { project: projectNaming },
  matching: (read, filter) =>
    and(
      kindsIn(filter).length === ENTITY_KINDS.length ? undefined : read.among(read.t.change.entity, kindsIn(filter)),
      filter.project ? refersTo(read, read.t.change.projectId, projectNaming, filter.project) : undefined,
      isSince(read, filter),
    ),
  parts: (read, filter) =>
    placesIn(filter)?.map(({ kind, project }) => {
      const { entity, projectId } = read.t.change
      const inProject = project === undefined ? undefined : refersTo(read, projectId, projectNaming, [project])
      return and(inProject, eq(entity, kind), isSince(read, filter)) ?? sql`true`
    }),
  serves: (filter) => isWhole(filter) || placesIn(filter) !== undefined,
  visible,
}

/** The kinds that a filter shows; only entities of a project have one. */
export function kindsIn({ entity, project }: FeedFilter): readonly EntityKind[] {
  const kinds = entity ?? ENTITY_KINDS
  return project ? kinds.filter((kind) => areaOf(kind) === 'projects') : kinds
}

function isWhole(filter: FeedFilter): boolean {
  return !filter.project && kindsIn(filter).length === ENTITY_KINDS.length
}

/** With more parts than this, merging them would take longer than it saves. */
const PARTS_MAX = 30

/** Each kind in each project of a filter: an index has the changes of one in order. */
function placesIn(filter: FeedFilter): { kind: EntityKind; project?: string }[] | undefined {
  const kinds = kindsIn(filter)
  const projects = filter.project ?? [undefined]
  const names = filter.project ? namesIn(filter.project, projectNaming).size : 0
  // A project that is named twice, by key and by id, would have its changes twice.
  const isMixed = names > 0 && projects.length > names
  const count = kinds.length * projects.length
  if (isWhole(filter) || isMixed || count === 0 || count > PARTS_MAX) return undefined
  return projects.flatMap((project) => kinds.map((kind) => ({ kind, ...(project !== undefined && { project }) })))
}

/** From the first change of that time on: later ones count also if a clock went back. */
function isSince({ t: { change } }: Read, { since }: FeedFilter): SQL | undefined {
  if (since == null) return undefined
  const { id, recordedAt } = alias(change, 'since')
  const first = sql`select ${id} from ${change} since where ${recordedAt} >= ${since} order by ${recordedAt}, ${id} limit 1`
  return sql`${change.id} >= (${first})`
}

function visible(filter: FeedFilter, { mayRead, require }: Caller): FeedFilter {
  for (const kind of filter.entity ?? []) require(scopeOfKind(kind, 'read'))
  if (filter.project) require('projects.read')
  const readable = ENTITY_KINDS.filter((kind) => mayRead(scopeOfKind(kind, 'read')))
  // Whatever the filter, even of no kind: the cursor of an empty page tells how much has changed.
  if (readable.length === 0) require(scopeOfKind(ENTITY_KINDS[0], 'read'))
  const kinds = filter.entity ?? readable
  return { ...filter, entity: kinds.length === ENTITY_KINDS.length ? null : kinds }
}

type OfChange = Computed<Tables['change']>

/** What people call the entity of a change now: each noun has it in a column of its own. */
function nowCalled(memberOf: (noun: NounName) => string | undefined): OfChange {
  return {
    of: (t) => t.change,
    value: ({ t }, { entity, entityId }) => {
      const cases = NOUN_NAMES.flatMap((noun) => {
        const [table, member] = [t[noun], memberOf(noun)]
        if (member === undefined) return []
        const now = sql`(select ${memberColumn(table, member)} from ${table} where ${table.id} = ${entityId})`
        return sql`when ${literal(kindOf(noun))} then ${now}`
      })
      return sql`case ${entity} ${sql.join(cases, sql` `)} end`
    },
  }
}

const titleNow = nowCalled((noun) => NOUNS[noun].title)

/** The title of a risk or an issue, or the name of another entity; of one that is removed, the name that it had. */
export const changedTitle: OfChange = {
  of: titleNow.of,
  value: (read, change) => {
    const had = read.json.recorded(change.fields, 'name', 'from')
    return sql`case when ${change.action} = 'REMOVED' then ${had} else ${titleNow.value(read, change)} end`
  },
}

/** The reference of a risk or an issue, or the key of a project. */
export const changedReference = nowCalled((noun) => {
  const naming = NOUNS[noun]
  return 'reference' in naming ? naming.reference : undefined
})
