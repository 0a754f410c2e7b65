import { assertInputObjectType } from 'graphql'
import { SHEETS } from '../../nouns.js'
import { schema } from '../../schema.js'
import type { NounPlural } from '../../vocabulary.js'

/**
 * The GraphQL operations behind the REST routes. A response body has exactly the columns of its sheet, or the fields
 * selected here, so a new field of the schema is not added to /v1 by accident. A fragment's name is the name of its
 * schema in the OpenAPI document; a variable is a parameter, and `$input` is the request body.
 */

/** What a body shows of the columns that are not scalars. */
const NESTED: Readonly<Record<string, string>> = {
  groups: '{ ...GroupRef }',
  project: '{ ...ProjectRef }',
  owner: '{ ...PersonRef }',
  assignee: '{ ...PersonRef }',
  details: '{ ...Detail }',
}

const columnsOf = (noun: NounPlural) =>
  SHEETS[noun].columns.map((column) => (NESTED[column] ? `${column} ${NESTED[column]}` : column)).join(' ')

const DETAIL = 'fragment Detail on Detail { name text }'
const PROJECT_REF = 'fragment ProjectRef on Project { id key name }'
const PERSON_REF = 'fragment PersonRef on Person { id name }'
const REFS = `${PROJECT_REF} ${PERSON_REF}`

const PERSON = `fragment Person on Person { ${columnsOf('people')} mergedInto { ...PersonRef } }
fragment GroupRef on Group { id name } ${PERSON_REF} ${DETAIL}`
const GROUP = `fragment Group on Group { ${columnsOf('groups')} }`
const projectOn = (day = '') =>
  `fragment Project on Project { ${columnsOf('projects')} overdueIssueCount${day} } ${DETAIL}`
const PROJECT = projectOn('(on: $on)')
const RISK = `fragment Risk on Risk { ${columnsOf('risks')} } ${REFS} ${DETAIL}`
const ISSUE = `fragment Issue on Issue { ${columnsOf('issues')} } ${REFS} ${DETAIL}`

const MATRIX = `fragment RiskMatrix on RiskMatrix {
  cells { ...RiskMatrixCell } unassessed unplaced levels { ...RiskLevelCount }
}
fragment RiskMatrixCell on RiskMatrixCell { likelihood impact count }
fragment RiskLevelCount on RiskLevelCount { level count }`

const SYNC_PARTS = `fragment SyncWarning on SyncWarning { pointer detail }
fragment SyncCounts on SyncCounts { created updated unchanged closed }`

const SYNC_RESULT = `fragment SyncResult on SyncResult {
  project { ...Project } risks { ...SyncCounts } issues { ...SyncCounts } warnings { ...SyncWarning }
} ${SYNC_PARTS}`

const PERSONNEL_RESULT = `fragment SyncPersonnelResult on SyncPersonnelResult {
  people { ...SyncCounts } groups { ...SyncCounts } warnings { ...SyncWarning }
} ${SYNC_PARTS}`

const PAGE = 'pageInfo { hasNextPage endCursor } totalCount @include(if: $total)'

/** A parameter of the path that takes the place of a filter. */
const ofPath = (filter: string, as = 'id', type = 'ID!') => ({ filter, as, type })
type PathFilter = ReturnType<typeof ofPath>
const OF_PROJECT = ofPath('project', 'idOrKey', 'String!')

const PAGED = {
  variables: ['$limit: Int', '$cursor: String', '$total: Boolean = false'],
  args: 'first: $limit, after: $cursor, ',
}

const argumentsOf = (root: string) => schema.getQueryType()?.getFields()[root]?.args ?? []

/** The beginning of a query of a root field that takes filters. */
function rootOf(name: string, root: string, path?: PathFilter, more = { variables: [] as string[], args: '' }) {
  const arg = (name: string) => argumentsOf(root).find((one) => one.name === name)
  const filter = assertInputObjectType(arg('filter')?.type)
  const members = filter.getFields()
  const names = (filter.extensions['members'] as string[]).filter((one) => one !== path?.filter)
  const variables = names.map((one) => `$${one}: ${members[one]?.type}`)
  const given = names.map((one) => `${one}: $${one}`)
  if (path) {
    variables.unshift(`$${path.as}: ${path.type}`)
    given.unshift(`${path.filter}: [$${path.as}]`)
  }
  const order = arg('orderBy')
  if (order) variables.push(`$order: ${order.type}`)
  return `query ${name}(${[...variables, ...more.variables].join(', ')}) {
    ${root}(${more.args}${order ? 'orderBy: $order, ' : ''}filter: { ${given.join(', ')} })`
}

/** A list of what `body` shows, page by page. */
function listOf(name: string, root: string, body: string, path?: PathFilter) {
  return `${rootOf(name, root, path, PAGED)} { nodes { ...${typeOf(body)} } ${PAGE} } } ${body}`
}

const typeOf = (body: string) => /^fragment (\w+)/.exec(body)?.[1]

const FIELD_CHANGE = 'fragment FieldChange on FieldChange { field from to }'
const IMPORT_RUN = 'fragment ImportRun on ImportRun { id source file operator }'

/** The parameters of a path that name one entity, and the arguments that they are. */
const named = (parameter: string) => ({ variables: `$${parameter}: ID!`, args: `id: $${parameter}` })
const BY_ID = named('id')
const BY_ID_OR_KEY = named('idOrKey')
const BY_REFERENCE = {
  variables: '$idOrKey: String!, $reference: String!',
  args: 'project: $idOrKey, reference: $reference',
}

/** The history of one entity: a nested list, so always paged. */
const historyOf = (name: string, root: string, by = BY_ID) => `query ${name}(
    ${by.variables}, $since: DateTime, $limit: Int, $cursor: String, $total: Boolean = false
  ) {
    ${root}(${by.args}) {
      history(first: $limit, after: $cursor, filter: { since: $since }) { nodes { ...Change } ${PAGE} }
    }
  } fragment Change on Change { id action recordedAt effectiveOn by import { ...ImportRun } fields { ...FieldChange } }
  ${FIELD_CHANGE} ${IMPORT_RUN}`

const oneOf = (name: string, root: string, body: string, by = BY_ID) =>
  `query ${name}(${by.variables}) { ${root}(${by.args}) { ...${typeOf(body)} } } ${body}`

const changeBy = (name: string, input: string, body: string) =>
  `mutation ${name}($input: ${input}!) { ${name}(input: $input) { ...${typeOf(body)} } } ${body}`

const changeOf = (name: string, input: string, body: string) =>
  `mutation ${name}($id: ID!, $input: ${input}!) { ${name}(id: $id, input: $input) { ...${typeOf(body)} } } ${body}`

/** An operation with the day for `overdueIssueCount`. */
const onDay = (operation: string) => operation.replace(') {', ', $on: Date) {')

const membershipBy = (name: string) =>
  `mutation ${name}($id: ID!, $personId: ID!) { ${name}(groupId: $id, personId: $personId) { id } }`

export const OPERATIONS = {
  listPersonnel: listOf('listPersonnel', 'personnel', PERSON),
  getPerson: oneOf('getPerson', 'person', PERSON),
  addPerson: changeBy('addPerson', 'AddPersonInput', PERSON),
  changePerson: changeOf('changePerson', 'ChangePersonInput', PERSON),
  syncPersonnel: changeBy('syncPersonnel', 'SyncPersonnelInput', PERSONNEL_RESULT),
  listPersonRisks: listOf('listPersonRisks', 'risks', RISK, ofPath('owner')),
  listPersonIssues: listOf('listPersonIssues', 'issues', ISSUE, ofPath('assignee')),
  personHistory: historyOf('personHistory', 'person'),

  listGroups: listOf('listGroups', 'groups', GROUP),
  getGroup: oneOf('getGroup', 'group', GROUP),
  addGroup: changeBy('addGroup', 'AddGroupInput', GROUP),
  changeGroup: changeOf('changeGroup', 'ChangeGroupInput', GROUP),
  removeGroup: 'mutation removeGroup($id: ID!) { removeGroup(id: $id) { id } }',
  listMembers: listOf('listMembers', 'personnel', PERSON, ofPath('group')),
  addMember: membershipBy('addMember'),
  removeMember: membershipBy('removeMember'),
  groupHistory: historyOf('groupHistory', 'group'),

  listProjects: onDay(listOf('listProjects', 'projects', PROJECT)),
  getProject: onDay(oneOf('getProject', 'project', PROJECT, BY_ID_OR_KEY)),
  syncProject: changeBy('syncProject', 'SyncProjectInput', `${SYNC_RESULT} ${projectOn()}`),
  listProjectRisks: listOf('listProjectRisks', 'risks', RISK, OF_PROJECT),
  listProjectIssues: listOf('listProjectIssues', 'issues', ISSUE, OF_PROJECT),
  projectHistory: historyOf('projectHistory', 'project', BY_ID_OR_KEY),
  getProjectRisk: oneOf('getProjectRisk', 'risk', RISK, BY_REFERENCE),
  projectRiskHistory: historyOf('projectRiskHistory', 'risk', BY_REFERENCE),
  getProjectIssue: oneOf('getProjectIssue', 'issue', ISSUE, BY_REFERENCE),
  projectIssueHistory: historyOf('projectIssueHistory', 'issue', BY_REFERENCE),

  listRisks: listOf('listRisks', 'risks', RISK),
  getRisk: oneOf('getRisk', 'risk', RISK),
  riskMatrix: `${rootOf('riskMatrix', 'riskMatrix')} { ...RiskMatrix } } ${MATRIX}`,
  residualMatrix: `${rootOf('residualMatrix', 'residualMatrix')} { ...RiskMatrix } } ${MATRIX}`,
  riskHistory: historyOf('riskHistory', 'risk'),

  listIssues: listOf('listIssues', 'issues', ISSUE),
  getIssue: oneOf('getIssue', 'issue', ISSUE),
  issueCounts: `${rootOf('issueCounts', 'issueCounts')} { ...IssueCounts }
  } fragment IssueCounts on IssueCounts {
    total severities { ...IssueSeverityCount } statuses { ...IssueStatusCount }
  } fragment IssueSeverityCount on IssueSeverityCount { severity count }
  fragment IssueStatusCount on IssueStatusCount { status count }`,
  issueHistory: historyOf('issueHistory', 'issue'),

  listChanges: `query listChanges(
    $entity: [EntityKind!], $project: [String!], $since: DateTime, $limit: Int, $cursor: String
  ) {
    changes(first: $limit, after: $cursor, filter: { entity: $entity, project: $project, since: $since }) {
      nodes { ...FeedEntry } pageInfo { hasNextPage endCursor }
    }
  } fragment FeedEntry on Change {
    id cursor recordedAt effectiveOn action entity entityId reference title project { ...ProjectRef }
    by import { ...ImportRun } fields { ...FieldChange }
  } ${PROJECT_REF} ${FIELD_CHANGE} ${IMPORT_RUN}`,

  getMovements: `query getMovements(
    $since: DateTime!, $until: DateTime, $project: [String!], $level: [RiskLevel!], $projectStatus: [ProjectStatus!],
    $limit: Int, $including: [ID!]
  ) {
    movements(since: $since, until: $until, first: $limit, including: $including,
      filter: { project: $project, level: $level, projectStatus: $projectStatus }) { ...Movements }
  } fragment Movements on Movements {
    since until counts { ...MovementCounts } risks { ...RiskMovement } issues { ...IssueMovement }
    projects { ...ProjectMovements }
  } fragment MovementCounts on MovementCounts { new closed up down unchanged opened resolved worse slipped }
  fragment RiskMovement on RiskMovement {
    id reference title project { ...ProjectRef } movement scoreFrom scoreTo levelFrom levelTo rankFrom rankTo
  } fragment IssueMovement on IssueMovement {
    id reference title project { ...ProjectRef } movement severityFrom severityTo dueFrom dueTo
  } fragment ProjectMovements on ProjectMovements { project { ...ProjectRef } counts { ...MovementCounts } } ${PROJECT_REF}`,

  getRiskTrend: `query getRiskTrend($from: Date!, $to: Date!, $step: TrendStep = DAY, $project: [String!], $projectStatus: [ProjectStatus!]) {
    riskTrend(from: $from, to: $to, step: $step, filter: { project: $project, projectStatus: $projectStatus }) { ...RiskTrend }
  } fragment RiskTrend on RiskTrend { points { ...RiskTrendPoint } }
  fragment RiskTrendPoint on RiskTrendPoint { on live unassessed low medium high critical score }`,

  getOverdue: `query getOverdue($on: Date!, $project: [String!], $projectStatus: [ProjectStatus!], $limit: Int) {
    overdueByPerson(on: $on, first: $limit, filter: { project: $project, projectStatus: $projectStatus }) { ...OverdueByPerson }
  } fragment OverdueByPerson on OverdueByPerson { total people { ...OverduePerson } }
  fragment OverduePerson on OverduePerson {
    person { ...PersonRef } personId name overdueIssueCount openIssueCount overdueRiskCount riskCount
  } ${PERSON_REF}`,

  getKey: 'query getKey { apiKey { ...ApiKey } } fragment ApiKey on ApiKey { name scopes projects expiresAt }',
} as const

export type OperationName = keyof typeof OPERATIONS

const OF_PERSON = 'Needs the scopes `personnel.read` and `projects.read`.'

/** What a route does, where its field says more, as it takes other arguments too. */
export const DESCRIPTIONS: Readonly<Partial<Record<OperationName, string>>> = {
  getPerson: 'One person, by id or e-mail, on the roster or not.',
  getGroup: 'One group, by id or name.',
  getRisk: 'One risk, by id, closed or not.',
  getIssue: 'One issue, by id, open or not.',
  listPersonRisks: `The live risks that the person owns, highest score first. ${OF_PERSON}`,
  listPersonIssues: `The open issues assigned to the person, most severe first. ${OF_PERSON}`,
  getProjectRisk: 'One risk of a project, by its reference there, closed or not.',
  projectRiskHistory: 'The changes of a risk of a project, by its reference there, oldest first.',
  getProjectIssue: 'One issue of a project, by its reference there, open or not.',
  projectIssueHistory: 'The changes of an issue of a project, by its reference there, oldest first.',
}
