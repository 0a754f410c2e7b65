/** The schema of the contestants that are given SDL, and its resolvers. */
import { cursorOf } from './cursors.mjs'
import { Refusal } from './people.mjs'
import { levelOf } from './store.mjs'

const STAMPS = 'createdAt: String! updatedAt: String!'
const PAGE = 'pageInfo: PageInfo!'

export const SDL = `
  type Query {
    personnel(first: Int, after: String): PersonConnection
    person(id: ID!): Person
    risks(first: Int, filter: EntryFilter): RiskConnection
    issues(first: Int, filter: EntryFilter): IssueConnection
  }
  type Mutation { addPerson(input: AddPersonInput!): Person }
  input EntryFilter { project: [String!] }
  input AddPersonInput { name: String! email: String externalId: String title: String department: String }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type PersonConnection { nodes: [Person!]! ${PAGE} }
  type RiskConnection { nodes: [Risk!]! ${PAGE} }
  type IssueConnection { nodes: [Issue!]! ${PAGE} }
  enum PersonStatus { ACTIVE INACTIVE }
  enum RiskStatus { OPEN OCCURRED CLOSED }
  enum RiskLevel { UNASSESSED LOW MEDIUM HIGH CRITICAL }
  enum RiskResponse { AVOID MITIGATE TRANSFER ACCEPT }
  enum IssueSeverity { LOW MEDIUM HIGH CRITICAL }
  enum IssueStatus { OPEN IN_PROGRESS BLOCKED RESOLVED CLOSED }
  type Person {
    id: ID! name: String! email: String externalId: String title: String department: String status: PersonStatus!
    groups: [Group!]! ${STAMPS}
  }
  type Group { id: ID! name: String! }
  type Project { id: ID! key: String! name: String! }
  type Risk {
    id: ID! reference: String! project: Project title: String! description: String category: String likelihood: Int
    impact: Int score: Int! level: RiskLevel! rank: Int status: RiskStatus! response: RiskResponse ownerId: ID
    owner: Person ownerName: String url: String raisedOn: String! reviewOn: String ${STAMPS}
  }
  type Issue {
    id: ID! reference: String! project: Project title: String! description: String severity: IssueSeverity!
    status: IssueStatus! assigneeId: ID assigneeName: String riskId: ID url: String raisedOn: String! dueOn: String
    ${STAMPS}
  }
`

/** Throws unless the caller may. */
function need({ caller }, scope) {
  if (!caller.may(scope)) throw new Refusal(403, `This needs the scope ${scope}.`)
}

const optional = (value) => value ?? undefined

/** Each look-up is a prepared statement run at once: with SQLite in the process that is faster than any loader. */
export function resolversOn(store) {
  const project = ({ projectId }) => store.project(projectId)
  const entryPage = (list, { rows, hasNext }) => {
    const last = rows.at(-1)
    const endCursor = last ? cursorOf(list, last.standing, last.raisedOn, last.id) : null
    return { nodes: rows, pageInfo: { hasNextPage: hasNext, endCursor } }
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
    },
    Mutation: {
      addPerson(_, { input }, context) {
        need(context, 'personnel.manage')
        return store.addPerson(input, context.caller.keyId)
      },
    },
    Person: {
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
      rank: ({ score }, _, { rankOf }) => rankOf(score),
    },
    Issue: { project },
  }
}
