import { KeyMissing } from '../../auth/principal.js'
import { DETAILS } from '../../details.js'
import type { Code } from '../../errors.js'
import type { Fields } from '../../fields.js'
import { GROUP_FIELDS } from '../../personnel/groups.js'
import { PERSON_FIELDS } from '../../personnel/people.js'
import { ISSUE_FIELDS } from '../../projects/issues.js'
import { PROJECT_FIELDS } from '../../projects/projects.js'
import { RISK_FIELDS } from '../../projects/risks.js'
import { cursorGone } from '../../store/query/page.js'

/** An example of where to resume a feed. */
export const FEED_CURSOR = 'ZmM0YzQxOTNbImZlZWQiLDQyLDIwNDI5NjMzMTQ3MjQ0XQ'

/** The examples of the input fields of a noun, as values. */
function inputExamples(noun: string, { [DETAILS]: _, ...fields }: Fields): Record<string, unknown> {
  const readings = Object.entries(fields).map(
    ([name, { example, read }]) => [`${noun}.${name}`, read(example)] as const,
  )
  return Object.fromEntries(readings.flatMap(([name, reading]) => ('value' in reading ? [[name, reading.value]] : [])))
}

/** A realistic example for each field of a body; an enum without an entry shows its first value. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...inputExamples('Person', PERSON_FIELDS),
  ...inputExamples('Group', GROUP_FIELDS),
  ...inputExamples('Project', PROJECT_FIELDS),
  ...inputExamples('Risk', RISK_FIELDS),
  ...inputExamples('Issue', ISSUE_FIELDS),
  'Person.id': 'usr_01k9zq3v5rf8ta4mbw2xnc7dhe',
  'Group.id': 'grp_01k9zq3v5re4zw8n6t1ykj0pqs',
  'Group.memberCount': 7,
  'Project.id': 'prj_01k9zq3v5rdm9c2h5e7gq1vbxa',
  'Project.openRiskCount': 9,
  'Project.openIssueCount': 6,
  'Project.topRiskScore': 20,
  'Risk.id': 'rsk_01k9zq3v5rgs3j6w8r0xk4ntcy',
  'Risk.scoreGiven': null,
  'Risk.score': 20,
  'Risk.level': 'CRITICAL',
  'Risk.rank': 1,
  'Risk.residualScore': 8,
  'Risk.residualLevel': 'MEDIUM',
  'Risk.ownerId': 'usr_01k9zq3v5rf8ta4mbw2xnc7dhe',
  'Risk.ownerName': 'A. Lovelace',
  'RiskMatrixCell.likelihood': 4,
  'RiskMatrixCell.impact': 5,
  'RiskMatrixCell.count': 3,
  'RiskMatrix.unassessed': 2,
  'RiskMatrix.unplaced': 0,
  'RiskLevelCount.level': 'CRITICAL',
  'RiskLevelCount.count': 3,
  'IssueCounts.total': 6,
  'IssueSeverityCount.severity': 'HIGH',
  'IssueSeverityCount.count': 4,
  'IssueStatusCount.count': 4,
  'Issue.id': 'iss_01k9zq3v5rh7d1p9m3zf6avqke',
  'Issue.assigneeId': 'usr_01k9zq3v5rf8ta4mbw2xnc7dhe',
  'Issue.assigneeName': 'A. Lovelace',
  'Issue.riskId': 'rsk_01k9zq3v5rgs3j6w8r0xk4ntcy',
  'Detail.name': 'Cost',
  'Detail.text': '12,000 EUR',
  'Change.id': '42',
  'Change.cursor': FEED_CURSOR,
  'Change.action': 'UPDATED',
  'Change.entity': 'RISK',
  'Change.entityId': 'rsk_01k9zq3v5rgs3j6w8r0xk4ntcy',
  'Change.reference': 'R-7',
  'Change.title': 'Steel arrives late',
  'Change.by': 'key_01k9zq3v5rj2b5n8c4yhw6tmas',
  'FieldChange.field': 'title',
  'FieldChange.from': 'Steel arrives',
  'FieldChange.to': 'Steel arrives late',
  'Movements.since': '2026-10-01T00:00:00.000Z',
  'Movements.until': null,
  'MovementCounts.new': 0,
  'MovementCounts.closed': 0,
  'MovementCounts.up': 1,
  'MovementCounts.down': 0,
  'MovementCounts.unchanged': 8,
  'MovementCounts.opened': 0,
  'MovementCounts.resolved': 1,
  'MovementCounts.worse': 0,
  'MovementCounts.slipped': 0,
  'RiskMovement.id': 'rsk_01k9zq3v5rgs3j6w8r0xk4ntcy',
  'RiskMovement.reference': 'R-7',
  'RiskMovement.title': 'Steel arrives late',
  'RiskMovement.movement': 'UP',
  'RiskMovement.scoreFrom': 12,
  'RiskMovement.scoreTo': 20,
  'RiskMovement.levelFrom': 'HIGH',
  'RiskMovement.levelTo': 'CRITICAL',
  'RiskMovement.rankFrom': 4,
  'RiskMovement.rankTo': 1,
  'IssueMovement.id': 'iss_01k9zq3v5rh7d1p9m3zf6avqke',
  'IssueMovement.reference': 'I-12',
  'IssueMovement.title': 'Crane permit refused',
  'IssueMovement.movement': 'RESOLVED',
  'IssueMovement.severityFrom': 'HIGH',
  'IssueMovement.severityTo': null,
  'IssueMovement.dueTo': null,
  'RiskTrendPoint.live': 9,
  'RiskTrendPoint.unassessed': 1,
  'RiskTrendPoint.low': 2,
  'RiskTrendPoint.medium': 3,
  'RiskTrendPoint.high': 2,
  'RiskTrendPoint.critical': 1,
  'RiskTrendPoint.score': 78,
  'ApiKey.name': 'spreadsheet',
  'ApiKey.scopes': ['personnel.read', 'projects.manage'],
  'ApiKey.projects': ['APOLLO'],
  'Project.mode': 'FULL',
  'Project.closeLimit': 3,
  'Personnel.leavers': 'KEEP',
  'Personnel.leaverLimit': 3,
  // Without members, because the people of the example have groups.
  'Personnel.groups': [{ name: 'Bridge inspectors', externalId: 'DIR-42' }],
  'SyncPersonInput.groups': ['Bridge inspectors'],
  'SyncGroupInput.members': ['ada@example.com', 'HR-1906'],
  'Risk.owner': 'ada@example.com',
  'Issue.assignee': 'ada@example.com',
  'Issue.risk': 'R-7',
  'SyncCounts.created': 1,
  'SyncCounts.updated': 2,
  'SyncCounts.unchanged': 17,
  'SyncCounts.closed': 0,
  'SyncWarning.pointer': '/risks/3/owner',
  'SyncWarning.detail': 'Nobody on the roster has the e-mail, user id, externalId or name "B. Franklin".',
  'Person.groupIds': ['grp_01k9zq3v5re4zw8n6t1ykj0pqs'],
  Date: '2027-01-31',
  DateTime: '2027-01-31T09:30:00.000Z',
}

const TAKEN = 'The e-mail belongs to Ada Lovelace (usr_01k9zq3v5rf8ta4mbw2xnc7dhe).'

const NO_LEVEL = 'Must be one of CRITICAL, HIGH, LOW, MEDIUM, UNASSESSED.'

/** The members of a problem besides its code: each is a real response to such a request. */
export const PROBLEM_EXAMPLES: Readonly<
  Partial<Record<Code, { readonly detail: string; readonly [member: string]: unknown }>>
> = {
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
