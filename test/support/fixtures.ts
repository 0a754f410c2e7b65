import { eq } from 'drizzle-orm'
import type { DetailsChange } from '../../src/details.js'
import { type GroupInput, addGroup as storeGroup } from '../../src/personnel/groups.js'
import { addPerson, changePerson, type PersonInput } from '../../src/personnel/people.js'
import { type IssueRow, issuesLedger, issueWith } from '../../src/projects/issues.js'
import { type ProjectRow, projectsLedger, projectWith } from '../../src/projects/projects.js'
import { type RiskRow, risksLedger, riskWith } from '../../src/projects/risks.js'
import type { Write } from '../../src/store/store.js'
import { ISSUE_SEVERITIES, ISSUE_STATUSES, PERSON_STATUSES, RISK_STATUSES } from '../../src/vocabulary.js'

export const ada: PersonInput = { name: 'Ada Lovelace', email: 'ada@example.com', title: 'Engineer' }
export const grace: PersonInput = { name: 'Grace Hopper', email: 'grace@example.com', externalId: 'HR-7' }

type Derived = 'id' | 'searchFolded' | 'createdAt' | 'updatedAt'
type Draft<Row, D extends string> = NullsLeftOut<Omit<Row, Derived | D | 'details'>> & {
  details?: DetailsChange | null
}
type NullsLeftOut<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: T[K]
}
export type ProjectDraft = Draft<ProjectRow, 'syncedAt'>
export type RiskDraft = Draft<RiskRow, 'categoryFolded' | 'score' | 'live' | 'sortKey' | 'dueKey'>
export type IssueDraft = Draft<IssueRow, 'live' | 'sortKey' | 'dueKey'>

/** Details as a draft has them. */
export function details(texts: Readonly<Record<string, string>>): DetailsChange {
  return { isWhole: true, pairs: Object.entries(texts).map(([name, text]) => ({ name, text })) }
}

export async function addGroup(write: Write, group: GroupInput): Promise<string> {
  return (await storeGroup(write, group)).id
}

export async function deactivatePerson(write: Write, id: string): Promise<void> {
  await changePerson(write, id, { status: 'INACTIVE' })
}

export async function addProject(write: Write, draft: ProjectDraft): Promise<string> {
  const ledger = projectsLedger(write)
  const { row } = ledger.enter(undefined, projectWith(write, undefined, draft))
  await ledger.store()
  return row.id
}

export async function addRisks(write: Write, drafts: readonly RiskDraft[]): Promise<string[]> {
  const ledger = risksLedger(write)
  const ids = drafts.map(({ ownerId, ownerName, ...draft }) => {
    const owner = { id: ownerId, name: ownerName }
    return ledger.enter(undefined, riskWith(write, undefined, { ...draft, owner })).row.id
  })
  await ledger.store()
  return ids
}

export async function addIssues(write: Write, drafts: readonly IssueDraft[]): Promise<string[]> {
  const ledger = issuesLedger(write)
  const ids = drafts.map(({ assigneeId, assigneeName, ...draft }) => {
    const assignee = { id: assigneeId, name: assigneeName }
    return ledger.enter(undefined, issueWith(write, undefined, { ...draft, assignee })).row.id
  })
  await ledger.store()
  return ids
}

export async function addRisk(write: Write, draft: RiskDraft): Promise<string> {
  const [id = ''] = await addRisks(write, [draft])
  return id
}

export async function addIssue(write: Write, draft: IssueDraft): Promise<string> {
  const [id = ''] = await addIssues(write, [draft])
  return id
}

export const project = (overrides: Partial<ProjectDraft> = {}): ProjectDraft => ({
  key: 'APOLLO',
  name: 'Apollo bridge',
  status: 'ACTIVE',
  ...overrides,
})

export const risk = (projectId: string, overrides: Partial<RiskDraft> = {}): RiskDraft => ({
  projectId,
  reference: 'R-1',
  title: 'Steel arrives late',
  likelihood: 3,
  impact: 3,
  status: 'OPEN',
  raisedOn: '2026-03-01',
  ...overrides,
})

export const issue = (projectId: string, overrides: Partial<IssueDraft> = {}): IssueDraft => ({
  projectId,
  reference: 'I-1',
  title: 'Crane permit refused',
  severity: 'MEDIUM',
  status: 'OPEN',
  raisedOn: '2026-03-01',
  ...overrides,
})

/** The ids of the rows of `fillCompany`. */
export interface Company {
  readonly groupIds: readonly string[]
  readonly personIds: readonly string[]
  readonly projectIds: readonly string[]
  readonly riskIds: readonly string[]
  readonly issueIds: readonly string[]
}

/**
 * A small company with something of everything: every status, level and severity, owners and none, ties and strangers.
 * An old one has nothing that the first release had no column for.
 */
export async function fillCompany(write: Write, isOld = false): Promise<Company> {
  const groupIds = [
    await addGroup(write, { name: 'Zulu team', description: null }),
    await addGroup(write, { name: 'alpha Team', description: 'Whoever comes first.' }),
    await addGroup(write, { name: 'Empty', description: null }),
  ]
  const personIds: string[] = []
  for (const [index, name] of ['Ärzte Ünal', 'bea', 'Ada', 'Åsa', 'ada', 'Zoë', 'Chen Li', 'Dmitri'].entries()) {
    const added = await addPerson(write, {
      name,
      ...(index % 3 === 2 ? { externalId: `HR-${index}` } : { email: `p${index}@example.com` }),
      groupIds: groupIds.filter((_, group) => group < 2 && (index + group) % 2 === 0),
    })
    personIds.push(added.id)
  }
  const { person, membership } = write.t
  const left = personIds[7] ?? ''
  await write.db.update(person).set({ status: PERSON_STATUSES[1] }).where(eq(person.id, left))
  await write.db.update(membership).set({ live: 0 }).where(eq(membership.personId, left))

  const projectIds = [
    await addProject(write, project()),
    await addProject(write, project({ key: 'HARBOR-2', name: 'Harbour', status: 'ON_HOLD' })),
    await addProject(write, project({ key: 'OLD', name: 'Old works', status: 'CLOSED' })),
  ]
  const places = Array.from({ length: 40 }, (_, i) => ({ i, projectId: projectIds[i % 3] ?? '' }))
  const riskIds = await addRisks(
    write,
    places.map(({ i, projectId }) => {
      const assessed = i % 7 !== 6
      return risk(projectId, {
        reference: `R-${i}`,
        title: `Risk ${i} of ${i % 2 ? 'Steel' : 'weather'}`,
        category: [null, 'Supply', 'supply', 'Weather'][i % 4] ?? null,
        likelihood: assessed ? 1 + (i % 5) : null,
        impact: assessed ? 1 + (Math.floor(i / 5) % 5) : null,
        status: RISK_STATUSES[i % 5 === 4 ? 2 : i % 3 === 2 ? 1 : 0] ?? 'OPEN',
        ownerId: i % 4 === 0 ? null : (personIds[i % personIds.length] ?? null),
        ownerName: i % 4 === 0 && i % 8 ? 'A stranger' : null,
        raisedOn: `2026-0${1 + (i % 4)}-1${i % 3}`,
        reviewOn: i % 3 ? `2026-0${1 + (i % 9)}-20` : null,
        ...(isOld ? {} : registerFacts(i)),
      })
    }),
  )
  const issueIds = await addIssues(
    write,
    places.map(({ i, projectId }) =>
      issue(projectId, {
        reference: `I-${i}`,
        title: `Issue ${i} with the ${i % 2 ? 'Crane' : 'permit'}`,
        severity: ISSUE_SEVERITIES[i % 4] ?? 'LOW',
        status: ISSUE_STATUSES[i % 5] ?? 'OPEN',
        assigneeId: i % 3 ? (personIds[i % personIds.length] ?? null) : null,
        riskId: i % 6 === 0 ? (riskIds[i] ?? null) : null,
        raisedOn: `2026-0${1 + (i % 5)}-0${1 + (i % 3)}`,
        dueOn: i % 2 ? `2026-1${i % 3}-15` : null,
        details: isOld || i % 4 ? null : details({ Cost: `${i}`, 'Seen by': 'Ünal\n"B"' }),
      }),
    ),
  )
  return { groupIds, personIds, projectIds, riskIds, issueIds }
}

/** What only some registers hold: the seventh risk is unassessed, so that its score is given. */
function registerFacts(i: number): Partial<RiskDraft> {
  return {
    scoreGiven: i % 14 === 6 ? 3 + (i % 20) : null,
    ...(i % 3 === 1 && { mitigation: `Plan ${i}`, cause: 'One\nmill', dueOn: `2026-0${1 + (i % 9)}-20` }),
    ...(i % 5 === 2 && { residualLikelihood: 1 + (i % 3), residualImpact: 1 + (i % 4) }),
    ...(i % 6 === 3 && { details: details({ Trigger: `"${i}" \\ ü`, [`Notes ${i % 2}`]: '=1+1\u2028\u0007' }) }),
  }
}

/** A selection of a person that costs 104; a page of a thousand of them is beyond the limit. */
export const DEAR_PERSON = ['a', 'b', 'c', 'd']
  .map((name) => `${name}: groups { id name externalId description createdAt }`)
  .join(' ')
