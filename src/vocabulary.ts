/** The enums of the domain. Types, GraphQL enums, CHECK constraints and documents are derived from them. */

export const PERSON_STATUSES = ['ACTIVE', 'INACTIVE'] as const
export type PersonStatus = (typeof PERSON_STATUSES)[number]

export const PROJECT_STATUSES = ['ACTIVE', 'ON_HOLD', 'CLOSED'] as const
export type ProjectStatus = (typeof PROJECT_STATUSES)[number]

export const RISK_STATUSES = ['OPEN', 'OCCURRED', 'CLOSED'] as const
export type RiskStatus = (typeof RISK_STATUSES)[number]
export const LIVE_RISK_STATUSES = ['OPEN', 'OCCURRED'] as const satisfies readonly RiskStatus[]

export const RISK_RESPONSES = ['AVOID', 'MITIGATE', 'TRANSFER', 'ACCEPT'] as const

/** Likelihood and impact run from 1 to this. */
export const ASSESSMENT_MAX = 5
/** A score is likelihood x impact, or as given: from 0 to this. */
export const SCORE_MAX = ASSESSMENT_MAX * ASSESSMENT_MAX

export const RISK_LEVELS = ['UNASSESSED', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

/** The lowest score of each level; a level ends where the next begins. */
export const LEVEL_FLOORS: Record<RiskLevel, number> = { UNASSESSED: 0, LOW: 1, MEDIUM: 5, HIGH: 10, CRITICAL: 20 }

/** From least to most severe: the index is what issues are ordered by. */
export const ISSUE_SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const
export type IssueSeverity = (typeof ISSUE_SEVERITIES)[number]

export const ISSUE_STATUSES = ['OPEN', 'IN_PROGRESS', 'BLOCKED', 'RESOLVED', 'CLOSED'] as const
export type IssueStatus = (typeof ISSUE_STATUSES)[number]
export const OPEN_ISSUE_STATUSES = ['OPEN', 'IN_PROGRESS', 'BLOCKED'] as const satisfies readonly IssueStatus[]

/** Who has a risk or an issue; each has exactly one of them. */
export const OWNERSHIPS = ['NONE', 'NAMED', 'PERSON', 'LEFT'] as const
export type Ownership = (typeof OWNERSHIPS)[number]

/** Sorts after every day. */
export const NO_DAY = '9999-99-99'

/** Kinds of entities, each with a history. */
export const ENTITY_KINDS = ['PERSON', 'GROUP', 'PROJECT', 'RISK', 'ISSUE'] as const
export type EntityKind = (typeof ENTITY_KINDS)[number]

export const CHANGE_ACTIONS = ['CREATED', 'UPDATED', 'CLOSED', 'ERASED', 'REMOVED'] as const
export type ChangeAction = (typeof CHANGE_ACTIONS)[number]

/** What a run of an import is: of files, of the API, of another run to be undone, or of two people who are one. */
export const IMPORT_KINDS = ['IMPORT', 'SYNC', 'UNDO', 'MERGE'] as const

/** The longest text of each kind, in code points. `headline` is the title of a risk or an issue. */
export const TEXT_MAX = {
  name: 200,
  email: 254,
  externalId: 200,
  title: 200,
  headline: 500,
  department: 200,
  description: 10_000,
  category: 200,
  reference: 100,
  projectKey: 50,
  url: 2_000,
  detailName: 100,
  detailText: 2_000,
  search: 200,
  /** For ids and names that refer to something: as long as the longest name, an e-mail. */
  id: 254,
} as const
export type TextKind = keyof typeof TEXT_MAX

/** The most details of one entity. */
export const DETAILS_MAX = 50
