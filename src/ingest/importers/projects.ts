import { recordReader } from '../../fields.js'
import { isId } from '../../ids.js'
import { checkProject, PROJECT, projectsLedger, projectWith, recordSync } from '../../projects/projects.js'
import { projectMatcher } from '../matching/lookups.js'
import type { Importer, ImportRun } from '../run.js'

const readColumns = recordReader(PROJECT.inputs)

/** Imports projects, matched by id, else by key. */
export function projectsImporter(run: ImportRun): Importer {
  const { write } = run
  const ledger = projectsLedger(write)
  const projects = projectMatcher(run)
  return {
    async take(batch) {
      const records = run.read(batch, readColumns)
      await projects.find(records.flatMap(({ values: { id, key } }) => [id ?? [], key ?? []].flat()))
      const sound = records.flatMap((record) => {
        const { values: given, check } = record
        const { id, key } = given
        const before = projects.found.get(id ?? key ?? '')
        const isNamed = before !== undefined || given.name != null || !run.options.createProjects
        const values = isNamed || key == null ? given : { ...given, name: key }
        if (id != null && !before && !isId('project', id))
          check.violation('id', 'Must be an id in the form of an export.')
        checkProject(before, values, check)
        const holder = projects.found.get(key ?? '')
        if (holder && holder.id !== before?.id && !run.isLeaving(holder, 'key'))
          check.violation('key', `It belongs to ${holder.name} (${holder.id}).`)
        if (key != null) run.claim(record, 'key', key)
        const claimed = before?.id ?? id
        if (claimed != null) run.claim(record, 'id', claimed, id == null ? 'key' : 'id')
        if (!run.accept(record)) return []
        return [{ before, draft: projectWith(write, before, values, id ?? undefined) }]
      })
      if (!run.isSound()) return
      for (const { before, draft } of sound) run.count(ledger.enter(before, draft).outcome)
      await ledger.store()
      for (const { draft } of sound) run.projects.set(draft.id, draft.key)
      const synced = sound.flatMap(({ before }) => before?.id ?? [])
      if (synced.length > 0 && !run.options.undoing) await recordSync(write, synced)
    },
  }
}
