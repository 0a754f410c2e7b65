import { both, count, each, header, holds, is, type Question, some, text } from './checks.js'

const AMARA = 'amara.okafor@meridian.example'
const DIEGO = 'diego.fuentes@meridian.example'
const json = { 'content-type': 'application/json' }
const never = /GraphQL|resolver|first:|nodes/

const lists: readonly Question[] = [
  { words: 'Who works here?', rest: '/v1/personnel', meant: some('data', 20) },
  { words: 'Who works here? (people)', rest: '/v1/people', status: 404, says: /\/v1\/personnel/, never },
  { words: 'Who works here? (users)', rest: '/v1/users', status: 404, says: /\/v1\/personnel/, never },
  { words: 'Risks, without the version', rest: '/risks', status: 404, says: /\/v1\/risks/ },
  { words: 'Risks, below /api', rest: '/api/v1/risks', status: 404, says: /\/v1\/risks/ },
  { words: 'One project, in the singular', rest: '/v1/project/APOLLO', status: 404, says: /\/v1\/projects/, never },
  {
    words: 'Risks, with a slash at the end',
    rest: '/v1/risks/?limit=1',
    status: 308,
    meant: header('location', /\/v1\/risks\?limit=1$/),
  },
  { words: 'What is apollo?', rest: '/v1/projects/apollo', meant: is('key', 'APOLLO') },
  {
    words: 'Risks of apollo',
    rest: '/v1/projects/apollo/risks',
    meant: both(count('data', 8), each('data', 'project.key', 'APOLLO')),
  },
  { words: 'Issues of apollo', rest: '/v1/projects/APOLLO/issues', meant: each('data', 'project.key', 'APOLLO') },
  {
    words: 'Critical risks of coral',
    rest: '/v1/projects/coral/risks?level=CRITICAL',
    meant: each('data', 'level', 'CRITICAL'),
  },
  {
    words: 'Members of Engineering',
    rest: '/v1/groups/<group>/members',
    meant: both(count('data', 12), holds('data', 'name', 'Aoife Brennan')),
  },
  { words: 'Risks that Amara owns', rest: '/v1/personnel/<person>/risks', meant: each('data', 'ownerId', '<person>') },
  {
    words: 'Issues of Beatriz',
    rest: '/v1/personnel/<assignee>/issues',
    meant: each('data', 'assigneeId', '<assignee>'),
  },
  { words: 'What happened to Amara?', rest: '/v1/personnel/<person>/history', meant: some('data') },
  { words: 'What happened to a risk?', rest: '/v1/risks/<risk>/history', meant: some('data') },
  {
    words: 'Risks of a project that is not there',
    rest: '/v1/projects/nowhere/risks',
    status: 404,
    says: /nowhere/,
    never,
  },
  { words: 'A risk by its reference', rest: '/v1/risks/R-1', status: 404, says: /R-1|id/, never },
  {
    words: 'A word too many',
    rest: '/v1/projects/apollo/risk',
    status: 404,
    says: /\/v1\/projects\/apollo\/risks/,
    never,
  },
]

const filters: readonly Question[] = [
  { words: 'Risks of apollo', rest: '/v1/risks?project=apollo', meant: each('data', 'project.key', 'APOLLO') },
  {
    words: 'Risks of Apolo',
    rest: '/v1/risks?project=Apolo',
    status: 400,
    says: /There is no project 'Apolo'\. Did you mean APOLLO\?/,
    never,
  },
  {
    words: 'Risks that Diego owns',
    rest: `/v1/risks?owner=${DIEGO}`,
    meant: each('data', 'ownerName', 'Diego Fuentes', 'Fuentes, Diego'),
  },
  { words: 'People of Engineering', rest: '/v1/personnel?group=Engineering', meant: count('data', 12) },
  {
    words: 'People of finance',
    rest: '/v1/personnel?department=finance',
    meant: each('data', 'department', 'Finance'),
  },
  {
    words: 'People of two departments',
    rest: '/v1/personnel?department=IT&department=Legal',
    meant: each('data', 'department', 'IT', 'Legal'),
  },
  { words: 'What changed since a day', rest: '/v1/risks?updatedSince=2026-01-01', meant: some('data') },
  {
    words: 'What changed lately',
    rest: '/v1/risks?updatedSince=lately',
    status: 400,
    says: /updatedSince.*\d{4}-\d{2}-\d{2}/s,
    never,
  },
  { words: 'All at once', rest: '/v1/personnel?limit=5000', status: 400, says: /limit: Must be from 1 to 1000/, never },
  { words: 'None', rest: '/v1/personnel?limit=0', status: 400, says: /limit: Must be from 1 to 1000/, never },
  { words: 'A few', rest: '/v1/personnel?limit=few', status: 400, says: /limit: Must be from 1 to 1000/, never },
  { words: 'Five a page', rest: '/v1/risks?per_page=5', status: 400, says: /limit/, never },
  { words: 'Five, as in GraphQL', rest: '/v1/risks?first=5', status: 400, says: /limit/ },
  { words: 'The second page', rest: '/v1/risks?page=2', status: 400, says: /`cursor`/, never },
  {
    words: 'By score',
    rest: '/v1/risks?sort=-score',
    status: 400,
    says: /Give `order`, one of DUE, RANK and UPDATED/,
    never,
  },
  { words: 'Level in small letters', rest: '/v1/risks?level=critical', meant: each('data', 'level', 'CRITICAL') },
  { words: 'A level that is none', rest: '/v1/risks?level=SEVERE', status: 400, says: /CRITICAL/, never },
]

const bodies: readonly Question[] = [
  {
    words: 'Add a person, nothing sent',
    rest: 'POST /v1/personnel',
    headers: json,
    body: '',
    status: 400,
    says: /empty/,
    never,
  },
  {
    words: 'Add a person, a comma too many',
    rest: 'POST /v1/personnel',
    headers: json,
    body: '{\n  "name": "Ada",\n}',
    status: 400,
    says: /line 3, column 1/,
    never,
  },
  {
    words: 'Add a person with two violations',
    rest: 'POST /v1/personnel',
    headers: json,
    body: '{"name": "", "email": "not an address"}',
    status: 422,
    says: /name.*email/s,
    never,
  },
  {
    words: 'Change a person with two violations',
    rest: 'PATCH /v1/personnel/<person>',
    headers: json,
    body: '{"name": "", "email": "not an address"}',
    status: 422,
    says: /name.*email/s,
    never,
  },
  {
    words: 'Add somebody who is there',
    rest: 'POST /v1/personnel',
    headers: json,
    body: `{"name": "Amara", "email": "${AMARA}"}`,
    status: 409,
    says: /Already exists/,
    never,
  },
  {
    words: 'Somebody who is not there',
    rest: '/v1/personnel/usr_01m7edxe4cf17vhsgt3zx9wxhg',
    status: 404,
    says: /Not found/,
    never,
  },
  { words: 'Delete someone', rest: 'DELETE /v1/personnel/<person>', status: 405, says: /PATCH .*INACTIVE/, never },
  {
    words: 'Delete a group',
    rest: 'DELETE /v1/groups/Nobody',
    status: 404,
    says: /Name it by its name or its id/,
    never,
  },
  {
    words: 'One, by id',
    rest: '/v1/groups/Engineering?id=1',
    status: 400,
    says: /This path takes no parameters/,
    never,
  },
  { words: 'CSV of what', rest: '/v1/risks.csv?foo=1', status: 400, says: /limit, cursor, separator/, never },
  { words: 'Delete them all', rest: 'DELETE /v1/risks', status: 405, says: /GET/, never },
]

const keys: readonly Question[] = [
  {
    words: 'The key alone',
    rest: '/v1/risks',
    headers: { authorization: '<key>' },
    status: 401,
    says: /Bearer/,
    never,
  },
  {
    words: 'The key in X-Api-Key',
    rest: '/v1/risks',
    headers: { authorization: '', 'x-api-key': '<key>' },
    status: 401,
    says: /Authorization: Bearer/,
    never,
  },
  {
    words: 'No key',
    rest: '/v1/risks',
    headers: { authorization: '' },
    status: 401,
    says: /Authorization: Bearer/,
    never,
  },
]

const sheets: readonly Question[] = [
  {
    words: 'Risks for Excel',
    rest: '/v1/risks',
    headers: { accept: 'text/csv' },
    meant: both(header('content-disposition', /attachment; filename="?risks/), text(/^\uFEFF/)),
  },
  {
    words: 'Risks for a German Excel',
    rest: '/v1/risks?separator=semicolon',
    headers: { accept: 'text/csv' },
    meant: text(/^\uFEFF\w+;/),
  },
]

export const REST_QUESTIONS: readonly Question[] = [...lists, ...filters, ...bodies, ...keys, ...sheets]
