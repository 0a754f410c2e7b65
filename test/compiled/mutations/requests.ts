import type { Company } from '../../support/fixtures.js'

/** A request that changes something. */
export interface Written {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string | ((company: Company) => string)
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: (company: Company) => unknown
}

interface Case {
  readonly requests: readonly Written[]
  /** The number of selections compiled for the first request of a key with every scope. */
  readonly compiled: number
}

const post = (path: string, body: (company: Company) => unknown, headers = {}): Written => {
  return { method: 'POST', path, headers, body }
}
const person = ({ personIds: [id] }: Company) => `/v1/personnel/${id}`
const group = ({ groupIds: [id] }: Company) => `/v1/groups/${id}`
const ada = { name: ' Ada ', email: 'ADA@example.com' }
const once = { 'idempotency-key': 'one' }

/** REST requests. */
export const WRITES: Readonly<Record<string, Case>> = {
  'a person is added, and then refused': {
    requests: [
      post('/v1/personnel', ({ groupIds: [one, two] }) => ({ ...ada, title: null, groupIds: [two, one] })),
      post('/v1/personnel', () => ({ name: 'Other', email: 'ada@EXAMPLE.com' })),
    ],
    compiled: 1,
  },
  'a person is added once': {
    requests: [
      post('/v1/personnel', () => ada, once),
      post('/v1/personnel', () => ada, once),
      post('/v1/personnel', () => ({ ...ada, title: 'Other' }), once),
    ],
    compiled: 1,
  },
  'a person cannot be added as given': {
    requests: [
      post('/v1/personnel', () => ({ name: '', email: 'none', salary: 1, 'a/b': 2 })),
      post('/v1/personnel', () => ({ name: ' ', email: 'none', groupIds: [] })),
      post('/v1/personnel', () => ({ name: 1, email: ['a'], groupIds: 'grp', title: {} })),
      post('/v1/personnel', () => ({ ...ada, groupIds: ['grp_none', null, 5] })),
      post('/v1/personnel', () => ({ ...ada, groupIds: ['grp_none', 5] })),
      post('/v1/personnel', () => ({ ...ada, groupIds: Array.from({ length: 2_000 }, () => 1) })),
      post('/v1/personnel', () => []),
      post('/v1/personnel', () => null),
      post('/v1/personnel', () => 'text'),
    ],
    compiled: 0,
  },
  'a person is changed': {
    requests: [
      {
        method: 'PATCH',
        path: person,
        body: () => ({ title: 'Chief', status: 'inactive', email: null, externalId: '7' }),
      },
      { method: 'PATCH', path: person, body: () => ({}) },
      { method: 'PATCH', path: person, body: () => ({ status: 'gone', name: null }) },
      { method: 'PATCH', path: person, body: () => ({ status: null, name: null }) },
      { method: 'PATCH', path: '/v1/personnel/usr_none', body: () => ({ title: 'Chief' }) },
      { method: 'PATCH', path: `/v1/personnel/${'long'.repeat(200)}`, body: () => ({ title: 'Chief' }) },
      { method: 'PATCH', path: person, headers: { 'if-match': '"other"' }, body: () => ({ title: 'Lost' }) },
    ],
    compiled: 1,
  },
  'a group is added, changed and joined': {
    requests: [
      post('/v1/groups', () => ({ name: 'Divers', externalId: null, description: ' Under water. ' })),
      post('/v1/groups', () => ({ name: 'divers' })),
      { method: 'PATCH', path: group, body: () => ({ description: 'Zulus' }) },
      { method: 'PUT', path: (company) => `${group(company)}/members/${company.personIds[1]}` },
      { method: 'DELETE', path: (company) => `${group(company)}/members/${company.personIds[0]}` },
      { method: 'PUT', path: (company) => `${group(company)}/members/usr_none` },
    ],
    compiled: 1,
  },
  'a project is brought up to date': {
    requests: [
      post('/v1/projects', () => ({
        key: 'new',
        name: 'New',
        risks: [{ reference: 'R-1', title: 'One', status: 'open' }],
      })),
    ],
    compiled: 0,
  },
}

const graphql = (query: string, variables: (company: Company) => unknown = () => ({}), headers = {}): Written =>
  post('/graphql', (company) => ({ query, variables: variables(company) }), headers)

const input = () => ({ input: ada })
const WHOLE = 'id name email title status groups { id name memberCount } createdAt __typename'

/** GraphQL requests. */
export const MUTATIONS: Readonly<Record<string, Case>> = {
  'a person is added, and then refused': {
    requests: [
      graphql(
        `mutation ($input: AddPersonInput!) { addPerson(input: $input) { ...P } } fragment P on Person { ${WHOLE} }`,
        input,
      ),
      graphql(`mutation ($input: AddPersonInput!) { addPerson(input: $input) { ${WHOLE} } }`, input),
    ],
    compiled: 1,
  },
  'two people, under other names': {
    requests: [
      graphql(`mutation { __proto__: addPerson(input: { name: "A", email: "a@b.c" }) { constructor: id it: __typename }
        b: addPerson(input: { name: "B", externalId: "b" }) { name history { nodes { action by fields { field to } } } }
        __typename }`),
    ],
    compiled: 2,
  },
  'what was changed is filtered by names, known and unknown': {
    requests: [
      graphql(`mutation { a: addGroup(input: { name: "A" }) { members(filter: { group: "alpha team" }) { nodes { name } } }
        b: addGroup(input: { name: "B" }) { members(filter: { group: "Nowhere" }) { nodes { name } } } }`),
    ],
    compiled: 0,
  },
  'the second is refused': {
    requests: [
      graphql(`mutation { a: addPerson(input: { name: "A", email: "a@b.c" }) { id }
        b: addPerson(input: { name: "B", email: "A@b.c" }) { id } c: addGroup(input: { name: "C" }) { name memberCount } }`),
    ],
    compiled: 2,
  },
  'the first is refused': {
    requests: [
      graphql(
        `mutation { a: changePerson(id: "usr_none", input: {}) { id } b: addGroup(input: { name: "B" }) { id name } }`,
      ),
      graphql(
        `mutation { a: addPerson(input: { name: " ", email: "a" }) { id } b: addGroup(input: { name: "B2" }) { id } }`,
      ),
    ],
    compiled: 1,
  },
  'one field in several parts, some of which are left out': {
    requests: [
      graphql(
        `mutation ($id: ID!, $yes: Boolean!, $no: Boolean = false) {
          changePerson(id: $id, input: { title: "T" }) { id name @skip(if: $yes) }
          changePerson(id: $id, input: { title: "T" }) @include(if: $yes) { title groups { id } groups { name } }
          addGroup(input: { name: "N" }) @include(if: $no) { id } }`,
        ({ personIds: [id] }) => ({ id, yes: true }),
      ),
    ],
    compiled: 1,
  },
  'who belongs to a group': {
    requests: [
      graphql(
        `mutation ($g: ID!, $p: ID!) { addMember(groupId: $g, personId: $p) {
          memberCount members(first: 2, filter: { status: ACTIVE }) { totalCount nodes { name } pageInfo { hasNextPage } } } }`,
        ({ groupIds: [g], personIds: [, p] }) => ({ g, p }),
      ),
      graphql('mutation ($g: ID!) { removeMember(groupId: $g, personId: "usr_none") { id } }', ({ groupIds: [g] }) => ({
        g,
      })),
    ],
    compiled: 1,
  },
  'what a key may not see is missing': {
    requests: [
      graphql(
        'mutation ($id: ID!) { changePerson(id: $id, input: { title: "T" }) { id risks(first: 2) { nodes { id title } } } }',
        ({ personIds: [, id] }) => ({ id }),
      ),
    ],
    compiled: 1,
  },
  'a page that cannot be, of what is changed all the same': {
    requests: [
      graphql(
        'mutation ($id: ID!) { changePerson(id: $id, input: { title: "T" }) { id risks(first: 0) { nodes { id } } } }',
        ({ personIds: [id] }) => ({ id }),
      ),
      graphql(
        'mutation ($id: ID!) { changeGroup(id: $id, input: { description: "T" }) { members(filter: { search: " " }) { nodes { id } } } }',
        ({ groupIds: [id] }) => ({ id }),
      ),
    ],
    compiled: 0,
  },
  'bad variables': {
    requests: [
      graphql('mutation ($input: AddPersonInput!) { addPerson(input: $input) { id } }', () => ({ input: { name: 1 } })),
      graphql('mutation ($b: Boolean) { addGroup(input: { name: "N" }) @include(if: $b) { id } }', () => ({ b: null })),
      graphql('mutation ($name: String) { addGroup(input: { name: $name }) { id } }', () => ({ name: null })),
    ],
    compiled: 0,
  },
  'with what is not compiled': {
    requests: [
      graphql(
        'mutation { addGroup(input: { name: "N" }) { id } syncProject(input: { key: "N", name: "N" }) { risks { created } } }',
      ),
    ],
    compiled: 0,
  },
  'once for each token': {
    requests: [
      graphql(
        'mutation { a: addGroup(input: { name: "N" }) { id name } b: addGroup(input: { name: "N" }) { id } }',
        undefined,
        once,
      ),
      graphql(
        'mutation { a: addGroup(input: { name: "N" }) { id name } b: addGroup(input: { name: "N" }) { id } }',
        undefined,
        once,
      ),
    ],
    compiled: 1,
  },
}
