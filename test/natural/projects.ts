import { both, count, each, every, falling, is, like, type Question, some } from './checks.js'

const BEATRIZ = 'beatriz.carvalho@meridian.example'
const DIEGO = 'diego.fuentes@meridian.example'

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
    says: /one of DUE, RANK and UPDATED|Write .*RANK/,
  },
  {
    words: 'The gravest first (sort)',
    graphql: '{ risks(sort: "-score") { nodes { title } } }',
    says: /Give `orderBy`, one of DUE, RANK and UPDATED/,
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
    graphql: '{ risks(filter: {owner: "Diego Fuentes"}) { nodes { ownerName } } }',
    meant: each('risks.nodes', 'ownerName', 'Diego Fuentes', 'Fuentes, Diego'),
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
    says: /"yesterday": Must be a day such as \d{4}-\d{2}-\d{2}/,
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

export const PROJECT_QUESTIONS: readonly Question[] = [...projects, ...risks, ...issues]
