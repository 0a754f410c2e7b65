import type { Command } from 'commander'
import { and, asc, eq, or } from 'drizzle-orm'
import { keys } from '../auth/keys.js'
import { Fault } from '../errors.js'
import { type ChangeRow, changesOf, fieldChangesOf, type Recorded } from '../history/changes.js'
import { changedReference, changedTitle, type FeedFilter, feed, kindsIn } from '../history/feed.js'
import { type ImportRunRow, importRuns } from '../history/importRuns.js'
import { ID_PREFIX, isId } from '../ids.js'
import { type PersonRow, personnel } from '../personnel/people.js'
import { type ProjectRow, projects } from '../projects/projects.js'
import { risks } from '../projects/risks.js'
import { byIds, pagesOf } from '../store/query/page.js'
import { computedValues } from '../store/query/relations.js'
import type { Read } from '../store/store.js'
import { escapedLine, foldedName } from '../text.js'
import { ENTITY_KINDS, type EntityKind, HELD_NOUNS, kindOf } from '../vocabulary.js'
import { commandWith, type JsonFlags, print, say, WrongUsage, withStore } from './command.js'
import { readPast } from './durations.js'

interface Flags extends JsonFlags {
  readonly entity?: string
  readonly project?: string
  readonly since?: string
}

const EXAMPLES = `
Examples:
  operations history --since 24h --entity risk,issue --project APOLLO
  operations history ada@example.com
  operations history APOLLO/R-7 --json`

export function historyCommand(clock: () => Date): Command {
  return commandWith('history', 'show what has changed, when, and by which key', ['database'])
    .argument(
      '[what]',
      'a user id or e-mail, a reference such as APOLLO/R-7, the key of a project, or any id; without it, all changes',
    )
    .option('--entity <kinds>', `only changes of these kinds: ${ENTITY_KINDS.join(', ').toLowerCase()}`)
    .option('--project <key>', 'only changes of this project and of its risks and issues')
    .option('--since <when>', 'changes since then: a day such as 2027-01-31, an instant, or 24h, 7d ago')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES)
    .action(async (what: string | undefined, flags: Flags) => {
      const since = flags.since === undefined ? undefined : readPast('--since', flags.since, clock()).toISOString()
      const entity = flags.entity?.split(',').map(readKind)
      const count = await withStore(flags, { create: false }, (store) =>
        store.snapshot(async (read) => {
          const project = flags.project === undefined ? undefined : await projectNamed(read, flags.project)
          const filter = { entity, since, project: project && [project.id] }
          const pages = what === undefined ? pagesOf(read, feed, filter) : pagesOfOne(read, what, filter)
          return printAll(read, pages, flags.json ?? false)
        }),
      )
      if (count > 0) return
      if (what !== undefined && since === undefined) throw new Fault('NOT_FOUND', `There is no history of ${what}.`)
      say('Nothing has changed.')
    })
}

function readKind(text: string): EntityKind {
  const kind = ENTITY_KINDS.find((one) => one === text.trim().toUpperCase())
  if (kind) return kind
  throw new WrongUsage(`--entity is ${JSON.stringify(text)}; the kinds are ${ENTITY_KINDS.join(', ').toLowerCase()}.`)
}

async function* pagesOfOne(read: Read, what: string, { since, ...filter }: FeedFilter) {
  const entityId = await entityNamed(read, what, filter)
  yield* pagesOf(read, changesOf(entityId), { since })
}

async function printAll(read: Read, pages: AsyncIterable<readonly ChangeRow[]>, asJson: boolean): Promise<number> {
  let count = 0
  for await (const page of pages) {
    const names = await namesIn(read, page)
    const lines = page.map((row) => (asJson ? JSON.stringify(inJson(row, names)) : changeInWords(row, names)))
    await print(asJson ? `${count === 0 ? '[' : ','}${lines.join(',\n')}` : lines.join('\n'))
    count += page.length
  }
  if (asJson) await print(count === 0 ? '[]' : ']')
  return count
}

const PREFIXES = Object.values(ID_PREFIX).map((prefix) => `${prefix}_`)

export async function personNamed({ db, t: { person } }: Read, name: string): Promise<PersonRow> {
  const isThis = or(eq(person.id, name), eq(person.emailFolded, foldedName(name)), eq(person.externalId, name.trim()))
  const rows = await db.select().from(person).where(isThis).limit(2)
  if (rows.length > 1) throw new Fault('CONFLICT', `${name} is ambiguous: ${rows.map(({ id }) => id).join(', ')}.`)
  return found(rows, 'person', name, 'user id, e-mail or externalId')
}

async function projectNamed({ db, t: { project } }: Read, name: string): Promise<ProjectRow> {
  const isThis = or(eq(project.id, name), eq(project.key, name.trim().toUpperCase()))
  return found(await db.select().from(project).where(isThis).limit(1), 'project', name, 'key or id')
}

function found<Row>([row]: readonly Row[], noun: string, name: string, keys: string): Row {
  if (row === undefined) throw new Fault('NOT_FOUND', `There is no ${noun} with the ${keys} ${JSON.stringify(name)}.`)
  return row
}

/** The id of what people call an id: an id of any kind, an e-mail, a reference with or without its project, or the key of a project. */
export async function entityNamed(read: Read, name: string, filter: FeedFilter): Promise<string> {
  if (PREFIXES.some((prefix) => name.startsWith(prefix))) return name
  if (name.includes('@')) return (await personNamed(read, name)).id
  const entries = await entriesNamed(read, name, filter)
  const [entry, ...others] = entries
  if (entry && others.length === 0) return entry.id
  if (entry) {
    const choices = entries.map(({ kind, key, reference, id }) => `${kind} ${key}/${reference} (${id})`)
    throw new Fault('CONFLICT', `${name} is ambiguous: ${choices.join(', ')}. Give the project, --entity or the id.`)
  }
  return (await projectNamed(read, name).catch(() => undefined))?.id ?? name
}

/** The entries with this reference, such as `R-7` or `APOLLO/R-7`. */
async function entriesNamed({ db, t }: Read, name: string, { project: projects, ...filter }: FeedFilter) {
  const [, key, rest = name] = /^([^/]+)\/(.+)$/.exec(name) ?? []
  const kinds = kindsIn(filter)
  const entries = []
  for (const kind of HELD_NOUNS) {
    if (!kinds.includes(kindOf(kind))) continue
    const table = t[kind]
    const inProject = key === undefined ? undefined : eq(t.project.key, key.trim().toUpperCase())
    const rows = await db
      .select({ id: table.id, reference: table.reference, key: t.project.key })
      .from(table)
      .innerJoin(t.project, eq(t.project.id, table.projectId))
      .where(and(eq(table.reference, rest), inProject, projects ? eq(table.projectId, projects[0] ?? '') : undefined))
      .orderBy(asc(t.project.key))
    entries.push(...rows.map((row) => ({ ...row, kind })))
  }
  return entries
}

/** What people call the things in some changes. */
interface Names {
  /** By change. */
  readonly titles: ReadonlyMap<string, unknown>
  readonly references: ReadonlyMap<string, unknown>
  /** By id: projects by key, keys by name, and the people and risks that values refer to. */
  readonly byId: ReadonlyMap<string, string>
  readonly runs: ReadonlyMap<string, ImportRunRow>
}

export async function namesIn(read: Read, rows: readonly ChangeRow[]): Promise<Names> {
  const ids = rows.map(({ id }) => String(id))
  const ofChange = (computed: typeof changedTitle) => computedValues(read, computed, ids)
  const values = rows.flatMap((row) => Object.values(fieldChangesOf(row)).flat())
  const named = (kind: 'person' | 'risk') => [
    ...new Set(values.filter((value) => typeof value === 'string').filter((value) => isId(kind, value))),
  ]
  const [people, entries, of] = [
    await byIds(read, personnel, named('person')),
    await byIds(read, risks, named('risk')),
    await byIds(read, projects, [...new Set(rows.flatMap(({ projectId }) => projectId ?? []))]),
  ]
  const byId = new Map([
    ...(await keys(read)).map(({ id, name }) => [id, `key ${name}`] as const),
    ...[...people].map(([id, { name }]) => [id, name] as const),
    ...[...entries].map(([id, { reference }]) => [id, reference] as const),
    ...[...of].map(([id, { key }]) => [id, key] as const),
  ])
  const runs = await byIds(read, importRuns, [...new Set(rows.flatMap(({ importId }) => importId ?? []))])
  return { titles: await ofChange(changedTitle), references: await ofChange(changedReference), byId, runs }
}

export function inJson(row: ChangeRow, { titles, references, byId, runs }: Names) {
  const { recordedAt, effectiveOn, by, action, entity, entityId, projectId } = row
  const fields = Object.entries(fieldChangesOf(row)).map(([field, [from, to]]) => ({ field, from, to }))
  const id = String(row.id)
  const called = { title: titles.get(id) ?? null, reference: references.get(id) ?? null }
  const { id: importId, source, file, operator } = runs.get(row.importId ?? '') ?? {}
  const run = importId === undefined ? null : { id: importId, source, file, operator }
  const shown = { id: row.id, recordedAt, effectiveOn, by, import: run, action, entity, entityId }
  return { ...shown, ...called, project: byId.get(projectId ?? '') ?? null, fields }
}

/** One line: when, what was done, to what, by whom, and each value before and after. */
export function changeInWords(row: ChangeRow, names: Names): string {
  const { id, recordedAt, by, action, entity, entityId, projectId } = row
  const key = names.byId.get(projectId ?? '')
  const reference = names.references.get(String(id))
  const title = names.titles.get(String(id)) ?? entityId
  const called = [reference === key ? undefined : key, reference, title].filter((one) => one != null).join(' ')
  const run = names.runs.get(row.importId ?? '')
  const author = `${by === 'cli' ? 'the command line' : (names.byId.get(by) ?? by)}${run ? runInWords(run) : ''}`
  const fields = Object.entries(fieldChangesOf(row)).map(
    ([field, [from, to]]) => `${field} ${inText(from, names.byId)} → ${inText(to, names.byId)}`,
  )
  const words = `${recordedAt}  ${action.toLowerCase()} ${entity.toLowerCase()} ${called}, by ${author}`
  return escapedLine(fields.length === 0 ? words : `${words}: ${fields.join(', ')}`)
}

function runInWords({ id, kind, file, operator }: ImportRunRow): string {
  return ` (${[kind.toLowerCase(), file, operator, id].filter((part) => part !== null).join(', ')})`
}

export function inText(value: Recorded, byId: Names['byId'] = new Map()): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'nothing'
  if (typeof value === 'string') return byId.get(value) ?? value
  return Array.isArray(value) ? value.join('; ') : String(value)
}
