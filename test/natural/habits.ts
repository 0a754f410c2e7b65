/** Questions in the habits of other APIs: what people type who have not read anything. */
import { both, count, each, is, type Question, some } from './checks.js'

const never = /GraphQL|resolver|first:|nodes/
const json = { 'content-type': 'application/json' }
const refused = { status: 400, never } as const
const nothing = { status: 404, never } as const

const graphql = (words: string, query: string, says: RegExp): Question => ({ words, graphql: query, says })

const lists: readonly Question[] = [
  graphql('Search, as an argument', '{ risks(search: "lift") { nodes { title } } }', /filter: \{ search/),
  graphql('Items', '{ projects { nodes { risks { items { title } } } } }', /Did you mean "nodes"/),
  graphql(
    'By score',
    '{ risks(first: 10, orderBy: SCORE_DESC) { nodes { title } } }',
    /There are DUE, RANK and UPDATED/,
  ),
  graphql('By name', '{ personnel(sort_by: "name") { nodes { name } } }', /Give `orderBy`, one of NAME and UPDATED/),
  graphql('The page before', '{ risks(first: 3, before: "x") { nodes { title } } }', /Pages follow each other/),
  graphql('Five a page', '{ issues(per_page: 5) { nodes { title } } }', /Did you mean "first"/),
  graphql('Open ones, as an argument', '{ risks(status: "open") { nodes { title } } }', /filter: \{ status/),
  graphql('Open ones, in quotes', '{ risks(filter: {status: "OPEN"}) { nodes { id } } }', /Write OPEN, without quotes/),
  graphql('High ones, in small letters', '{ risks(filter: {level: high}) { nodes { id } } }', /Did you mean "HIGH"/),
  graphql('A key without quotes', '{ risks(filter: {project: APOLLO}) { nodes { id } } }', /in quotes: "APOLLO"/),
  graphql('By title', '{ risks(filter: {title: {contains: "lift"}}) { nodes { id } } }', /Did you mean "search"/),
  graphql('By a name', '{ personnel(filter: {name: "Amara"}) { nodes { id } } }', /Did you mean "search"/),
  graphql(
    'By score, as in Prisma',
    '{ risks(filter: {score: {gte: 15}}) { nodes { id } } }',
    /Did you mean "minScore"/,
  ),
  graphql('Closed issues', '{ issues(filter: {status: CLOSED}) { nodes { id } } }', /BLOCKED, IN_PROGRESS and OPEN/),
  graphql('Created lately', '{ issues(filter: {createdAfter: "2026-01-01"}) { nodes { id } } }', /updatedSince/),
  graphql('Of a team', '{ personnel(filter: {team: "Engineering"}) { nodes { id } } }', /Did you mean "group"/),
  {
    words: 'With aliases and a fragment',
    graphql: `{ top: risks(first: 3) { ...R } low: risks(first: 2, filter: {level: LOW}) { ...R } }
      fragment R on RiskConnection { totalCount nodes { title level } }`,
    meant: both(count('top.nodes', 3), each('low.nodes', 'level', 'LOW')),
  },
  {
    words: 'As Relay asks',
    graphql: '{ projects(first: 2) { totalCount edges { cursor node { key } } pageInfo { hasNextPage endCursor } } }',
    meant: both(count('projects.edges', 2), is('projects.pageInfo.hasNextPage', true)),
  },
  {
    words: 'Due before a day',
    graphql: '{ issues(filter: {dueBefore: "2026-12-01"}) { nodes { dueOn } } }',
    meant: some('issues.nodes'),
  },
]

const roots: readonly Question[] = [
  graphql('Who am I?', '{ currentUser { name } }', /Did you mean "apiKey"/),
  graphql('Search everything', '{ search(text: "lift") { title } }', /risks\(filter: \{ search/),
  graphql('The heat map', '{ heatmap { likelihood impact count } }', /Did you mean "riskMatrix"/),
  graphql('Who is behind?', '{ workload { name } }', /Did you mean "overdueByPerson"/),
  graphql('How many risks?', '{ riskCount }', /risks \{ totalCount \}/),
  graphql('What happened?', '{ auditLog { nodes { id } } }', /Did you mean "changes"/),
  graphql('Departments', '{ departments }', /personnel \{ nodes \{ department \} \}/),
  graphql('The weather', '{ weather { today } }', /There are .*personnel.*risks/),
  graphql('R-1 by its key', '{ risk(key: "R-1", project: "APOLLO") { title } }', /Did you mean "reference"/),
  graphql('I-1 of a key', '{ issue(reference: "I-1", projectKey: "APOLLO") { title } }', /Did you mean "project"/),
  graphql('To be told of changes', 'subscription { risks { title } }', /Follow `changes`/),
  graphql('Add a person, without input', 'mutation { addPerson(name: "Ada") { id } }', /input: \{ name: /),
  graphql('Add someone to a group', 'mutation { addToGroup(groupId: "x") { id } }', /Did you mean "addMember"/),
  graphql('Delete a group', 'mutation { deleteGroup(id: "x") { id } }', /Did you mean "removeGroup"/),
  graphql('Create a risk', 'mutation { createRisk(input: {title: "x"}) { id } }', /Did you mean "syncProject"/),
  graphql('Close an issue', 'mutation { closeIssue(id: "iss_1") { id } }', /Did you mean "syncProject"/),
  graphql('Add a member', 'mutation { addMember(group: "A", person: "B") { id } }', /Did you mean "groupId"/),
]

const parameters: readonly Question[] = [
  {
    words: 'By score',
    rest: '/v1/risks?sort_by=score',
    ...refused,
    says: /Give `order`, one of DUE, RANK and UPDATED/,
  },
  { words: 'Find a word', rest: '/v1/risks?q=lift', ...refused, says: /Did you mean search\?/ },
  { words: 'Some fields', rest: '/v1/risks?fields=title,score', ...refused, says: /all of its fields/ },
  { words: 'With the owner', rest: '/v1/risks?include=owner', ...refused, says: /all of its fields/ },
  { words: 'As JSON:API asks', rest: '/v1/risks?filter[project]=APOLLO', ...refused, says: /Did you mean project\?/ },
  { words: 'In snake case', rest: '/v1/risks?min_score=15', ...refused, says: /Did you mean minScore\?/ },
  { words: 'Since a day', rest: '/v1/risks?since=2026-01-01', ...refused, says: /Did you mean updatedSince\?/ },
  { words: 'As CSV', rest: '/v1/risks?format=csv', ...refused, says: /\.csv/ },
  { words: 'By name', rest: '/v1/personnel?name=Amara', ...refused, says: /Did you mean search\?/ },
  { words: 'By state', rest: '/v1/issues?state=open', ...refused, says: /Did you mean status\?/ },
  { words: 'Overdue', rest: '/v1/issues?overdue=true', ...refused, says: /Did you mean dueBefore\?/ },
  { words: 'Open and closed', rest: '/v1/risks?status=open,closed', meant: each('data', 'status', 'OPEN', 'CLOSED') },
  { words: 'Unassigned', rest: '/v1/issues?assignee=unassigned', meant: each('data', 'assignee', null) },
]

const paths: readonly Question[] = [
  { words: 'As JSON', rest: '/v1/risks.json', ...nothing, says: /Did you mean \/v1\/risks\?/ },
  {
    words: 'R-1 of Apollo',
    rest: '/v1/projects/APOLLO/risks/R-1',
    meant: both(is('reference', 'R-1'), is('project.key', 'APOLLO')),
  },
  {
    words: 'R-999 of Apollo',
    rest: '/v1/projects/APOLLO/risks/R-999',
    ...nothing,
    says: /\/v1\/projects\/APOLLO\/risks\?search=R-999/,
  },
  { words: 'A group by name', rest: '/v1/groups/engineering', meant: is('name', 'Engineering') },
  { words: 'A group by half its name', rest: '/v1/groups/Engin', ...nothing, says: /\/v1\/groups\?search=Engin/ },
  { words: 'User 1', rest: '/v1/users/1', ...nothing, says: /Did you mean \/v1\/personnel\?/ },
  { words: 'What happened', rest: '/v1/history', ...nothing, says: /\/v1\/changes/ },
  { words: 'The document', rest: '/swagger.json', status: 404, says: /\/v1\/openapi\.json/ },
  { words: 'Is it up?', rest: '/health', status: 404, says: /\/healthz/ },
]

const changes: readonly Question[] = [
  {
    words: 'Raise a risk',
    rest: 'POST /v1/risks',
    headers: json,
    body: '{}',
    status: 405,
    says: /POST \/v1\/projects/,
  },
  {
    words: 'Add a person, no type named',
    rest: 'POST /v1/personnel',
    headers: { 'content-type': 'text/plain' },
    body: '{"name": "Ada"}',
    status: 415,
    says: /Content-Type: application\/json/,
    never,
  },
  {
    words: 'Add a person by first and last name',
    rest: 'POST /v1/personnel',
    headers: json,
    body: '{"firstName": "Ada", "mail": "ada@example.com"}',
    status: 422,
    says: /Did you mean name\?.*Did you mean email\?/s,
    never,
  },
  ...['Token <key>', 'Beare <key>', 'Bearer: <key>', 'Bearer "<key>"'].map((authorization) => ({
    words: `The key, as ${authorization}`,
    rest: '/v1/risks',
    headers: { authorization },
    status: 401,
    says: /must follow the word `Bearer` and a space/,
    never,
  })),
]

export const HABITS: readonly Question[] = [...lists, ...roots, ...parameters, ...paths, ...changes]
