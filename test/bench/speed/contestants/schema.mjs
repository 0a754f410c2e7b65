/** The SDL and resolvers of the schema-first contestants. */
import { cursorOf } from './cursors.mjs'
import { Refusal } from './people.mjs'
import { detailsOf, levelOf, residualScoreOf } from './store.mjs'

const TIMESTAMPS = 'createdAt: String! updatedAt: String!'
const PAGE = 'pageInfo: PageInfo!'

export const SDL = `
  type Query {
    personnel(first: Int, after: String): PersonConnection
    person(id: ID!): Person
    risks(first: Int, filter: EntryFilter): RiskConnection
    issues(first: Int, filter: EntryFilter): IssueConnection
    projects(first: Int!): ProjectConnection
    groups(first: Int!): GroupConnection
    _entities(representations: [_Any!]!): [_Entity]!
  }
  scalar _Any
  union _Entity = Person | Group | Project | Risk | Issue
  type Mutation { addPerson(input: AddPersonInput!): Person }
  input EntryFilter { project: [String!] }
  input AddPersonInput { name: String! email: String externalId: String title: String department: String }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type PersonEdge { cursor: String! node: Person! }
  type PersonConnection { nodes: [Person!]! edges: [PersonEdge!]! ${PAGE} }
  type RiskConnection { nodes: [Risk!]! ${PAGE} }
  type IssueConnection { nodes: [Issue!]! ${PAGE} }
  type ProjectConnection { nodes: [Project!]! }
  type GroupConnection { nodes: [Group!]! }
  enum ProjectStatus { ACTIVE ON_HOLD CLOSED }
  enum PersonStatus { ACTIVE INACTIVE }
  enum RiskStatus { OPEN OCCURRED CLOSED }
  enum RiskLevel { UNASSESSED LOW MEDIUM HIGH CRITICAL }
  enum RiskResponse { AVOID MITIGATE TRANSFER ACCEPT }
  enum IssueSeverity { LOW MEDIUM HIGH CRITICAL }
  enum IssueStatus { OPEN IN_PROGRESS BLOCKED RESOLVED CLOSED }
  type Person {
    id: ID! name: String! email: String externalId: String title: String department: String status: PersonStatus!
    groups: [Group!]! details: [Detail!]! ${TIMESTAMPS}
  }
  type Detail { name: String! text: String! }
  type Group { id: ID! name: String! memberCount: Int! }
  type Project {
    id: ID! key: String! name: String! status: ProjectStatus! openRiskCount: Int! openIssueCount: Int!
    topRiskScore: Int risks(first: Int!): RiskConnection
  }
  type Risk {
    id: ID! reference: String! project: Project title: String! description: String category: String likelihood: Int
    impact: Int scoreGiven: Int score: Int! level: RiskLevel! rank: Int status: RiskStatus! response: RiskResponse mitigation: String
    cause: String residualLikelihood: Int residualImpact: Int residualScore: Int residualLevel: RiskLevel ownerId: ID
    owner: Person ownerName: String url: String raisedOn: String! reviewOn: String dueOn: String
    details: [Detail!]! ${TIMESTAMPS}
  }
  type Issue {
    id: ID! reference: String! project: Project title: String! description: String severity: IssueSeverity!
    status: IssueStatus! assigneeId: ID assignee: Person assigneeName: String riskId: ID url: String
    raisedOn: String! dueOn: String details: [Detail!]! ${TIMESTAMPS}
  }
`

/** Throws unless the key has the scope. */
export function need({ caller }, scope) {
  if (!caller.may(scope)) throw new Refusal(403, `This needs the scope ${scope}.`)
}

const optional = (value) => value ?? undefined

export function entryPage(list, { rows, hasNext }) {
  const last = rows.at(-1)
  const endCursor = last ? cursorOf(list, last.sortKey, last.raisedOn, last.id) : null
  return { nodes: rows, pageInfo: { hasNextPage: hasNext, endCursor } }
}

/** Entities by reference, as far as the bench requests them. */
function peopleReferredTo(representations) {
  for (const { __typename } of representations) if (__typename !== 'Person') throw new Refusal(400, 'Ask for people.')
  return representations.map(({ id }) => id)
}

const asPerson = (row) => row && { __typename: 'Person', ...row }

/** Details are stored as JSON. */
const details = ({ details = null }) => detailsOf(details)

/** Each look-up is a synchronous prepared statement: with SQLite in the process that is faster than a loader. */
export function resolversOn(store) {
  const project = ({ projectId }) => store.project(projectId)
  // Two fields of a project share one statement.
  const risksIn = (row) => {
    row.risksIn ??= store.risksIn(row.id)
    return row.risksIn
  }
  return {
    Query: {
      personnel(_, { first, after }, context) {
        need(context, 'personnel.read')
        const { rows, hasNext } = store.people(optional(first), optional(after))
        const last = rows.at(-1)
        const endCursor = last ? cursorOf('personnel', last.nameFolded, last.id) : null
        return { nodes: rows, pageInfo: { hasNextPage: hasNext, endCursor } }
      },
      person(_, { id }, context) {
        need(context, 'personnel.read')
        return store.person(id)
      },
      risks(_, { first, filter }, context) {
        need(context, 'projects.read')
        context.rankOf = store.ranks()
        return entryPage('risks', store.risks(first, optional(filter?.project?.[0])))
      },
      issues(_, { first, filter }, context) {
        need(context, 'projects.read')
        return entryPage('issues', store.issues(first, optional(filter?.project?.[0])))
      },
      projects(_, { first }, context) {
        need(context, 'projects.read')
        return { nodes: store.projects(first).rows }
      },
      groups(_, { first }, context) {
        need(context, 'personnel.read')
        return { nodes: store.groups(first).rows }
      },
      _entities(_, { representations }, context) {
        need(context, 'personnel.read')
        return store.peopleByIds(peopleReferredTo(representations)).map(asPerson)
      },
    },
    PersonConnection: {
      edges: ({ nodes }) => nodes.map((node) => ({ cursor: cursorOf('personnel', node.nameFolded, node.id), node })),
    },
    Mutation: {
      addPerson(_, { input }, context) {
        need(context, 'personnel.manage')
        return store.addPerson(input, context.caller.keyId)
      },
    },
    Person: {
      details,
      groups({ id }, _, context) {
        need(context, 'personnel.read')
        return store.groupsOfOne(id)
      },
    },
    Risk: {
      project,
      owner({ ownerId }, _, context) {
        need(context, 'personnel.read')
        return ownerId === null ? null : store.person(ownerId)
      },
      level: ({ score }) => levelOf(score),
      residualScore: residualScoreOf,
      residualLevel: (row) => (row.residualImpact === null ? null : levelOf(residualScoreOf(row))),
      details,
      rank: ({ score }, _, { rankOf }) => rankOf(score),
    },
    Issue: {
      project,
      details,
      assignee({ assigneeId }, _, context) {
        need(context, 'personnel.read')
        return assigneeId === null ? null : store.person(assigneeId)
      },
    },
    Project: {
      openRiskCount: (row) => risksIn(row).live,
      topRiskScore: (row) => risksIn(row).top,
      openIssueCount: ({ id }) => store.openIssuesIn(id),
      risks({ id }, { first }, context) {
        need(context, 'projects.read')
        return entryPage('risks', store.risksOfProject(id, first))
      },
    },
    Group: { memberCount: ({ id }) => store.memberCount(id) },
  }
}
