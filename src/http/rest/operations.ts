/**
 * The GraphQL operations behind the REST routes. A response body has exactly the fields selected here, so a new field
 * of the schema is not added to /v1 by accident. A fragment's name is the name of its schema in the OpenAPI document;
 * a variable is a parameter, and `$input` is the request body.
 */

const PERSON = `fragment Person on Person {
  id name email externalId title department status groups { ...GroupRef } createdAt updatedAt
} fragment GroupRef on Group { id name }`

const GROUP = `fragment Group on Group {
  id name externalId description memberCount createdAt updatedAt
}`

const PROJECT = `fragment Project on Project {
  id key name description url status openRiskCount openIssueCount topRiskScore syncedAt createdAt updatedAt
}`

const SYNC_RESULT = `fragment SyncResult on SyncResult {
  project { ...Project } risks { ...SyncCounts } issues { ...SyncCounts } warnings { ...SyncWarning }
} fragment SyncWarning on SyncWarning { pointer detail }
fragment SyncCounts on SyncCounts { created updated unchanged closed }`

const PROJECT_REF = 'fragment ProjectRef on Project { id key name }'
const REFS = `${PROJECT_REF} fragment PersonRef on Person { id name }`

const RISK = `fragment Risk on Risk {
  id reference project { ...ProjectRef } title description category likelihood impact score level rank
  status response owner { ...PersonRef } ownerId ownerName url raisedOn reviewOn createdAt updatedAt
} ${REFS}`

const ISSUE = `fragment Issue on Issue {
  id reference project { ...ProjectRef } title description severity status assignee { ...PersonRef }
  assigneeId assigneeName
  riskId url raisedOn dueOn createdAt updatedAt
} ${REFS}`

const PAGE = 'pageInfo { hasNextPage endCursor } totalCount @include(if: $total)'

/** Lists the risks of one entity, whose filter `fixed` comes from the path. */
const risksOf = (name: string, path: string, fixed: string, others: string, given: string) => `query ${name}(
    ${path}, ${others}, $status: [RiskStatus!], $level: [RiskLevel!], $minScore: Int, $likelihood: Int, $impact: Int,
    $category: [String!], $reviewBefore: Date, $search: String, $updatedSince: DateTime,
    $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    risks(first: $limit, after: $cursor, filter: {
      ${fixed}, ${given}, status: $status, level: $level, minScore: $minScore, likelihood: $likelihood, impact: $impact,
      category: $category, reviewBefore: $reviewBefore, search: $search, updatedSince: $updatedSince
    }) { nodes { ...Risk } ${PAGE} }
  } ${RISK}`

const issuesOf = (name: string, path: string, fixed: string, others: string, given: string) => `query ${name}(
    ${path}, ${others}, $severity: [IssueSeverity!], $status: [OpenIssueStatus!], $risk: [ID!], $dueBefore: Date,
    $search: String, $updatedSince: DateTime, $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    issues(first: $limit, after: $cursor, filter: {
      ${fixed}, ${given}, severity: $severity, status: $status, risk: $risk, dueBefore: $dueBefore,
      search: $search, updatedSince: $updatedSince
    }) { nodes { ...Issue } ${PAGE} }
  } ${ISSUE}`

const FIELD_CHANGE = 'fragment FieldChange on FieldChange { field from to }'

/** The history of one entity: a nested list, so always paged. */
const historyOf = (name: string, root: string, parameter = 'id') => `query ${name}(
    $${parameter}: ID!, $since: DateTime, $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    ${root}(id: $${parameter}) {
      history(first: $limit, after: $cursor, filter: { since: $since }) { nodes { ...Change } ${PAGE} }
    }
  } fragment Change on Change { id action recordedAt effectiveOn fields { ...FieldChange } } ${FIELD_CHANGE}`

const MOVEMENTS = `fragment Movements on Movements {
  since until counts { ...MovementCounts } risks { ...RiskMovement } issues { ...IssueMovement }
  projects { ...ProjectMovements }
} fragment MovementCounts on MovementCounts { new closed up down unchanged opened resolved worse slipped }
fragment RiskMovement on RiskMovement {
  id reference title project { ...ProjectRef } movement scoreFrom scoreTo levelFrom levelTo rankFrom rankTo
} fragment IssueMovement on IssueMovement {
  id reference title project { ...ProjectRef } movement severityFrom severityTo dueFrom dueTo
} fragment ProjectMovements on ProjectMovements { project { ...ProjectRef } counts { ...MovementCounts } } ${PROJECT_REF}`

const RISK_TREND = `fragment RiskTrend on RiskTrend { points { ...RiskTrendPoint } }
fragment RiskTrendPoint on RiskTrendPoint { on live unassessed low medium high critical score }`

export const OPERATIONS = {
  listPersonnel: `query listPersonnel(
    $status: [PersonStatus!], $group: [ID!], $department: [String!], $search: String, $email: String, $externalId: String,
    $updatedSince: DateTime, $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    personnel(first: $limit, after: $cursor, filter: {
      status: $status, group: $group, department: $department, search: $search, email: $email, externalId: $externalId,
      updatedSince: $updatedSince
    }) { nodes { ...Person } ${PAGE} }
  } ${PERSON}`,

  addPerson: `mutation addPerson($input: AddPersonInput!) { addPerson(input: $input) { ...Person } } ${PERSON}`,

  getPerson: `query getPerson($id: ID!) { person(id: $id) { ...Person } } ${PERSON}`,

  changePerson: `mutation changePerson($id: ID!, $input: ChangePersonInput!) {
    changePerson(id: $id, input: $input) { ...Person }
  } ${PERSON}`,

  listGroups: `query listGroups(
    $search: String, $updatedSince: DateTime, $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    groups(first: $limit, after: $cursor, filter: { search: $search, updatedSince: $updatedSince }) {
      nodes { ...Group } ${PAGE}
    }
  } ${GROUP}`,

  addGroup: `mutation addGroup($input: AddGroupInput!) { addGroup(input: $input) { ...Group } } ${GROUP}`,

  getGroup: `query getGroup($id: ID!) { group(id: $id) { ...Group } } ${GROUP}`,

  changeGroup: `mutation changeGroup($id: ID!, $input: ChangeGroupInput!) {
    changeGroup(id: $id, input: $input) { ...Group }
  } ${GROUP}`,

  addMember: `mutation addMember($id: ID!, $personId: ID!) { addMember(groupId: $id, personId: $personId) { id } }`,

  removeMember: `mutation removeMember($id: ID!, $personId: ID!) {
    removeMember(groupId: $id, personId: $personId) { id }
  }`,

  listProjects: `query listProjects(
    $status: [ProjectStatus!], $search: String, $updatedSince: DateTime,
    $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    projects(first: $limit, after: $cursor, filter: { status: $status, search: $search, updatedSince: $updatedSince }) {
      nodes { ...Project } ${PAGE}
    }
  } ${PROJECT}`,

  syncProject: `mutation syncProject($input: SyncProjectInput!) {
    syncProject(input: $input) { ...SyncResult }
  } ${SYNC_RESULT} ${PROJECT}`,

  getProject: `query getProject($idOrKey: ID!) { project(id: $idOrKey) { ...Project } } ${PROJECT}`,

  listRisks: `query listRisks(
    $project: [String!], $status: [RiskStatus!], $level: [RiskLevel!], $minScore: Int, $likelihood: Int, $impact: Int,
    $owner: [ID], $category: [String!], $reviewBefore: Date, $search: String, $updatedSince: DateTime,
    $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    risks(first: $limit, after: $cursor, filter: {
      project: $project, status: $status, level: $level, minScore: $minScore, likelihood: $likelihood, impact: $impact,
      owner: $owner, category: $category, reviewBefore: $reviewBefore, search: $search, updatedSince: $updatedSince
    }) { nodes { ...Risk } ${PAGE} }
  } ${RISK}`,

  riskMatrix: `query riskMatrix(
    $project: [String!], $status: [RiskStatus!], $level: [RiskLevel!], $minScore: Int, $likelihood: Int, $impact: Int,
    $owner: [ID], $category: [String!], $reviewBefore: Date, $search: String, $updatedSince: DateTime
  ) {
    riskMatrix(filter: {
      project: $project, status: $status, level: $level, minScore: $minScore, likelihood: $likelihood, impact: $impact,
      owner: $owner, category: $category, reviewBefore: $reviewBefore, search: $search, updatedSince: $updatedSince
    }) { ...RiskMatrix }
  } fragment RiskMatrix on RiskMatrix { cells { ...RiskMatrixCell } unassessed unplaced levels { ...RiskLevelCount } }
  fragment RiskMatrixCell on RiskMatrixCell { likelihood impact count }
  fragment RiskLevelCount on RiskLevelCount { level count }`,

  getRisk: `query getRisk($id: ID!) { risk(id: $id) { ...Risk } } ${RISK}`,

  listIssues: `query listIssues(
    $project: [String!], $severity: [IssueSeverity!], $status: [OpenIssueStatus!], $assignee: [ID], $risk: [ID!],
    $dueBefore: Date,
    $search: String, $updatedSince: DateTime, $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    issues(first: $limit, after: $cursor, filter: {
      project: $project, severity: $severity, status: $status, assignee: $assignee, risk: $risk, dueBefore: $dueBefore,
      search: $search, updatedSince: $updatedSince
    }) { nodes { ...Issue } ${PAGE} }
  } ${ISSUE}`,

  issueCounts: `query issueCounts(
    $project: [String!], $severity: [IssueSeverity!], $status: [OpenIssueStatus!], $assignee: [ID], $risk: [ID!],
    $dueBefore: Date, $search: String, $updatedSince: DateTime
  ) {
    issueCounts(filter: {
      project: $project, severity: $severity, status: $status, assignee: $assignee, risk: $risk, dueBefore: $dueBefore,
      search: $search, updatedSince: $updatedSince
    }) { ...IssueCounts }
  } fragment IssueCounts on IssueCounts {
    total severities { ...IssueSeverityCount } statuses { ...IssueStatusCount }
  } fragment IssueSeverityCount on IssueSeverityCount { severity count }
  fragment IssueStatusCount on IssueStatusCount { status count }`,

  getIssue: `query getIssue($id: ID!) { issue(id: $id) { ...Issue } } ${ISSUE}`,

  listMembers: `query listMembers(
    $id: ID!, $status: [PersonStatus!], $department: [String!], $search: String, $email: String, $externalId: String,
    $updatedSince: DateTime, $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    personnel(first: $limit, after: $cursor, filter: {
      group: [$id], status: $status, department: $department, search: $search, email: $email, externalId: $externalId,
      updatedSince: $updatedSince
    }) { nodes { ...Person } ${PAGE} }
  } ${PERSON}`,

  listProjectRisks: risksOf(
    'listProjectRisks',
    '$idOrKey: String!',
    'project: [$idOrKey]',
    '$owner: [ID]',
    'owner: $owner',
  ),

  listProjectIssues: issuesOf(
    'listProjectIssues',
    '$idOrKey: String!',
    'project: [$idOrKey]',
    '$assignee: [ID]',
    'assignee: $assignee',
  ),

  listPersonRisks: risksOf('listPersonRisks', '$id: ID!', 'owner: [$id]', '$project: [String!]', 'project: $project'),

  listPersonIssues: issuesOf(
    'listPersonIssues',
    '$id: ID!',
    'assignee: [$id]',
    '$project: [String!]',
    'project: $project',
  ),

  personHistory: historyOf('personHistory', 'person'),
  groupHistory: historyOf('groupHistory', 'group'),
  projectHistory: historyOf('projectHistory', 'project', 'idOrKey'),
  riskHistory: historyOf('riskHistory', 'risk'),
  issueHistory: historyOf('issueHistory', 'issue'),

  getMovements: `query getMovements($since: DateTime!, $until: DateTime, $project: [String!], $level: [RiskLevel!]) {
    movements(since: $since, until: $until, filter: { project: $project, level: $level }) { ...Movements }
  } ${MOVEMENTS}`,

  getRiskTrend: `query getRiskTrend($from: Date!, $to: Date!, $step: TrendStep = DAY, $project: [String!]) {
    riskTrend(from: $from, to: $to, step: $step, filter: { project: $project }) { ...RiskTrend }
  } ${RISK_TREND}`,

  listChanges: `query listChanges(
    $entity: [EntityKind!], $project: [String!], $since: DateTime, $limit: Int, $cursor: String, $by: Boolean = false
  ) {
    changes(first: $limit, after: $cursor, filter: { entity: $entity, project: $project, since: $since }) {
      nodes { ...FeedEntry } pageInfo { hasNextPage endCursor }
    }
  } fragment FeedEntry on Change {
    id recordedAt effectiveOn action entity entityId reference title project { ...ProjectRef } by @include(if: $by)
    fields { ...FieldChange }
  } ${PROJECT_REF} ${FIELD_CHANGE}`,

  getKey: 'query getKey { apiKey { ...ApiKey } } fragment ApiKey on ApiKey { name scopes projects expiresAt }',
} as const

export type OperationName = keyof typeof OPERATIONS
