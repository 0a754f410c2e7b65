import { isNotNull } from 'drizzle-orm'
import { DetailNames } from '../csv.js'
import { detailsIn } from '../details.js'
import type { Entity } from '../history/ledger.js'
import { LISTS, SHEETS } from '../nouns.js'
import { groupsOfPeople } from '../personnel/groups.js'
import { personnel } from '../personnel/people.js'
import { everyOf } from '../projects/projectEntries.js'
import { projects } from '../projects/projects.js'
import { type AnyNoun, isShown } from '../store/query/nouns.js'
import { byIds, type List, pagesOf } from '../store/query/page.js'
import { computedValues } from '../store/query/relations.js'
import type { Read } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { isHeldNoun, NOUNS, type NounName, type NounPlural, nounOfPlural, PERSON_STATUSES } from '../vocabulary.js'

/** An entity as an export has it, in the shape of the REST responses. */
export type ExportRecord = Readonly<Record<string, unknown>>

/** All rows of a noun, page by page; with `isLive`, only those in its list. */
export async function* exportRecords(
  read: Read,
  plural: NounPlural,
  isLive: boolean,
): AsyncGenerator<readonly ExportRecord[]> {
  const noun = nounOfPlural(plural)
  const list: List<Tables[NounName], object> = isHeldNoun(noun) && !isLive ? everyOf(LISTS[noun]) : LISTS[noun]
  const filter = noun === 'person' && !isLive ? { status: PERSON_STATUSES } : {}
  for await (const rows of pagesOf(read, list, filter)) {
    const linksOf = await linksBetween(read, noun, rows)
    const all = await withComputed(read, rows, SHEETS[plural])
    yield all.map((row) => ({ ...row, ...('details' in row && { details: detailsIn(row.details) }), ...linksOf(row) }))
  }
}

/** What rows refer to: the groups of people, and the project and the holder of entries. */
async function linksBetween(read: Read, noun: NounName, rows: readonly Entity[]): Promise<(row: Entity) => object> {
  if (noun === 'person') {
    const ids = rows.map(({ id }) => id)
    const groupsOf = await groupsOfPeople(read, ids)
    return ({ id }) => ({ groups: groupsOf.get(id) ?? [] })
  }
  if (!isHeldNoun(noun)) return () => ({})
  const { holder } = NOUNS[noun]
  const named = (member: string) => (row: Entity) => String(row[member] ?? '')
  const [projectIn, personIn] = [named('projectId'), named(`${holder}Id`)]
  const projectOf = await byIds(read, projects, [...new Set(rows.map(projectIn))])
  const personOf = await byIds(read, personnel, [...new Set(rows.map(personIn))])
  return (row) => ({ project: projectOf.get(projectIn(row)), [holder]: personOf.get(personIn(row)) })
}

async function withComputed<Row extends { id: string }>(
  read: Read,
  rows: readonly Row[],
  { members }: AnyNoun,
): Promise<Row[]> {
  const ids = rows.map(({ id }) => id)
  const all = rows.map((row) => ({ ...row }))
  for (const [name, member] of Object.entries(members)) {
    if (!isShown(member) || !member.computed) continue
    const values = await computedValues(read, member.computed, ids)
    for (const row of all) Object.assign(row, { [name]: values.get(row.id) })
  }
  return all
}

/** The names of the details of a noun, in the order of their columns. */
export async function detailNames(read: Read, noun: NounPlural, isLive: boolean): Promise<readonly string[]> {
  const table = LISTS[nounOfPlural(noun)].table(read.t)
  const names = new DetailNames()
  if (!('details' in table) || (await read.db.$count(table, isNotNull(table.details))) === 0) return names.all
  for await (const rows of exportRecords(read, noun, isLive)) for (const row of rows) names.add(row)
  return names.all
}
