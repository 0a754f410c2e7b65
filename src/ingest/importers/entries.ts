import { and, eq, type SQL, sql } from 'drizzle-orm'
import { namesOf, recordReader } from '../../fields.js'
import { isId } from '../../ids.js'
import { ENTRIES, SHEETS } from '../../nouns.js'
import type { IssueRow } from '../../projects/issues.js'
import type { EntryRow } from '../../projects/projectEntries.js'
import { type Assignee, type ProjectRow, recordSync } from '../../projects/projects.js'
import { type RiskRow, scoreInstead } from '../../projects/risks.js'
import { fold } from '../../text.js'
import { type HeldNoun, NOUNS } from '../../vocabulary.js'
import { type LinkedToRisk, type Placed, projectMatcher, riskMatcher } from '../matching/lookups.js'
import { type Attributed, assigneeMatcher } from '../matching/people.js'
import { closeAll, closedLately, type Importer, type ImportRun, refusalToClose, writersOfSource } from '../run.js'
import { movedReferences } from './movedReferences.js'

type Entry = EntryRow & Attributed
type Values = Attributed &
  Readonly<Partial<Record<'id' | 'status' | 'project' | 'reference' | 'title', string | null>>> &
  Readonly<Record<string, unknown>>

type Scored = Parameters<typeof scoreInstead>[1]

/** What the import of one noun does besides. */
interface More {
  /** Looks up the other rows that the records of a batch refer to. */
  prepare?(placed: readonly Placed<Values>[]): Promise<void>
  check?(before: Entry | undefined, record: Placed<Values>): void
  /** What is stored of those other rows. */
  links?(record: Placed<Values>): object
}

const MORE: Readonly<Partial<Record<HeldNoun, (run: ImportRun) => More>>> = {
  risk: ({ warnings }) => ({
    check: (before: RiskRow | undefined, { index, values }: Placed<Scored>) => {
      const score = scoreInstead(before, values)
      if (score === undefined) return
      const detail = `It is not stored: likelihood and impact are there, and their product is ${score}.`
      warnings.push({ index, field: 'scoreGiven', detail })
    },
  }),
  issue: (run) => {
    const risks = riskMatcher(run)
    return {
      prepare: (placed: readonly Placed<LinkedToRisk>[]) => risks.find(placed),
      check: (before: IssueRow | undefined, record: Placed<LinkedToRisk>) => risks.check(record, before?.riskId),
      links: (record: Placed<LinkedToRisk>) => ({ riskId: risks.idOf(record) }),
    }
  },
}

/** A project of the list. */
interface Opened {
  readonly project: ProjectRow
  /** Its live entries before anything is stored, if missing ones are closed. */
  readonly live: readonly Entry[]
  readonly imported: Set<string>
  /** Its live entries by title, where they are needed. */
  titles?: ReadonlyMap<string, Entry>
}

/** Imports the entries of projects, matched by id, else by project and reference. */
export async function entriesImporter(run: ImportRun, kind: HeldNoun): Promise<Importer> {
  const { options, violations, warnings, write } = run
  const { plural, holder, open: reopened, closed } = NOUNS[kind]
  const table = write.t[kind]
  const ledger = ENTRIES[kind].ledger(write)
  const more = MORE[kind]?.(run)
  const { inputs } = SHEETS[plural]
  const read = recordReader(inputs)
  // What tells whether a record equals its row, besides the holder. No row has `risk`: a record with it is looked at more closely.
  const apart = ['id', 'project', holder, `${holder}Id`, `${holder}Name`]
  const compared = namesOf(inputs).filter((name) => !apart.includes(name))
  const projects = projectMatcher(run)
  const assignees = assigneeMatcher(run, holder)
  // Who may not say that it is meant is not asked.
  const moved = options.wording.accept === undefined ? undefined : movedReferences(run, kind)
  const opened = new Map<string, Opened>()
  // If there were none before, nothing needs to be looked up.
  const isFirst = (await write.db.$count(table)) === 0
  const rows = (where: SQL | undefined): PromiseLike<Entry[]> => write.db.select().from(table).where(where)
  const liveIn = (projectId: string) => rows(and(eq(table.projectId, projectId), eq(table.live, 1)))

  const placedOf = ({ index, check, values }: Omit<Placed<Values>, 'project' | 'place'>): Placed<Values>[] => {
    const given = options.project
    const named = values.project ?? given
    if (named === undefined && !check.has('project'))
      check.violation('project', 'Is needed: a column, or --project for the whole file.')
    else if (named !== undefined && given !== undefined && named !== given)
      check.violation('project', `Is not ${given}, which was given for the whole file.`)
    const project = named === undefined || check.has('project') ? undefined : projects.require(named, check)
    if (project) return [{ index, check, values, project, place: `${project.id} ${values.reference}` }]
    run.accept({ index, check })
    return []
  }

  /** The stored rows that records may match, by id and by place. */
  const candidatesFor = async (placed: readonly Placed<Values>[]): Promise<ReadonlyMap<string, Entry>> => {
    const ids = placed.flatMap(({ values }) => values.id ?? [])
    const found = ids.length === 0 ? [] : await rows(write.among(table.id, ids))
    const places = placed.map(({ project, values }) => [project.id, values.reference ?? ''] as const)
    if (places.length > 0) found.push(...(await write.havingPairs(table, ['projectId', 'reference'], places)))
    const candidates = new Map<string, Entry>()
    for (const row of found) candidates.set(row.id, row).set(`${row.projectId} ${row.reference}`, row)
    return candidates
  }

  const matched = ({ values, project, place, check }: Placed<Values>, candidates: ReadonlyMap<string, Entry>) => {
    const { id, reference } = values
    const named = id == null ? undefined : candidates.get(id)
    const holder = reference == null ? undefined : candidates.get(place)
    if (id != null && !named && !isId(kind, id)) check.violation('id', 'Must be an id in the form of an export.')
    if (named && named.projectId !== project.id)
      check.violation('project', 'This id belongs to an entry of another project.')
    if (id != null && holder && holder.id !== id && !run.isLeaving(holder, 'reference'))
      check.violation('reference', `It belongs to ${holder.id}.`)
    return id == null ? holder : named
  }

  /** A record with the row that it matches, if it has no violation. */
  const examined = (record: Placed<Values>, candidates: ReadonlyMap<string, Entry>) => {
    const { index, check, values, place, project } = record
    const before = matched(record, candidates)
    const { id, reference, title } = values
    if (reference != null) run.claim(record, 'reference', place)
    if (reference != null && title != null)
      moved?.see({ reference, title }, before, opened.get(project.id)?.titles?.get(fold(title)))
    const claimed = before?.id ?? id
    if (claimed != null) run.claim(record, 'id', claimed, id == null ? 'reference' : 'id')
    ENTRIES[kind].check(before, values, check)
    more?.check?.(before, record)
    const isClosed = before?.live === 0 && values.status == null
    if (isClosed && !options.closeMissing) {
      const detail = 'It is closed and stays closed. Give a status to reopen it.'
      warnings.push({ index, field: 'reference', detail })
    }
    const assignee = assignees.assigneeOf(index, values, before && assignees.stored(before), check)
    if (!run.accept(record)) return []
    // In a complete list, naming a closed entry without a status reopens it.
    const isBack = isClosed && options.closeMissing
    return [{ before, record: isBack ? { ...record, values: { ...values, status: reopened } } : record, assignee }]
  }

  /** Whether a record equals the stored row: in a repeated import most do, and a draft takes 40 microseconds. */
  const isSame = (before: Entry, values: Values, { id, name }: Assignee): boolean => {
    const stored = assignees.stored(before)
    const isAssigned = (id === undefined || id === stored.id) && (name === undefined || name === stored.name)
    return isAssigned && compared.every((one) => values[one] === undefined || values[one] === before[one])
  }

  /** Adds a project, before anything of it is stored. */
  const open = async (project: ProjectRow): Promise<void> => {
    const { id, key } = project
    if (opened.has(id)) return
    run.projects.set(id, key)
    const elsewhere = options.closeMissing && options.others?.projects.get(key)
    if (elsewhere) {
      const detail = `${key} is in ${elsewhere} as well; closing missing entries needs a project in a single file.`
      violations.push({ index: undefined, field: 'project', detail })
    }
    opened.set(id, { project, live: options.closeMissing ? await liveIn(id) : [], imported: new Set() })
  }

  /** Most files have the titles that are stored, and then need no others. */
  const readTitles = async (
    placed: readonly Placed<Values>[],
    candidates: ReadonlyMap<string, Entry>,
  ): Promise<void> => {
    const isOther = ({ values: { title }, place }: Placed<Values>) =>
      title != null && title !== candidates.get(place)?.title
    if (!moved || isFirst || !placed.some(isOther)) return
    for (const { project } of placed) {
      const one = opened.get(project.id)
      if (one) one.titles ??= new Map((await liveIn(project.id)).map((row) => [fold(row.title), row]))
    }
  }

  /** Closes live entries that are missing, except in projects where there are too many. */
  const closeMissing = async (): Promise<void> => {
    const lately = await closedLately(run, plural)
    for (const { project, live, imported } of opened.values()) {
      const missing = live.filter(({ id }) => !imported.has(id))
      const counts = { missing: missing.length, live: live.length, lately: lately.get(project.id) }
      const refusal = refusalToClose(options, counts, 'closed')
      if (refusal === undefined)
        await closeAll(run, ledger, missing, (row) => ({ ...row, status: closed, live: 0 }), 'CLOSED')
      else {
        const found = `${missing.length} of its ${live.length} live ${plural} are missing`
        run.unclosed.push({ index: undefined, field: 'project', detail: `${project.key}: ${found}; ${refusal}` })
      }
    }
  }

  /** Warns about projects of this source that the list no longer has: their entries are not closed. */
  const warnOfProjects = async (): Promise<void> => {
    const listed = new Set([...run.projects.values(), ...(options.others?.projects.keys() ?? [])])
    if (options.project !== undefined || options.others?.isLast === false || listed.size < 2) return
    const { among, db, t } = write
    const written = sql`select 1 from ${t.change} where ${t.change.entityId} = ${table.id}`
    const isImported = sql`exists (${written} and ${among(t.change.by, await writersOfSource(write))})`
    const stored = await db.select({ id: t.project.id, key: t.project.key }).from(t.project).orderBy(t.project.key)
    for (const { id, key } of stored.filter((one) => !listed.has(one.key))) {
      const live = await db.$count(table, and(eq(table.projectId, id), eq(table.live, 1), isImported))
      const found = `${key} has ${live} live ${plural} of earlier imports and is no longer listed. They stay open; `
      const advice = `to close them, import a sheet that is only a header with --project ${key} --close-limit ${live}.`
      if (live > 0) warnings.push({ index: undefined, field: 'project', detail: found + advice })
    }
  }

  return {
    async take(batch) {
      const records = run.read<Values>(batch, read)
      await projects.find(records.map(({ values }) => values.project ?? options.project ?? ''))
      await assignees.find(records.map(({ values }) => values))
      const placed = records.flatMap(placedOf)
      if (run.isSound()) await projects.ledger.store()
      for (const { project } of placed) await open(project)
      const candidates = await candidatesFor(isFirst ? [] : placed)
      await more?.prepare?.(placed)
      await readTitles(placed, candidates)
      const sound = placed.flatMap((record) => examined(record, candidates))
      if (!run.isSound()) return
      for (const { before, record, assignee } of sound) {
        const isUnchanged = before && isSame(before, record.values, assignee)
        const links = { projectId: record.project.id, [holder]: assignee, ...more?.links?.(record) }
        const draft = isUnchanged ? before : ENTRIES[kind].merged(write, before, { ...record.values, ...links })
        opened.get(draft.projectId)?.imported.add(draft.id)
        run.count(isUnchanged ? 'unchanged' : ledger.enter(before, draft).outcome)
      }
      await ledger.store()
    },

    async finish() {
      // A file for one project covers that project even if it is empty.
      const only = options.project ?? ''
      if (only !== '') await projects.find([only])
      const project = projects.found.get(only)
      if (project) await open(project)
      moved?.check()
      // With violations among the records, it is not known yet which entries are missing.
      if (!run.isSound()) return
      if (options.closeMissing) {
        await closeMissing()
        await warnOfProjects()
      }
      if (run.projects.size > 0 && !options.undoing) await recordSync(write, [...run.projects.keys()])
    },
  }
}
