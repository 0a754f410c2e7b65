import { both, count, each, falling, holds, is, type Question, some } from './checks.js'
import { PROJECT_QUESTIONS } from './projects.js'

const AMARA = 'amara.okafor@meridian.example'
const BEATRIZ = 'beatriz.carvalho@meridian.example'

/** People: who is here, in which department, in which group. */
const people: readonly Question[] = [
  { words: 'Who works here?', graphql: '{ personnel { nodes { name email } } }', meant: some('personnel.nodes', 20) },
  { words: 'Who works here? (people)', graphql: '{ people { name email } }', says: /Did you mean .*personnel/ },
  { words: 'Who works here? (users)', graphql: '{ users { nodes { name } } }', says: /Did you mean .*personnel/ },
  { words: 'Who works here? (persons)', graphql: '{ persons { name } }', says: /Did you mean .*personnel/ },
  { words: 'Who works here? (employees)', graphql: '{ employees { name } }', says: /Did you mean .*personnel/ },
  {
    words: 'Names and titles, as a plain list',
    graphql: '{ personnel { name title } }',
    says: /PersonConnection is a connection: ask for `nodes \{ name/,
  },
  {
    words: 'Names, through edges',
    graphql: '{ personnel(first: 3) { edges { node { name } } } }',
    meant: count('personnel.edges', 3),
  },
  { words: 'Five people', graphql: '{ personnel(limit: 5) { nodes { name } } }', says: /Did you mean .*first/ },
  { words: 'Five people (take)', graphql: '{ personnel(take: 5) { nodes { name } } }', says: /Did you mean .*first/ },
  { words: 'The next five', graphql: '{ personnel(first: 5, offset: 5) { nodes { name } } }', says: /after/ },
  { words: 'The second page', graphql: '{ personnel(first: 5, page: 2) { nodes { name } } }', says: /after/ },
  {
    words: 'All of them at once',
    graphql: '{ personnel(first: 5000) { nodes { name } } }',
    says: /first.*from 1 to 1000/s,
  },
  {
    words: 'Who is in Finance? (where)',
    graphql: '{ personnel(where: {department: "Finance"}) { nodes { name } } }',
    says: /Did you mean .*filter/,
  },
  {
    words: 'Who is in Finance? (argument)',
    graphql: '{ personnel(department: "Finance") { nodes { name } } }',
    says: /filter: \{ ?department/,
  },
  {
    words: 'Who is in Finance?',
    graphql: '{ personnel(filter: {department: "Finance"}) { nodes { name department } } }',
    meant: each('personnel.nodes', 'department', 'Finance'),
  },
  {
    words: 'Who is in finance? (lower case)',
    graphql: '{ personnel(filter: {department: "finance"}) { nodes { name department } } }',
    meant: each('personnel.nodes', 'department', 'Finance'),
  },
  {
    words: 'Who is in IT or Legal?',
    graphql: '{ personnel(filter: {department: ["IT", "legal"]}) { nodes { name department } } }',
    meant: both(each('personnel.nodes', 'department', 'IT', 'Legal'), holds('personnel.nodes', 'department', 'Legal')),
  },
  {
    words: 'Who is in the group Engineering?',
    graphql: '{ personnel(filter: {group: "Engineering"}) { totalCount nodes { name } } }',
    meant: both(is('personnel.totalCount', 12), holds('personnel.nodes', 'name', 'Aoife Brennan')),
  },
  {
    words: 'Who is in the crisis team? (lower case)',
    graphql: '{ personnel(filter: {group: "crisis team"}) { totalCount } }',
    meant: is('personnel.totalCount', 11),
  },
  {
    words: 'Who is in a group, by its id?',
    graphql: '{ personnel(filter: {group: "<group>"}) { totalCount } }',
    meant: is('personnel.totalCount', 12),
  },
  {
    words: 'Who is in the group Enginering? (misspelt)',
    graphql: '{ personnel(filter: {group: "Enginering"}) { nodes { name } } }',
    says: /There is no group 'Enginering'\. Did you mean Engineering\?/,
  },
  {
    words: 'Who is Amara Okafor? (by e-mail)',
    graphql: `{ person(email: "${AMARA}") { name title } }`,
    meant: both(is('person.name', 'Amara Okafor'), is('person.title', 'Programme Director')),
  },
  {
    words: 'Who is Amara Okafor? (e-mail with capitals)',
    graphql: '{ person(email: "Amara.Okafor@Meridian.example") { name } }',
    meant: is('person.name', 'Amara Okafor'),
  },
  {
    words: 'Who has the number HR-1000?',
    graphql: '{ person(externalId: "HR-1000") { name } }',
    meant: is('person.name', 'Amara Okafor'),
  },
  {
    words: 'Who is Amara Okafor? (by id)',
    graphql: '{ person(id: "<person>") { name } }',
    meant: is('person.name', 'Amara Okafor'),
  },
  {
    words: 'Who is Amara Okafor? (by name)',
    graphql: '{ person(name: "Amara Okafor") { title } }',
    says: /email.*externalId|search/s,
  },
  {
    words: 'Who has an address that nobody has?',
    graphql: '{ person(email: "nobody@meridian.example") { name } }',
    meant: is('person', null),
  },
  { words: 'A person, unnamed', graphql: '{ person { name } }', says: /id.*email.*externalId/s },
  {
    words: 'A person, named twice',
    graphql: `{ person(id: "<person>", email: "${AMARA}") { name } }`,
    says: /exactly one of.*id.*email.*externalId/is,
  },
  { words: 'A user', graphql: `{ user(email: "${AMARA}") { name } }`, says: /Did you mean .*person/ },
  {
    words: 'Which risks does Amara own?',
    graphql: `{ person(email: "${AMARA}") { risks { nodes { title score project { key } } } } }`,
    meant: both(some('person.risks.nodes'), falling('person.risks.nodes', 'score')),
  },
  {
    words: 'Which issues does Beatriz work on?',
    graphql: `{ person(email: "${BEATRIZ}") { issues { nodes { title project { key } } } } }`,
    meant: some('person.issues.nodes'),
  },
  {
    words: 'Which groups is Amara in?',
    graphql: `{ person(email: "${AMARA}") { groups { name } } }`,
    meant: holds('person.groups', 'name', 'Crisis Team'),
  },
  {
    words: 'Which groups is Amara in? (with nodes)',
    graphql: `{ person(email: "${AMARA}") { groups { nodes { name } } } }`,
    says: /Group is not a connection: ask for its fields themselves/,
  },
  {
    words: 'First names',
    graphql: '{ personnel { nodes { firstName } } }',
    says: /Did you mean .*name/,
  },
  { words: 'Their teams', graphql: '{ personnel { nodes { teams { name } } } }', says: /Did you mean .*groups/ },
  { words: 'Their jobs', graphql: '{ personnel { nodes { role } } }', says: /Did you mean .*title/ },
]

const groups: readonly Question[] = [
  {
    words: 'Which groups are there?',
    graphql: '{ groups { nodes { name memberCount } } }',
    meant: count('groups.nodes', 8),
  },
  {
    words: 'Who is in the Crisis Team?',
    graphql: '{ group(name: "Crisis Team") { memberCount members { nodes { name } } } }',
    meant: both(is('group.memberCount', 11), count('group.members.nodes', 11)),
  },
  {
    words: 'How large is the crisis team? (lower case)',
    graphql: '{ group(name: "crisis team") { name memberCount } }',
    meant: is('group.name', 'Crisis Team'),
  },
  { words: 'Which teams are there?', graphql: '{ teams { nodes { name } } }', says: /Did you mean .*groups/ },
  {
    words: 'Members as a plain list',
    graphql: '{ groups { nodes { members { name } } } }',
    says: /PersonConnection is a connection: ask for `nodes \{ name/,
  },
  { words: 'A group, unnamed', graphql: '{ group { name } }', says: /id.*name.*externalId/s },
]

const changes: readonly Question[] = [
  {
    words: 'Add a person (createPerson)',
    graphql: 'mutation { createPerson(input: {name: "Ada"}) { id } }',
    says: /Did you mean .*addPerson/,
  },
  {
    words: 'Add a person (addUser)',
    graphql: 'mutation { addUser(input: {name: "Ada"}) { id } }',
    says: /Did you mean .*addPerson/,
  },
  {
    words: 'Remove a person',
    graphql: 'mutation { deletePerson(id: "<person>") { id } }',
    says: /Nobody is deleted: `changePerson\(id: .*status: INACTIVE/,
  },
  {
    words: 'Add a group (createTeam)',
    graphql: 'mutation { createTeam(input: {name: "A"}) { id } }',
    says: /Did you mean .*addGroup/,
  },
  {
    words: 'Add a person, in a query',
    graphql: '{ addPerson(input: {name: "Ada"}) { id } }',
    says: /mutation/,
  },
  {
    words: 'Add a person, and have a payload back',
    graphql: 'mutation { addPerson(input: {name: "Ada", email: "ada@example.com"}) { person { id } } }',
    says: /This is the Person itself: ask for its fields/,
  },
  {
    words: 'Add a person with two violations',
    graphql: 'mutation { addPerson(input: {name: "", email: "not an address"}) { id } }',
    says: /name.*email|email.*name/s,
  },
]

const other: readonly Question[] = [
  {
    words: 'Everything under everything, in pages',
    graphql: `{ projects(first: 200) { nodes { risks(first: 200) { nodes { owner {
      risks(first: 200) { nodes { issues(first: 200) { nodes { title } } } } } } } } } }`,
    says: /`\w+`.*\(?first: \d+/,
  },
  {
    words: 'Everything under everything',
    graphql: `{ projects(first: 200) { nodes { risks(first: 200) { nodes { issues(first: 200) { nodes { assignee {
      groups(first: 200) { nodes { members(first: 200) { nodes { name } } } } } } } } } } } }`,
    says: /`groups` takes no arguments/,
  },
  { words: 'Nothing', graphql: '', says: /query/i },
  { words: 'A brace too few', graphql: '{ risks { nodes { title } }', says: /line 1|Syntax Error/ },
]

export const GRAPHQL_QUESTIONS: readonly Question[] = [...people, ...groups, ...PROJECT_QUESTIONS, ...changes, ...other]
