import { KeyMissing } from '../../auth/principal.js'
import type { Code } from '../../errors.js'
import { cursorGone } from '../../store/query/page.js'

/** An example of where to resume a feed. */
export const FEED_CURSOR = 'ZmM0YzQxOTNbImZlZWQiLDQyLDIwNDI5NjMzMTQ3MjQ0XQ'

/** A realistic example for each field of a body; an enum without an entry shows its first value. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  'Person.id': 'usr_01k9zq3v5rf8ta4mbw2xnc7dhe',
  'Person.name': 'Ada Lovelace',
  'Person.email': 'ada@example.com',
  'Person.externalId': 'HR-1815',
  'Person.title': 'Lead engineer',
  'Person.department': 'Engineering',
  'Group.id': 'grp_01k9zq3v5re4zw8n6t1ykj0pqs',
  'Group.name': 'Bridge inspectors',
  'Group.externalId': 'DIR-42',
  'Group.description': 'People who may sign off an inspection.',
  'Group.memberCount': 7,
  'Project.id': 'prj_01k9zq3v5rdm9c2h5e7gq1vbxa',
  'Project.key': 'APOLLO',
  'Project.name': 'Apollo bridge renewal',
  'Project.description': 'Renewal of the bridge over the river.',
  'Project.url': 'https://projects.example.com/apollo',
  'Project.openRiskCount': 9,
  'Project.openIssueCount': 6,
  'Project.topRiskScore': 20,
  'Risk.id': 'rsk_01k9zq3v5rgs3j6w8r0xk4ntcy',
  'Risk.reference': 'R-7',
  'Risk.title': 'Steel arrives late',
  'Risk.description': 'The mill has a backlog of ten weeks.',
  'Risk.category': 'Supply',
  'Risk.likelihood': 4,
  'Risk.impact': 5,
  'Risk.score': 20,
  'Risk.level': 'CRITICAL',
  'Risk.rank': 1,
  'Risk.ownerId': 'usr_01k9zq3v5rf8ta4mbw2xnc7dhe',
  'Risk.ownerName': 'A. Lovelace',
  'Risk.url': 'https://projects.example.com/apollo/risks/7',
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
  'Issue.reference': 'I-12',
  'Issue.title': 'Crane permit refused',
  'Issue.description': 'The city wants a new traffic plan first.',
  'Issue.assigneeId': 'usr_01k9zq3v5rf8ta4mbw2xnc7dhe',
  'Issue.assigneeName': 'A. Lovelace',
  'Issue.riskId': 'rsk_01k9zq3v5rgs3j6w8r0xk4ntcy',
  'Issue.url': 'https://projects.example.com/apollo/issues/12',
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
  'ApiKey.name': 'spreadsheet',
  'ApiKey.scopes': ['personnel.read', 'projects.manage'],
  'ApiKey.projects': ['APOLLO'],
  'Project.closeLimit': 3,
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
