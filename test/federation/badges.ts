/** A third subgraph, which refers to our entities by every key but the id, and provides names by itself. */
export const BADGES_SDL = /* GraphQL */ `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key", "@external", "@provides", "@shareable"])

  type Query {
    badges: [Badge!]!
  }

  type Badge @key(fields: "number") {
    number: String!
    holder: Person @provides(fields: "name")
    employee: Employee
    team: Group
    risk: Risk
    issue: Issue
  }

  type Employee {
    person: Person
    title: String!
  }

  type Person @key(fields: "email") @key(fields: "externalId") {
    email: String
    externalId: String
    name: String! @external
    badges: [Badge!]!
  }

  type Group @key(fields: "name") @key(fields: "externalId") {
    name: String!
    externalId: String
    badges: [Badge!]!
  }

  type Project @key(fields: "key") {
    key: String!
    name: String! @shareable
  }

  type Risk @key(fields: "project { key } reference") {
    project: Project
    reference: String!
    title: String! @shareable
    badges: [Badge!]!
  }

  type Issue @key(fields: "project { key } reference") {
    project: Project
    reference: String!
    title: String! @shareable
    badges: [Badge!]!
  }
`
