import { importRecords } from '../../src/ingest/importers.js'
import { erasePerson } from '../../src/personnel/erasure.js'
import { inShortWrites } from '../../src/store/shortWrites.js'
import type { NounPlural } from '../../src/vocabulary.js'
import { addGroup } from '../support/fixtures.js'
import { type Caller, type Gateway, openGateway } from '../support/harness.js'

export const LATER = new Date('2026-11-03T10:00:00.000Z')
export const QUILLA = {
  name: 'Quilla Zyxwvut',
  email: 'Quilla@zyx.example',
  externalId: 'ZYX-4711',
  title: 'Xylographer',
  department: 'Qanats',
}

export interface QuillasStage {
  readonly gateway: Gateway
  readonly caller: Caller
  readonly groupId: string
  readonly id: string
}

/** Quilla, who had another name before, in a group; the clock is at LATER. */
export async function openWithQuilla(): Promise<QuillasStage> {
  const gateway = openGateway()
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  const groupId = await gateway.write((write) => addGroup(write, { name: 'Bellfounders' }))
  const before = { ...QUILLA, name: 'Quilla Vwxyz', email: 'vwxyz@zyx.example', groupIds: [groupId] }
  const { id } = (await caller.post('/v1/personnel', before)).body
  await caller.patch(`/v1/personnel/${id}`, { name: QUILLA.name, email: QUILLA.email })
  await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@example.com', groupIds: [groupId] })
  gateway.clock.now = LATER
  return { gateway, caller, groupId, id }
}

/** As the command does. */
export const erase = ({ gateway, id }: QuillasStage) =>
  erasePerson(inShortWrites(gateway.store, { by: 'cli', at: () => gateway.clock.now }), id)

/** The violations of an import of these records, which are stored if there are none. */
export async function imported(
  { gateway }: QuillasStage,
  noun: NounPlural,
  records: Record<string, unknown>[],
  project?: string,
) {
  const wording = { place: String, createProjects: '', createGroups: '', closeLimit: '' }
  const sourceRecords = records.map((values, index) => ({ index, values }))
  return gateway
    .write(async (write) => {
      const { violations, counts } = await importRecords(write, noun, sourceRecords, {
        wording,
        project,
        createProjects: true,
        matchPeople: true,
      })
      if (violations.length > 0) throw Object.assign(new Error('refused'), { violations, counts })
      return { violations, counts }
    })
    .catch((refused: { violations: readonly object[]; counts: object }) => refused)
}

/** All stored rows except keys. */
export async function traces({ gateway: { store } }: QuillasStage): Promise<unknown> {
  const { db, t } = store.read
  const tables = [t.person, t.group, t.membership, t.project, t.risk, t.issue, t.change]
  return [await store.version(), ...(await Promise.all(tables.map((table) => db.select().from(table))))]
}

export async function historyOf(caller: Caller, noun: string, id: string) {
  const query = `query ($id: ID!) { ${noun}(id: $id) { history { nodes { action by recordedAt fields { field from to } } } } }`
  return (await caller.graphql(query, { id })).body.data[noun].history.nodes
}
