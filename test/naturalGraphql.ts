import { both, count, each, every, falling, holds, is, like, type Question, some } from './naturalChecks.js'

const AMARA = 'amara.okafor@meridian.example'
const BEATRIZ = 'beatriz.carvalho@meridian.example'
const DIEGO = 'diego.fuentes@meridian.example'

/** People: who is here, in which department, in which group. */
const people: readonly Question[] = [
  { words: 'Who works here?', graphql: '{ personnel { nodes { name email } } }', meant: some('personnel.nodes', 20) },
  { words: 'Who works here? (people)', graphql: '{ people { name email } }', says: /Did you mean .*personnel/ },
  { words: 'Who works here? (users)', graphql: '{ users { nodes { name } } }', says: /Did you mean .*personnel/ },
  { words: 'Who works here? (persons)', graphql: '{ persons { name } }', says: /Did you mean .*personnel/ },
  { words: 'Who works here? (employees)', graphql: '{ employees { name } }', says: /Did you mean .*personnel/ },
  { words: 'Names and titles, as a plain list', graphql: '{ personnel { name title } }', says: /personnel.*nodes \{/ },
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
    says: /`groups` is no connection: ask for its fields themselves/,
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
  { words: 'Members as a plain list', graphql: '{ groups { nodes { members { name } } } }', says: /members.*nodes \{/ },
  { words: 'A group, unnamed', graphql: '{ group { name } }', says: /id.*name.*externalId/s },
]

const projects: readonly Question[] = [
  {
    words: 'Which projects run?',
    graphql: '{ projects { nodes { key name status } } }',
    meant: some('projects.nodes', 8),
  },
  { words: 'What is Apollo?', graphql: '{ project(key: "apollo") { key name } }', meant: is('project.key', 'APOLLO') },
  {
    words: 'What is Apollo? (by id)',
    graphql: '{ project(id: "<project>") { key } }',
    meant: is('project.key', 'APOLLO'),
  },
  {
    words: 'What is Apollo? (by name)',
    graphql: '{ project(name: "Apollo") { key } }',
    says: /key/,
  },
  {
    words: 'Risks and issues of Apollo',
    graphql: '{ project(key: "APOLLO") { risks { nodes { title score } } issues { nodes { title severity } } } }',
    meant: both(count('project.risks.nodes', 8), count('project.issues.nodes', 8)),
  },
  { words: 'A project, unnamed', graphql: '{ project { key } }', says: /id.*key/s },
  { words: 'Titles of projects', graphql: '{ projects { nodes { title } } }', says: /Did you mean .*name/ },
]

const risks: readonly Question[] = [
  {
    words: 'The ten gravest risks',
    graphql: '{ risks(first: 10) { nodes { title score project { key } owner { name email } } } }',
    meant: both(count('risks.nodes', 10), falling('risks.nodes', 'score')),
  },
  {
    words: 'The gravest first (orderBy)',
    graphql: '{ risks(orderBy: {field: SCORE, direction: DESC}) { nodes { title } } }',
    says: /order is fixed: by rank/,
  },
  {
    words: 'The gravest first (sort)',
    graphql: '{ risks(sort: "-score") { nodes { title } } }',
    says: /order is fixed: by rank/,
  },
  {
    words: 'Risks of Apollo',
    graphql: '{ risks(filter: {project: "APOLLO"}) { nodes { title project { key } } } }',
    meant: both(count('risks.nodes', 8), each('risks.nodes', 'project.key', 'APOLLO')),
  },
  {
    words: 'Risks of apollo (lower case)',
    graphql: '{ risks(filter: {project: "apollo"}) { nodes { project { key } } } }',
    meant: both(count('risks.nodes', 8), each('risks.nodes', 'project.key', 'APOLLO')),
  },
  {
    words: 'Risks of Apolo (misspelt)',
    graphql: '{ risks(filter: {project: "Apolo"}) { nodes { title } } }',
    says: /There is no project 'Apolo'\. Did you mean APOLLO\?/,
  },
  {
    words: 'Risks of two projects, one by id',
    graphql: '{ risks(filter: {project: ["<project>", "coral"]}) { totalCount nodes { project { key } } } }',
    meant: both(is('risks.totalCount', 15), each('risks.nodes', 'project.key', 'APOLLO', 'CORAL')),
  },
  {
    words: 'Risks of a project, key in a variable',
    graphql: 'query($p: [String!]) { risks(filter: {project: $p}) { totalCount } }',
    variables: { p: 'Coral' },
    meant: is('risks.totalCount', 7),
  },
  {
    words: 'Risks of a project, key in a variable of another type',
    graphql: 'query($p: [ID!]) { risks(filter: {project: $p}) { totalCount } }',
    variables: { p: 'Coral' },
    says: /expecting type "\[String!\]"/,
  },
  {
    words: 'Risks that Diego owns',
    graphql: `{ risks(filter: {owner: "${DIEGO}"}) { nodes { owner { email } } } }`,
    meant: each('risks.nodes', 'owner.email', DIEGO),
  },
  {
    words: 'Risks that nobody owns',
    graphql: '{ risks(filter: {owner: null}) { nodes { title owner { name } } } }',
    meant: each('risks.nodes', 'owner', null),
  },
  {
    words: 'Risks that nobody owns (in a list)',
    graphql: '{ risks(filter: {owner: [null]}) { nodes { title owner { name } } } }',
    meant: each('risks.nodes', 'owner', null),
  },
  {
    words: 'Risks of an address that nobody has',
    graphql: '{ risks(filter: {owner: "diego.fuente@meridian.example"}) { nodes { title } } }',
    says: /There is no person 'diego\.fuente@meridian\.example'/,
  },
  {
    words: 'Risks of an owner, by name',
    graphql: '{ risks(filter: {owner: "Diego Fuentes"}) { nodes { title } } }',
    says: /'Diego Fuentes'.*(e-mail|id)/s,
  },
  {
    words: 'Weather risks',
    graphql: '{ risks(filter: {category: "Weather"}) { nodes { category } } }',
    meant: each('risks.nodes', 'category', 'Weather'),
  },
  {
    words: 'Critical risks',
    graphql: '{ risks(filter: {level: CRITICAL}) { nodes { level } } }',
    meant: each('risks.nodes', 'level', 'CRITICAL'),
  },
  {
    words: 'Critical risks (severity)',
    graphql: '{ risks(filter: {severity: CRITICAL}) { nodes { title } } }',
    says: /Did you mean .*level/,
  },
  {
    words: 'Risks with a small word',
    graphql: '{ risks(filter: {status: open}) { nodes { title } } }',
    says: /Did you mean .*OPEN/,
  },
  { words: 'Active risks', graphql: '{ risks(filter: {status: ACTIVE}) { nodes { title } } }', says: /OPEN/ },
  {
    words: 'Risks of score 15 and above',
    graphql: '{ risks(filter: {score: 15}) { nodes { title } } }',
    says: /Did you mean .*[sS]core/,
  },
  {
    words: 'What changed since a day?',
    graphql: '{ risks(filter: {updatedSince: "2026-01-01"}) { nodes { title } } }',
    meant: some('risks.nodes'),
  },
  {
    words: 'What changed since a day? (updatedAfter)',
    graphql: '{ risks(filter: {updatedAfter: "2026-01-01"}) { nodes { title } } }',
    says: /Did you mean .*updatedSince/,
  },
  {
    words: 'What changed since yesterday?',
    graphql: '{ risks(filter: {updatedSince: "yesterday"}) { nodes { title } } }',
    says: /2026-|\d{4}-\d{2}-\d{2}/,
  },
  {
    words: 'Who owns R-1 of Coral?',
    graphql: '{ risk(project: "coral", reference: "R-1") { title score } }',
    meant: is('risk.score', 25),
  },
  { words: 'A risk by id', graphql: '{ risk(id: "<risk>") { id } }', meant: like('risk.id', /^rsk_/) },
  { words: 'R-1, of no project', graphql: '{ risk(reference: "R-1") { title } }', says: /project/ },
  {
    words: 'What came of a risk?',
    graphql: '{ risk(project: "APOLLO", reference: "R-1") { issues { nodes { reference project { key } } } } }',
    meant: each('risk.issues.nodes', 'project.key', 'APOLLO'),
  },
  { words: 'How likely is it?', graphql: '{ risks { nodes { probability } } }', says: /Did you mean .*likelihood/ },
  { words: 'How many risks?', graphql: '{ risks { totalCount } }', meant: like('risks.totalCount', /^\d\d+$/) },
  { words: 'How many risks? (count)', graphql: '{ risks { count } }', says: /Did you mean .*totalCount/ },
  { words: 'How many risks? (total)', graphql: '{ risks { total } }', says: /Did you mean .*totalCount/ },
  { words: 'Risks, nothing asked of them', graphql: '{ risks }', says: /risks.*nodes \{/ },
]

const issues: readonly Question[] = [
  {
    words: 'What is open?',
    graphql: '{ issues { nodes { title severity status assignee { name } } } }',
    meant: some('issues.nodes', 20),
  },
  {
    words: 'Critical issues',
    graphql: '{ issues(filter: {severity: CRITICAL}) { nodes { severity } } }',
    meant: each('issues.nodes', 'severity', 'CRITICAL'),
  },
  {
    words: 'Critical issues (Critical)',
    graphql: '{ issues(filter: {severity: Critical}) { nodes { title } } }',
    says: /Did you mean .*CRITICAL/,
  },
  {
    words: 'Critical issues (in quotes)',
    graphql: '{ issues(filter: {severity: "critical"}) { nodes { title } } }',
    says: /CRITICAL/,
  },
  {
    words: 'What does Beatriz work on?',
    graphql: `{ issues(filter: {assignee: "${BEATRIZ}"}) { nodes { assignee { email } } } }`,
    meant: each('issues.nodes', 'assignee.email', BEATRIZ),
  },
  {
    words: 'What does nobody work on?',
    graphql: '{ issues(filter: {assignee: null}) { nodes { assignee { name } } } }',
    meant: each('issues.nodes', 'assignee', null),
  },
  {
    words: 'Issues of a risk',
    graphql: '{ issues(filter: {risk: "<risk>"}) { nodes { risk { id } } } }',
    meant: every('issues.nodes', 'risk.id', (id) => typeof id === 'string'),
  },
  {
    words: 'I-1 of the harbour',
    graphql: '{ issue(project: "harbor-2", reference: "I-1") { title severity } }',
    meant: is('issue.severity', 'CRITICAL'),
  },
  {
    words: 'Issues of the harbour',
    graphql: '{ issues(filter: {project: "Harbor-2"}) { totalCount } }',
    meant: is('issues.totalCount', 10),
  },
  { words: 'How urgent are they?', graphql: '{ issues { nodes { priority } } }', says: /Did you mean .*severity/ },
  { words: 'Whose are they?', graphql: '{ issues { nodes { owner { name } } } }', says: /Did you mean .*assignee/ },
  { words: 'When are they due?', graphql: '{ issues { nodes { dueDate } } }', says: /Did you mean .*dueOn/ },
  { words: 'Which tickets are open?', graphql: '{ tickets { nodes { title } } }', says: /Did you mean .*issues/ },
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
    says: /Did you mean .*[pP]erson/,
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
    says: /`addPerson` is the Person itself: ask for its fields/,
  },
  {
    words: 'Add a person with two flaws',
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

export const GRAPHQL_QUESTIONS: readonly Question[] = [
  ...people,
  ...groups,
  ...projects,
  ...risks,
  ...issues,
  ...changes,
  ...other,
]
