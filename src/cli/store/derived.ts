import { setImmediate as nextTurn } from 'node:timers/promises'
import { and, count, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import { backwards, type ChangeRow, fieldChangesOf } from '../../history/changes.js'
import { foldedPerson, peopleLedger } from '../../personnel/people.js'
import { foldedEntry } from '../../projects/projectEntries.js'
import { isLiveRisk } from '../../projects/risks.js'
import { riskState } from '../../projects/scores.js'
import { type List, pagesOf } from '../../store/query/page.js'
import type { Read, Write } from '../../store/store.js'
import type { Tables } from '../../store/tables.js'
import { fold, foldedTogether } from '../../text.js'
import { HELD_NOUNS, NOUNS, type NounName, nounOfKind } from '../../vocabulary.js'
import { CommandFailed } from '../command.js'

/** A stored value that is not what the program would derive. */
interface Difference {
  readonly what: string
  mend(write: Write): PromiseLike<unknown>
}

/** What is derived from other values, and can be derived again. */
export const DERIVED: Readonly<Record<string, (read: Read) => AsyncIterable<Difference>>> = {
  'risks by score': tallies,
  'live memberships': memberships,
  'merged people': merges,
  'folded texts of people': derivedIn('person', foldedPerson),
  'folded texts of groups': derivedIn('group', ({ name }) => ({ nameFolded: fold(name) })),
  'folded texts of projects': derivedIn('project', ({ key, name }) => ({ searchFolded: foldedTogether(key, name) })),
  ...Object.fromEntries(
    HELD_NOUNS.map((noun) => [`folded texts of ${NOUNS[noun].plural}`, derivedIn(noun, foldedEntry)]),
  ),
  // In place of the one above: they have one more.
  'folded texts of risks': derivedIn('risk', (risk) => {
    return { ...foldedEntry(risk), categoryFolded: risk.category && fold(risk.category) }
  }),
  'projects and states in the history': history,
}

async function* tallies({ db, t: { risk, riskTally } }: Read): AsyncGenerator<Difference> {
  const columns = { score: risk.score, live: count() }
  const counted = await db.select(columns).from(risk).where(eq(risk.live, 1)).groupBy(risk.score)
  const stored = await db.select().from(riskTally)
  for (const score of new Set([...counted, ...stored].map((one) => one.score))) {
    const [live = 0, found = 0] = [counted, stored].map((all) => all.find((one) => one.score === score)?.live)
    if (live === found) continue
    const onConflict = { target: riskTally.score, set: { live } }
    const mend: Difference['mend'] = (write) =>
      write.db.insert(riskTally).values({ score, live }).onConflictDoUpdate(onConflict)
    yield { what: `score ${score} (${found} instead of ${live})`, mend }
  }
}

async function* memberships(read: Read): AsyncGenerator<Difference> {
  const { person, membership } = read.t
  const isActive = sql`case ${person.status} when 'ACTIVE' then 1 else 0 end`
  const live: SQL<number> = sql`(select ${isActive} from ${person} where ${person.id} = ${membership.personId})`
  const wrong: List<typeof membership, object> = {
    name: 'memberships',
    table: () => membership,
    order: () => [membership.groupId, membership.personId],
    matching: () => sql`${membership.live} <> ${live}`,
  }
  for await (const rows of pagesOf(read, wrong, {})) {
    for (const { groupId, personId } of rows) {
      const isIt = and(eq(membership.groupId, groupId), eq(membership.personId, personId))
      yield { what: `${personId} in ${groupId}`, mend: ({ db }) => db.update(membership).set({ live }).where(isIt) }
    }
  }
}

/** Whoever is merged into someone who is merged too; of a circle, the one with the first id is let go. */
async function* merges({ db, t: { person } }: Read): AsyncGenerator<Difference> {
  const rows = await db.select().from(person).where(isNotNull(person.mergedInto)).orderBy(person.id)
  const intoOf = new Map(rows.map(({ id, mergedInto }) => [id, mergedInto ?? '']))
  for (const row of rows) {
    const passed: string[] = []
    let end = intoOf.get(row.id) ?? ''
    for (; intoOf.has(end) && !passed.includes(end); end = intoOf.get(end) ?? '') passed.push(end)
    if (intoOf.has(end)) end = passed.slice(passed.indexOf(end)).sort()[0] ?? end
    if (end === row.mergedInto) continue
    const link = end === row.id ? ({ mergedInto: null, status: 'ACTIVE' } as const) : { mergedInto: end }
    const mend: Difference['mend'] = async (write) => {
      const ledger = peopleLedger(write)
      ledger.enter(row, { ...row, ...link })
      await ledger.store()
    }
    yield { what: `${row.id} in ${row.mergedInto}`, mend }
  }
}

type Entity = Tables[NounName | 'change']

function derivedIn<N extends NounName>(name: N, derive: (row: Tables[N]['$inferSelect']) => object) {
  return async function* (read: Read): AsyncGenerator<Difference> {
    const order: List<Tables[N], object>['order'] = ({ id }) => [id]
    const all = { name, table: (t: Tables) => t[name], order, matching: () => undefined }
    for await (const rows of pagesOf(read, all, {})) {
      for (const row of rows) yield* differing(read.t[name], row, derive(row))
    }
  }
}

function* differing(table: Entity, row: Entity['$inferSelect'], derived: object): Generator<Difference> {
  const stored = new Map<string, unknown>(Object.entries(row))
  const wrong = Object.entries(derived).flatMap(([member, value]) => (stored.get(member) === value ? [] : [member]))
  if (wrong.length === 0) return
  const mend: Difference['mend'] = ({ db }) => db.update(table).set(derived).where(eq(table.id, row.id))
  yield { what: `${row.id} (${wrong.join(', ')})`, mend }
}

/** An entry, as the change that is looked at has left it. */
type Entry = Pick<Tables['risk']['$inferSelect'], 'id' | 'projectId' | 'live' | 'score'>

async function* history(read: Read): AsyncGenerator<Difference> {
  let entries = new Map<string, Entry>()
  for await (const rows of backwards(read, undefined)) {
    // The previous batch may have ended within the changes of an entity.
    const unfinished = entries.get(rows[0]?.entityId ?? '')
    entries = await entriesOf(read, rows)
    if (unfinished) entries.set(unfinished.id, unfinished)
    for (const row of rows) yield* differing(read.t.change, row, derivedOf(row, entries))
    await nextTurn()
  }
}

async function entriesOf({ db, t, among }: Read, rows: readonly ChangeRow[]) {
  const ids = [...new Set(rows.map(({ entityId }) => entityId))]
  const entries = new Map<string, Entry>()
  for (const noun of HELD_NOUNS) {
    const { id, projectId, live } = t[noun]
    const score = noun === 'risk' ? t.risk.score : sql<number>`0`
    const found = await db.select({ id, projectId, live, score }).from(t[noun]).where(among(id, ids))
    for (const entry of found) entries.set(entry.id, entry)
  }
  return entries
}

/** What a change has from its entity; of an entry, which is then as the change found it, its states too. */
function derivedOf(change: ChangeRow, entries: Map<string, Entry>): Partial<ChangeRow> {
  const { entity, entityId } = change
  const none = { stateFrom: null, stateTo: null }
  const entry = entries.get(entityId)
  if (entity === 'PROJECT') return { projectId: entityId, ...none }
  if (NOUNS[nounOfKind(entity)].area === 'personnel') return { projectId: null, ...none }
  // Nothing is known of an entry that is not there.
  if (!entry) return {}
  const { projectId } = entry
  if (entity !== 'RISK') return { projectId, ...none }
  const { score, status } = readableFields(change)
  const at = (side: 0 | 1): Entry => ({
    ...entry,
    ...(status && { live: Number(isLiveRisk(status[side])) }),
    ...(score && { score: Number(score[side]) }),
  })
  const [stateFrom, stateTo] = [riskState(at(0)), riskState(at(1))]
  entries.set(entityId, at(0))
  return { projectId, ...(stateFrom === stateTo ? none : { stateFrom, stateTo }) }
}

function readableFields(change: ChangeRow): ReturnType<typeof fieldChangesOf> {
  try {
    return fieldChangesOf(change) ?? {}
  } catch {
    throw new CommandFailed(`The change ${change.id} in the history cannot be read. Restore a backup.`)
  }
}
