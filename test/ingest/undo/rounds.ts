import { DERIVED } from '../../../src/cli/store/derived.js'
import { Fault } from '../../../src/errors.js'
import { asRun, recordRun } from '../../../src/history/importRuns.js'
import { importRecords } from '../../../src/ingest/importers.js'
import type { ImportOptions } from '../../../src/ingest/run.js'
import { syncPersonnel, syncProject } from '../../../src/ingest/sync.js'
import { undoRun } from '../../../src/ingest/undo.js'
import { erasePerson } from '../../../src/personnel/erasure.js'
import { changeGroup } from '../../../src/personnel/groups.js'
import { mergePeople } from '../../../src/personnel/merging.js'
import { addMember, changePerson, type PersonRow, personnel } from '../../../src/personnel/people.js'
import { endMemberships, removeGroup } from '../../../src/personnel/removedGroups.js'
import { byIds } from '../../../src/store/query/page.js'
import { inShortWrites } from '../../../src/store/shortWrites.js'
import type { Write } from '../../../src/store/store.js'
import { chanceOf } from '../../support/chance.js'
import { newStore } from '../../support/stores.js'
import { Replay } from './replay.js'

type Noun = 'people' | 'groups' | 'projects' | 'risks' | 'issues'
type Values = Record<string, unknown>

/** What rounds have done, by the name of the step. */
export type Figures = Record<string, number>

const WORDING: ImportOptions['wording'] = {
  place: (index) => `record ${index}`,
  createProjects: '--create-projects',
  createGroups: '--create-groups',
  closeLimit: '--close-limit',
}

/** A refused import, which is rolled back. */
class Refused extends Error {}

/** Imports, syncs, merges, edits, erasures, undoes and redoes at random, each undo next to a replay of the history. */
export async function undoRound(seed: number, steps: number, figures: Figures): Promise<void> {
  const own = newStore()
  const store = own.open()
  const chance = chanceOf(seed)
  const below = (count: number) => Math.floor(chance() * count)
  const isLucky = (share: number) => chance() < share
  const pick = <T>(all: readonly T[]): T | undefined => all[below(all.length)]
  const some = <T>(all: readonly T[], share: number) => all.filter(() => isLucky(share))
  const maybe = (values: Values) => Object.fromEntries(Object.entries(values).filter(() => isLucky(0.6)))
  const counted = (name: string) => {
    figures[name] = (figures[name] ?? 0) + 1
  }
  const mayErase = isLucky(0.2)
  let now = Date.parse('2026-11-01T08:00:00.000Z')
  const clock = () => {
    now += 1000
    return new Date(now)
  }
  const trail: string[] = []
  const write = <T>(work: (w: Write) => Promise<T>) => {
    return store.write({ by: 'cli', at: clock }, work)
  }
  const replay = () => new Replay(own)
  const ids = (table: string) => own.values(`select id from ${table} order by id`).map(([id]) => String(id))
  const runs = () => own.values('select id from import_run order by id').map(([id]) => String(id))

  const imported = async (noun: Noun, records: Values[], options: Partial<ImportOptions>) => {
    await write(async (single) => {
      const w = asRun(single)
      const given = records.map((values, index) => ({ index, values }))
      const { violations, counts } = await importRecords(w, noun, given, {
        ...{ matchPeople: true, createProjects: true, createGroups: true, wording: WORDING, ...options },
      })
      if (violations.length > 0) throw new Refused(violations[0]?.detail)
      await recordRun(w, { kind: 'IMPORT', noun, source: noun }, counts)
    })
  }

  const EMAILS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@example.com`)
  const GROUPS = ['Divers', 'Welders', 'Cooks', 'Chefs']
  const person = (): Values => ({
    name: `Name ${below(9)}`,
    ...maybe({ email: pick(EMAILS), title: `Title ${below(4)}`, status: pick(['ACTIVE', 'ACTIVE', 'INACTIVE']) }),
    ...maybe({ groups: some(GROUPS, 0.4), 'details.Site': pick(['Quay', 'Pier', '']) }),
  })
  const people = (): Values[] => {
    const all = isLucky(0.5) ? ids('person') : []
    const known = some(all, 0.6).map((id) => ({ ...person(), id, ...maybe({ externalId: `E${below(6)}` }) }))
    const listed = some([0, 1, 2, 3, 4, 5], 0.5).map((at) => ({ ...person(), externalId: `E${at}` }))
    return known.length > 0 ? known : listed
  }
  const entries = (noun: 'risks' | 'issues'): Values[] =>
    some([1, 2, 3, 4], 0.7).map((at) => {
      const factors = isLucky(0.7)
        ? { likelihood: 1 + below(5), impact: 1 + below(5) }
        : maybe({ likelihood: 1 + below(5) })
      const who = isLucky(0.7) ? pick([...EMAILS, ...ids('person')]) : pick(['', 'A stranger'])
      return {
        ...{ reference: `R-${at}`, title: `Title ${below(5)}` },
        ...maybe({ status: pick(['OPEN', 'OPEN', 'CLOSED']), 'details.Cost': pick(['10', '20', '']) }),
        ...(noun === 'risks' ? { ...factors, ...maybe({ owner: who, scoreGiven: below(26) }) } : {}),
        ...(noun === 'issues' ? { severity: pick(['LOW', 'HIGH']), ...maybe({ assignee: who }) } : {}),
        ...maybe({ description: `Text ${below(3)}` }),
      }
    })
  const project = () => pick(['PIER', 'QUAY']) ?? 'PIER'

  const merge = async () => {
    const [old, into] = [pick(ids('person')) ?? '', pick(ids('person')) ?? '']
    await write(async (w) => {
      const rows = await byIds(w, personnel, [old, into])
      const rowOf = (id: string): PersonRow => {
        const row = rows.get(id)
        if (!row) throw new Refused('Nobody is there.')
        return row
      }
      await mergePeople(w, rowOf(old), rowOf(into), null)
    })
  }

  /** Undoes a run, and compares what it did with the replay; returns its id, if it did something. */
  const undo = async (id: string | undefined, step: string): Promise<string | undefined> => {
    if (id === undefined) return undefined
    const before = replay()
    const report = await write((w) => undoRun(w, id, null))
    trail.push(`  ${step} ${id} as ${report.importId}: ${JSON.stringify(report.counts)}`)
    before.checkUndo(replay(), id, report)
    return report.importId
  }

  const removal = async () => {
    await write((w) => removeGroup(w, pick(ids('groups')) ?? ''))
    await endMemberships(store, clock)
  }

  /** An undo that is undone at once leaves everything as it was. */
  const undoTwice = async () => {
    const id = pick(runs().slice(-6))
    const before = replay().state()
    const first = await undo(id, 'undo')
    await undo(first, 'undo it')
    if (!first) return
    const after = replay().state()
    const [gone, come] = [before.filter((row) => !after.includes(row)), after.filter((row) => !before.includes(row))]
    if (gone.length + come.length > 0)
      throw new Error(`Undone twice, this is not as before:\n${[...gone, '', ...come].join('\n')}`)
  }

  const steppers: readonly (readonly [name: string, share: number, work: () => Promise<unknown>])[] = [
    [
      'import people',
      4,
      () => imported('people', people(), { accept: isLucky(0.3), closeMissing: isLucky(0.2), closeLimit: 99 }),
    ],
    [
      'import groups',
      1,
      () =>
        imported(
          'groups',
          some(GROUPS, 0.5).map((name) => ({ name, description: `Text ${below(3)}` })),
          {},
        ),
    ],
    [
      'rename groups',
      1,
      () =>
        imported(
          'groups',
          some(ids('groups'), 0.5).map((id) => ({ id, name: pick(GROUPS) })),
          {},
        ),
    ],
    [
      'import risks',
      3,
      () => imported('risks', entries('risks'), { project: project(), closeMissing: isLucky(0.5), closeLimit: 99 }),
    ],
    [
      'import issues',
      2,
      () => imported('issues', entries('issues'), { project: project(), closeMissing: isLucky(0.5), closeLimit: 99 }),
    ],
    [
      'sync project',
      2,
      () =>
        write((w) =>
          syncProject(
            w,
            {
              key: project(),
              name: `Name ${below(3)}`,
              risks: entries('risks'),
              issues: entries('issues'),
              closeLimit: 99,
            },
            true,
          ),
        ),
    ],
    [
      'sync personnel',
      2,
      () => write((w) => syncPersonnel(w, { people: people(), groups: some(GROUPS, 0.5).map((name) => ({ name })) })),
    ],
    ['merge', 2, merge],
    [
      'edit person',
      2,
      () =>
        write((w) =>
          changePerson(w, pick(ids('person')) ?? '', maybe({ title: `Title ${below(4)}`, email: pick(EMAILS) })),
        ),
    ],
    ['edit group', 1, () => write((w) => changeGroup(w, pick(ids('groups')) ?? '', { name: pick(GROUPS) }))],
    ['add member', 1, () => write((w) => addMember(w, pick(ids('groups')) ?? '', pick(ids('person')) ?? ''))],
    ['remove group', 0.3, removal],
    [
      'erase',
      mayErase ? 0.3 : 0,
      () => erasePerson(inShortWrites(store, { by: 'cli', at: clock }), pick(ids('person')) ?? ''),
    ],
    ['undo', 6, () => undo(pick(runs().slice(-8)), 'undo')],
    ['undo twice', 3, undoTwice],
  ]
  const total = steppers.reduce((sum, [, share]) => sum + share, 0)
  const choose = () => {
    let left = chance() * total
    for (const stepper of steppers) {
      left -= stepper[1]
      if (left < 0) return stepper
    }
    throw new Error('There is nothing to choose from.')
  }

  try {
    for (let at = 0; at < steps; at++) {
      const [name, , work] = choose()
      trail.push(name)
      try {
        await work()
        counted(name)
      } catch (error) {
        if (!(error instanceof Refused || error instanceof Fault)) throw error
        if (error instanceof Fault && error.code === 'INTERNAL') throw error
        trail.push(`  refused: ${error.message}`)
        counted('refused')
      }
      replay().checkSound()
    }
    await store.snapshot(async (read) => {
      for (const [name, differences] of Object.entries(DERIVED))
        for await (const { what } of differences(read)) throw new Error(`${name}: ${what}`)
    })
  } catch (error) {
    throw new Error(`Seed ${seed}, step ${trail.length}:\n${trail.join('\n')}`, { cause: error })
  } finally {
    await store.close()
    own.remove()
  }
}
