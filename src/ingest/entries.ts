import { and, eq } from 'drizzle-orm'
import { isId } from '../ids.js'
import { noteSync } from '../projects/projects.js'
import type { Write } from '../store/store.js'
import type { InputCheck } from '../text.js'
import { byProject, type EntryPlan, type EntryRow, type EntryValues, type Placed } from './entryPlan.js'
import { HandlerFinder } from './matching/assignees.js'
import { ProjectFinder } from './matching/projects.js'
import { Registers } from './missing.js'
import type { Intake, Receiver } from './run.js'

/** Imports risks or issues, matched by id, else by project and reference. */
export function receiveEntries<Row extends EntryRow, V extends EntryValues>(
  intake: Intake,
  plan: EntryPlan<Row, V>,
): Receiver {
  const { write } = intake
  const projects = new ProjectFinder(intake)
  const handlers = new HandlerFinder(intake, plan.handler)
  const registers = new Registers(intake, plan)

  const place = (records: readonly Omit<Placed<V>, 'project'>[]): Placed<V>[] =>
    records.flatMap((record) => {
      const project = projectOf(intake, projects, record.values, record.check)
      if (project) return [{ ...record, project }]
      intake.accept(record.index, record.check)
      return []
    })

  const examine = (record: Placed<V>, known: Known<Row>) => {
    const { index, check, values } = record
    const before = matched(plan, known, record)
    claimEntry(intake, record, before)
    plan.check(before, record)
    if (before?.live === 0 && values.status == null && !intake.options.closeMissing) {
      intake.warnings.push({
        index,
        field: 'reference',
        detail: 'It is closed and stays closed. Give a status to reopen it.',
      })
    }
    const handler = handlers.handlerOf(index, plan.attributionOf(values), before && plan.handlerOf(before), check)
    return intake.accept(index, check) ? [{ before, record, handler }] : []
  }

  return {
    async take(batch) {
      const records = intake.read(batch, plan.read)
      await projects.find(records.map(({ values }) => values.project ?? intake.options.project ?? ''))
      await handlers.find(records.map(({ values }) => plan.attributionOf(values)))
      const placed = place(records)
      if (intake.isSound) await projects.store()
      await registers.open(placed.map(({ project }) => project))
      const known = await knownEntries(write, plan, placed)
      await plan.prepare?.(placed)
      const sound = placed.flatMap((record) => examine(record, known))
      if (!intake.isSound) return
      for (const { before, record, handler } of sound) {
        const draft = plan.draft(before, record, handler)
        registers.note(draft)
        intake.count(plan.ledger.enter(before, draft).verdict)
      }
      const stored = await plan.ledger.store()
      await plan.follow?.(write, stored)
    },
    async finish() {
      if (intake.options.project !== undefined) await registers.openAlone(projects)
      if (intake.options.closeMissing) await registers.closeMissing()
      if (intake.isSound && intake.projects.size > 0) await noteSync(write, [...intake.projects.keys()])
    },
  }
}

function projectOf(intake: Intake, projects: ProjectFinder, values: EntryValues, check: InputCheck) {
  const { project: given } = intake.options
  const named = values.project ?? given
  if (check.has('project')) return undefined
  if (named === undefined) check.flaw('project', 'Is needed: a column, or --project for the whole file.')
  else if (given !== undefined && named !== given)
    check.flaw('project', `Is not ${given}, which was given for the whole file.`)
  else return projects.require(named, check)
  return undefined
}

interface Known<Row> {
  readonly byId: ReadonlyMap<string, Row>
  readonly byPlace: ReadonlyMap<string, Row>
}

function placeKey(projectId: string, reference: string): string {
  return `${projectId} ${reference}`
}

async function knownEntries<Row extends EntryRow, V extends EntryValues>(
  write: Write,
  plan: EntryPlan<Row, V>,
  placed: readonly Placed<V>[],
): Promise<Known<Row>> {
  const ids = placed.map(({ values }) => values.id).filter((id) => id != null)
  const rows = ids.length === 0 ? [] : await plan.rows(write, ({ id }) => write.among(id, ids))
  for (const [projectId, records] of byProject(placed)) {
    const references = records.map(({ values }) => values.reference ?? '')
    const inProject = await plan.rows(write, (columns) =>
      and(eq(columns.projectId, projectId), write.among(columns.reference, references)),
    )
    rows.push(...inProject)
  }
  return {
    byId: new Map(rows.map((row) => [row.id, row])),
    byPlace: new Map(rows.map((row) => [placeKey(row.projectId, row.reference), row])),
  }
}

function matched<Row extends EntryRow, V extends EntryValues>(
  { kind }: EntryPlan<Row, V>,
  { byId, byPlace }: Known<Row>,
  { values: { id, reference }, project, check }: Placed<V>,
): Row | undefined {
  const named = id == null ? undefined : byId.get(id)
  const holder = reference == null ? undefined : byPlace.get(placeKey(project.id, reference))
  if (id != null && !named && !isId(kind, id)) check.flaw('id', 'Must be an id in the form of an export.')
  if (named && named.projectId !== project.id) check.flaw('project', 'This id belongs to an entry of another project.')
  if (id != null && holder && holder.id !== id) check.flaw('reference', `It belongs to ${holder.id}.`)
  return id == null ? holder : named
}

function claimEntry<V extends EntryValues>(
  intake: Intake,
  { index, values: { id, reference }, project, check }: Placed<V>,
  before: EntryRow | undefined,
): void {
  if (reference != null) intake.claim(index, 'reference', placeKey(project.id, reference), check)
  const claimed = before?.id ?? id
  if (claimed != null) intake.claim(index, 'id', claimed, check, id == null ? 'reference' : 'id')
}
