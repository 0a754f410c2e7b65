import { eq } from 'drizzle-orm'
import { addPerson } from '../../src/personnel/people.js'
import type { Write } from '../../src/store/store.js'
import {
  addGroup,
  addIssue,
  addProject,
  addRisk,
  deactivatePerson,
  details,
  issue,
  project,
  risk,
} from '../support/fixtures.js'
import { type AtEnd, type Caller, type Gateway, NOW, openGateway, type TestResponse } from '../support/harness.js'

export const EARLIER = '2026-01-05T08:00:00.000Z'
export const LATER = NOW.toISOString()

export interface ContractStage {
  readonly gateway: Gateway
  readonly caller: Caller
  /** The ids of stored rows, by the names that the tests use. */
  readonly ids: Readonly<Record<string, string>>
  /** Fills the `{word}`s of a path with ids. */
  get(path: string): Promise<TestResponse>
}

/** All rows were stored at `EARLIER`, except for Åsa, Zulu team, HARBOR-2, R-4 and I-4, at `LATER`. */
export async function openContract(atEnd?: AtEnd, gateway: Gateway = openGateway({}, atEnd)): Promise<ContractStage> {
  const ids: Record<string, string> = {}
  const at = <T>(instant: string, work: (write: Write) => Promise<T>) =>
    gateway.store.write({ by: 'cli', at: () => new Date(instant) }, work)
  await at(EARLIER, async (write) => {
    ids['alpha'] = await addGroup(write, { name: 'alpha Team', description: 'Whoever comes first.' })
    ids['empty'] = await addGroup(write, { name: 'Empty', description: null })
    const inAlpha = { groupIds: [ids['alpha']] }
    for (const person of [
      { name: 'Zoë', email: 'zoe@example.com' },
      { name: 'bea', email: 'Bea@Example.com', title: 'Engineer', department: 'Bridges', ...inAlpha },
      { name: 'Ada', externalId: 'HR-7', ...inAlpha },
      // Full-width letters: folded, it is "cleo".
      { name: 'Ｃleo', email: 'c_leo@example.com' },
      { name: 'Gone', email: 'gone@example.com', ...inAlpha },
    ]) {
      ids[person.name] = (await addPerson(write, person)).id
    }
    await deactivatePerson(write, ids['Gone'] ?? '')
    ids['apollo'] = await addProject(write, project())
    ids['harbor'] = await addProject(write, project({ key: 'HARBOR-2', name: 'Harbour', status: 'ON_HOLD' }))
    await addProject(write, project({ key: 'OLD', name: 'Old works', status: 'CLOSED' }))
  })
  const { apollo = '', harbor = '', Ada: ownerId = '', Zoë: assigneeId = '' } = ids
  await at(EARLIER, async (write) => {
    for (const draft of [
      risk(harbor, { reference: 'R-8', title: 'Unjudged 100% loss', likelihood: null, impact: null }),
      risk(apollo, { reference: 'R-7', title: 'Rust', likelihood: 1, impact: 2, category: 'Weather' }),
      risk(harbor, {
        reference: 'R-6',
        title: 'Noise',
        scoreGiven: 6,
        likelihood: null,
        impact: null,
        reviewOn: '2026-05-02',
      }),
      risk(apollo, { reference: 'R-5', title: 'Frost', likelihood: 3, impact: 4, raisedOn: '2026-02-01' }),
      risk(apollo, { reference: 'R-3', title: 'Ship sinks', likelihood: 5, impact: 4, category: 'supply', ownerId }),
      risk(harbor, { reference: 'R-2', title: 'Storm', likelihood: 4, impact: 5, ownerName: 'A stranger' }),
      risk(apollo, {
        ...{ reference: 'R-1', likelihood: 5, impact: 5, category: 'Supply', reviewOn: '2026-05-01', ownerId },
        ...{
          mitigation: 'Second mill',
          cause: 'One mill',
          dueOn: '2026-06-01',
          residualLikelihood: 2,
          residualImpact: 4,
        },
        details: details({ Cost: '12,000 EUR', Affected: 'Schedule' }),
      }),
      risk(apollo, { reference: 'R-9', likelihood: 5, impact: 5, status: 'CLOSED', raisedOn: '2026-03-02' }),
    ]) {
      ids[draft.reference] = await addRisk(write, draft)
    }
    const riskId = ids['R-1'] ?? null
    for (const draft of [
      issue(apollo, {
        reference: 'I-3',
        title: 'Dock shut',
        severity: 'HIGH',
        status: 'BLOCKED',
        raisedOn: '2026-01-31',
      }),
      issue(harbor, { reference: 'I-2', title: 'Strike', severity: 'HIGH', status: 'IN_PROGRESS', assigneeId }),
      issue(apollo, { reference: 'I-1', severity: 'CRITICAL', dueOn: '2026-11-30', assigneeId, riskId }),
      issue(apollo, { reference: 'I-5', title: 'Crane fixed', severity: 'CRITICAL', status: 'RESOLVED' }),
      issue(harbor, { reference: 'I-6', title: 'Crane sold', severity: 'CRITICAL', status: 'CLOSED' }),
    ]) {
      ids[draft.reference] = await addIssue(write, draft)
    }
  })
  const r4 = risk(harbor, { reference: 'R-4', title: 'Flood', likelihood: 3, impact: 4, status: 'OCCURRED' })
  const i4 = issue(harbor, { reference: 'I-4', title: 'Lamp broken', severity: 'LOW', dueOn: '2026-12-01' })
  await at(LATER, async (write) => {
    ids['zulu'] = await addGroup(write, { name: 'Zulu team', description: null })
    ids['Åsa'] = (await addPerson(write, { name: 'Åsa', email: 'asa@example.com', groupIds: [ids['zulu']] })).id
    const { project } = write.t
    await write.db.update(project).set({ updatedAt: write.at }).where(eq(project.key, 'HARBOR-2'))
    ids['R-4'] = await addRisk(write, r4)
    ids['I-4'] = await addIssue(write, i4)
  })
  const caller = await gateway.as('personnel.manage', 'projects.read')
  const get = (path: string) => caller.get(path.replace(/\{(.+?)\}/g, (_, word) => ids[word] ?? word))
  return { gateway, caller, ids, get }
}
