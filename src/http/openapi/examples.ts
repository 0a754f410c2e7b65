import { KeyMissing } from '../../auth/principal.js'
import { DETAILS } from '../../details.js'
import type { Code } from '../../errors.js'
import type { Fields } from '../../fields.js'
import { SHEETS } from '../../nouns.js'
import { GROUP } from '../../personnel/groups.js'
import { PERSON } from '../../personnel/people.js'
import { PROJECT } from '../../projects/projects.js'
import { cursorGone } from '../../store/query/page.js'
import { capitalized, HELD_NOUNS, type HeldNoun, NOUNS, type NounName } from '../../vocabulary.js'

/** An example of where to resume a feed. */
export const FEED_CURSOR = 'ZmM0YzQxOTNbImZlZWQiLDQyLDIwNDI5NjMzMTQ3MjQ0XQ'

/** The examples of the input fields of a noun, as values. */
function inputExamples({ [DETAILS]: _, ...fields }: Fields): Record<string, unknown> {
  const readings = Object.entries(fields).map(([name, { example, read }]) => [name, read(example)] as const)
  return Object.fromEntries(readings.flatMap(([name, reading]) => ('value' in reading ? [[name, reading.value]] : [])))
}

/** The examples of an entry: those that its members have, its id, and who holds it. */
function entryExamples(noun: HeldNoun) {
  const { holder, plural, prefix } = NOUNS[noun]
  const held = { [holder]: 'ada@example.com', [`${holder}Id`]: PERSON_ID, [`${holder}Name`]: 'A. Lovelace' }
  const own: Readonly<Partial<Record<NounName, object>>> = {
    risk: { score: 20, level: 'CRITICAL', rank: 1, residualScore: 8, residualLevel: 'MEDIUM' },
    issue: { id: ISSUE_ID, risk: 'R-7', riskId: RISK_ID },
  }
  return { ...inputExamples(SHEETS[plural].facts), id: `${prefix}_${ENTRY_TAIL}`, ...own[noun], ...held }
}

const ENTRY_TAIL = '01k9zq3v5rgs3j6w8r0xk4ntcy'
const PERSON_ID = 'usr_01k9zq3v5rf8ta4mbw2xnc7dhe'
const GROUP_ID = 'grp_01k9zq3v5re4zw8n6t1ykj0pqs'
const RISK_ID = `rsk_${ENTRY_TAIL}`
const ISSUE_ID = 'iss_01k9zq3v5rh7d1p9m3zf6avqke'

/** A realistic example for each field of a body and each required parameter, by its type; an enum without an entry shows its first value. */
const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Person: { ...inputExamples(PERSON.facts), id: PERSON_ID, groupIds: [GROUP_ID], mergedInto: null },
  Group: { ...inputExamples(GROUP.facts), id: GROUP_ID, memberCount: 7, personId: PERSON_ID },
  RemovedGroup: { id: GROUP_ID },
  Project: {
    ...inputExamples(PROJECT.facts),
    id: 'prj_01k9zq3v5rdm9c2h5e7gq1vbxa',
    idOrKey: PROJECT.facts.key.example,
    openRiskCount: 9,
    criticalRiskCount: 2,
    overdueIssueCount: 1,
    openIssueCount: 6,
    topRiskScore: 20,
    mode: 'FULL',
    closeLimit: 3,
  },
  ...Object.fromEntries(HELD_NOUNS.map((noun) => [capitalized(noun), entryExamples(noun)])),
  Detail: { name: 'Cost', text: '12,000 EUR' },
  RiskMatrix: { unassessed: 2, unplaced: 0 },
  RiskMatrixCell: { likelihood: 4, impact: 5, count: 3 },
  RiskLevelCount: { level: 'CRITICAL', count: 3 },
  IssueCounts: { total: 6 },
  IssueSeverityCount: { severity: 'HIGH', count: 4 },
  IssueStatusCount: { count: 4 },
  Change: {
    id: '42',
    cursor: FEED_CURSOR,
    action: 'UPDATED',
    entity: 'RISK',
    entityId: RISK_ID,
    reference: 'R-7',
    title: 'Steel arrives late',
    by: 'key_01k9zq3v5rj2b5n8c4yhw6tmas',
  },
  ImportRun: {
    id: 'imp_01k9zq3v5rf8ta4mbw2xnc7dhe',
    source: 'register',
    file: 'register-2026-11-17.xlsx',
    operator: 'ada',
  },
  FieldChange: { field: 'title', from: 'Steel arrives', to: 'Steel arrives late' },
  Movements: { since: '2026-10-01T00:00:00.000Z' },
  MovementCounts: { new: 0, closed: 0, up: 1, down: 0, unchanged: 8, opened: 0, resolved: 0, worse: 1, slipped: 0 },
  RiskMovement: {
    id: RISK_ID,
    reference: 'R-7',
    title: 'Steel arrives late',
    movement: 'UP',
    scoreFrom: 12,
    scoreTo: 20,
    levelFrom: 'HIGH',
    levelTo: 'CRITICAL',
    rankFrom: 4,
    rankTo: 1,
  },
  IssueMovement: {
    id: ISSUE_ID,
    reference: 'I-12',
    title: 'Crane permit refused',
    movement: 'WORSE',
    severityFrom: 'MEDIUM',
    severityTo: 'HIGH',
  },
  RiskTrend: { from: '2026-01-01', to: '2026-12-31' },
  RiskTrendPoint: { live: 9, unassessed: 1, low: 2, medium: 3, high: 2, critical: 1, score: 78 },
  OverdueByPerson: { on: '2026-12-31', total: 4 },
  OverduePerson: { personId: PERSON_ID, overdueIssueCount: 2, openIssueCount: 5, overdueRiskCount: 1, riskCount: 3 },
  ApiKey: { name: 'spreadsheet', scopes: ['personnel.read', 'projects.manage'], projects: ['APOLLO'] },
  // Without members, because the people of the example have groups.
  Personnel: { leavers: 'KEEP', leaverLimit: 3, groups: [{ name: 'Bridge inspectors', externalId: 'DIR-42' }] },
  SyncPersonInput: { groups: ['Bridge inspectors'] },
  SyncGroupInput: { members: ['ada@example.com', 'HR-1906'] },
  SyncCounts: { created: 1, updated: 2, unchanged: 17, closed: 0 },
  SyncWarning: {
    pointer: '/risks/3/owner',
    detail: 'Nobody on the roster has the e-mail, user id, externalId or name "B. Franklin".',
  },
}

export const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: '2027-01-31',
  'date-time': '2027-01-31T09:30:00.000Z',
}

/** Input types share the examples of their noun, unless they have their own: `AddPersonInput.name` uses `Person.name`. */
const INPUT = /^(?:Add|Change|Sync)?(\w+)Input/

export function fieldExample(type: string, field: string): unknown {
  return EXAMPLES[type]?.[field] ?? EXAMPLES[type.replace(INPUT, '$1')]?.[field]
}

const TAKEN = 'The e-mail belongs to Ada Lovelace (usr_01k9zq3v5rf8ta4mbw2xnc7dhe).'

const NO_LEVEL = 'Must be one of CRITICAL, HIGH, LOW, MEDIUM, UNASSESSED.'

/** The members of a problem besides its code: each is a real response to such a request. */
export const PROBLEM_EXAMPLES: Readonly<Partial<Record<Code, Readonly<Record<string, unknown>>>>> = {
  BAD_REQUEST: {
    detail: `The query parameters cannot be used as given. level: ${NO_LEVEL}`,
    errors: [{ parameter: 'level', detail: NO_LEVEL }],
  },
  UNAUTHENTICATED: { detail: new KeyMissing().message },
  INSUFFICIENT_SCOPE: {
    detail: 'This needs a key with the scope personnel.read.',
    requiredScope: 'personnel.read',
  },
  NOT_FOUND: { detail: 'There is no person at /v1/personnel/usr_01k9zq3v5rf8ta4mbw2xnc7dhe.' },
  NOT_ACCEPTABLE: { detail: 'Only application/json or text/csv is available here. Change the Accept header.' },
  CONFLICT: {
    detail: `A person with this e-mail is already there. ${TAKEN}`,
    existingId: 'usr_01k9zq3v5rf8ta4mbw2xnc7dhe',
    errors: [{ pointer: '/email', detail: TAKEN }],
  },
  CURSOR_GONE: { detail: cursorGone().message },
  PRECONDITION_FAILED: { detail: 'This has changed since you read it. Read it again, and retry with its ETag.' },
  VALIDATION_FAILED: {
    detail: 'This person cannot be added as given. email: Must be an e-mail address, such as ada@example.com.',
    errors: [{ pointer: '/email', detail: 'Must be an e-mail address, such as ada@example.com.' }],
  },
}
