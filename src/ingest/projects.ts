import { recordReader, requireFields } from '../fields.js'
import { isId } from '../ids.js'
import { noteSync, PROJECT_FIELDS, projectsLedger, projectWith } from '../projects/projects.js'
import { PROJECT_COLUMNS } from './columns.js'
import { ProjectFinder } from './matching/projects.js'
import type { Intake, Receiver } from './run.js'

const readColumns = recordReader(PROJECT_COLUMNS)

/** Imports projects, matched by id, else by key. */
export function receiveProjects(intake: Intake): Receiver {
  const { write } = intake
  const ledger = projectsLedger(write)
  const projects = new ProjectFinder(intake)
  return {
    async take(batch) {
      const records = intake.read(batch, readColumns)
      await projects.find(records.flatMap(({ values: { id, key } }) => [id ?? [], key ?? []].flat()))
      const sound = records.flatMap(({ index, values, check }) => {
        const { id, key } = values
        const before = projects.get(id ?? key ?? '')
        if (id != null && !before && !isId('project', id)) check.flaw('id', 'Must be an id in the form of an export.')
        if (!before) requireFields(PROJECT_FIELDS, values, check)
        const holder = projects.get(key ?? '')
        if (holder && holder.id !== before?.id) check.flaw('key', `It belongs to ${holder.name} (${holder.id}).`)
        if (key != null) intake.claim(index, 'key', key, check)
        const claimed = before?.id ?? id
        if (claimed != null) intake.claim(index, 'id', claimed, check, id == null ? 'key' : 'id')
        if (!intake.accept(index, check)) return []
        return [{ before, draft: projectWith(write, before, values, id ?? undefined) }]
      })
      if (!intake.isSound) return
      for (const { before, draft } of sound) intake.count(ledger.enter(before, draft).verdict)
      await ledger.store()
      for (const { draft } of sound) intake.projects.set(draft.id, draft.key)
      const known = sound.flatMap(({ before }) => before?.id ?? [])
      if (known.length > 0) await noteSync(write, known)
    },
  }
}
