/** Random reads of everything that can be read, and random writes of every kind. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { ROUTES } from '../../src/http/rest/routes.js'
import { newId } from '../../src/ids.js'
import type { RequestOptions } from './client.js'
import { randomInt } from './random.js'
import { listQuery, referencesQuery, SINGLES, type Single, singleQuery } from './randomQueries.js'

export interface Step extends RequestOptions {
  readonly path: string
}

export const any = <T>(from: readonly T[]): T => from[randomInt(from.length)] as T
const some = <T>(from: readonly T[]): T[] => from.filter(() => randomInt(3) === 0)

/** As in the filters of the random queries. */
const PROJECTS = ['P-0', 'P-1', 'P-2']
/** Few, so that the same person is read, changed and read again. */
const PEOPLE = Array.from({ length: 30 }, (_, i) => i)
const GROUPS = Array.from({ length: 6 }, (_, i) => `Group ${i}`)
const NONE = 'none_0'

/** People who are read before they exist, and then imported one by one. */
const ARRIVING = Array.from({ length: 1_000 }, () => newId('person', new Date()))
let arrived = 0
const arriving = () => ARRIVING[arrived] ?? NONE

/** The ids that responses have shown. */
const ids: Record<Single, string[]> = {
  person: [],
  group: [],
  project: [...PROJECTS],
  risk: [],
  issue: [],
}
const idOf = (kind: Single): string => (ids[kind].length > 0 ? any(ids[kind]) : NONE)

/** Learns the ids of a response, to read and change them later. */
export function learn(text: string): void {
  for (const [id, prefix] of text.matchAll(/\b(usr|grp|rsk|iss)_[0-9a-z]{26}\b/g)) {
    const kind = ({ usr: 'person', grp: 'group', rsk: 'risk', iss: 'issue' } as const)[prefix as 'usr']
    if (!ids[kind].includes(id)) ids[kind].push(id)
    if (ids[kind].length > 60) ids[kind].splice(randomInt(40), 1)
  }
}

const OF_PATH = { personnel: 'person', groups: 'group', projects: 'project', risks: 'risk', issues: 'issue' } as const
const READ_ROUTES = ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path)
const PARAMETERS: readonly (readonly [string, () => string])[] = [
  ['/v1/personnel', () => `?limit=${any([1, 5, 50])}&total=true&status=${any(['active', 'active,inactive'])}`],
  ['/v1/personnel', () => `?search=${any(['person', 'renamed', 'hr'])}`],
  ['/v1/personnel', () => `?group=${encodeURIComponent(any(GROUPS))}`],
  ['/v1/groups', () => `?search=${any(['group', '3'])}&total=true`],
  ['/v1/risks', () => `?limit=${any([2, 20])}&minScore=${any([0, 6])}`],
  [
    '/v1/risks',
    () => `?project=${any(PROJECTS)}&owner=${any([idOf('person'), 'none', `p${randomInt(30)}@example.com`])}`,
  ],
  ['/v1/issues', () => `?total=true&assignee=${any([idOf('person'), 'none', `p${randomInt(30)}@example.com`])}`],
  ['/v1/risks/matrix', () => `?owner=${any([idOf('person'), `p${randomInt(30)}@example.com`])}`],
]

function restRead(): Step {
  const [path, parameters] = randomInt(3) === 0 ? any(PARAMETERS) : [any(READ_ROUTES), () => '']
  const kind = OF_PATH[path.split('/')[2] as keyof typeof OF_PATH]
  const target = path.replace('{reference}', `E-${randomInt(3)}`).replace(/\{\w+\}/, () => idOf(kind)) + parameters()
  const csv = /^\/v1\/(personnel|groups|projects|risks|issues)$/.test(path) ? ['text/csv'] : []
  return {
    path: target,
    method: any(['GET', 'GET', 'HEAD']),
    headers: { accept: any(['*/*', ...csv]), 'accept-encoding': any(['gzip', 'identity']) },
  }
}

const query = (text: string, variables: object = {}): Step => ({
  path: '/graphql',
  method: 'POST',
  body: JSON.stringify({ query: text, variables }),
})

const SAMPLES = 150

/** Random selections of all lists, of one entity, by reference and by node; each is sent many times. */
const SELECTIONS: readonly (() => Step)[] = [
  ...fc.sample(listQuery, SAMPLES).map(({ list, selection, parts: [around], filter, first }) => {
    const page = `first: ${first ?? 7}, filter: { ${filter} }`
    const text = `{ ${list}(${page}) { nodes { ${selection} } ${around.join(' ')} } }`
    return () => query(`query ${usedIn(text)} ${text}`)
  }),
  ...fc.sample(singleQuery, SAMPLES).map(({ single, selection }) => {
    const text = `{ ${single}(id: $id) { ${selection} } }`
    return () => query(`query ${usedIn(text)} ${text}`, { id: idOf(single) })
  }),
  ...fc.sample(singleQuery, SAMPLES).map(({ single, selection }) => {
    const text = `{ node(id: $id) { ... on ${SINGLES[single]} { ${selection} } } }`
    return () => query(`query ${usedIn(text)} ${text}`, { id: idOf(single) })
  }),
  ...fc.sample(referencesQuery, SAMPLES).map(({ selection, places }) => {
    const text = `{ _entities(representations: $r) { ${selection} } }`
    const reference = ([single]: (typeof places)[number]) => ({ __typename: SINGLES[single], id: idOf(single) })
    return () => query(`query ${usedIn(text)} ${text}`, { r: places.slice(0, 3).map(reference) })
  }),
]

/** The declarations of the variables that a query uses. */
function usedIn(text: string): string {
  const TYPES = { $yes: 'Boolean = true', $no: 'Boolean = false', $id: 'ID!', $r: '[_Any!]!' }
  const used = Object.entries(TYPES).filter(([name]) => new RegExp(`\\${name}\\b`).test(text))
  return used.length > 0 ? `(${used.map(([name, type]) => `${name}: ${type}`).join(', ')})` : ''
}

export const readArriving = () =>
  query('query ($id: ID!) { person(id: $id) { name } groups { nodes { name } } }', { id: arriving() })

const OTHERS: readonly (() => Step)[] = [
  () =>
    query('query ($id: ID!) { person(id: $id) { name history(first: 5) { nodes { action by } } } }', {
      id: idOf('person'),
    }),
  () =>
    query(
      '{ risks(first: 3) { nodes { owner { name } history(first: 3) { nodes { action fields { field to } } } } } }',
    ),
  () => query('{ issues { nodes { title assignee { name groups { name members { totalCount } } } } } }'),
  () =>
    query('query ($id: ID!) { person(id: $id) { name } risks { nodes { owner { name } } } }', { id: idOf('person') }),
  () => query('{ apiKey { name scopes } groups { nodes { name memberCount } } }'),
]

export const read = (): Step => any([restRead, any(SELECTIONS), any(OTHERS)])()

const json = (method: string, path: string, body: unknown): Step => ({ path, method, body: JSON.stringify(body) })
const number = () => randomInt(30)
const person = (i = number()) => ({
  name: `Person ${any(['', 'A', 'B'])}${i}`.trim(),
  externalId: `HR-${i}`,
  ...(randomInt(2) === 0 && { email: `p${i}@example.com` }),
  ...(randomInt(3) === 0 && { title: `T${randomInt(9)}` }),
})

let others = 0

export const WRITES: readonly (() => Step)[] = [
  // Most people are added without a group: the only write that leaves `known` as it is.
  () => json('POST', '/v1/personnel', { name: `Person ${others}`, externalId: `X-${others++}` }),
  () => json('POST', '/v1/personnel', person()),
  () => json('POST', '/v1/personnel', { ...person(), groupIds: some(ids.group) }),
  () => json('PATCH', `/v1/personnel/${idOf('person')}`, { name: `Renamed ${number()}` }),
  () => json('PATCH', `/v1/personnel/${idOf('person')}`, { status: any(['ACTIVE', 'INACTIVE']) }),
  () => json('PATCH', `/v1/personnel/${idOf('person')}`, { email: `p${number()}@example.com` }),
  () => json('POST', '/v1/groups', { name: any(GROUPS) }),
  () => json('PATCH', `/v1/groups/${idOf('group')}`, { description: `About ${number()}` }),
  () => ({ path: `/v1/groups/${idOf('group')}/members/${idOf('person')}`, method: any(['PUT', 'DELETE']) }),
  () => json('POST', '/v1/personnel/batch', { people: [{ name: 'Only new', externalId: `Y-${others++}` }] }),
  () =>
    json('POST', '/v1/personnel/batch', {
      people: some(PEOPLE.map((i) => person(i))),
      leavers: any(['KEEP', 'INACTIVE']),
      leaverLimit: 100,
    }),
  () =>
    json('POST', '/v1/personnel/batch', {
      groups: some(GROUPS).map((name) => ({ name, members: [`HR-${number()}`] })),
    }),
  () => json('POST', '/v1/projects', project()),
  () =>
    query(
      `mutation { a: addPerson(input: { name: "M", externalId: "M-${others}" }) { id } b: addPerson(input: { name: "N", externalId: "N-${others++}" }) { id } }`,
    ),
]

function project() {
  const entries = (count: number, more: () => object) =>
    Array.from({ length: randomInt(count) }, (_, i) => ({ reference: `E-${i}`, title: 'Fog', ...more() }))
  const risks = entries(6, () => ({
    likelihood: randomInt(1, 6),
    impact: randomInt(1, 6),
    ...(randomInt(3) > 0 && { owner: `HR-${number()}` }),
  }))
  const issues = entries(4, () => ({ severity: 'HIGH', ...(randomInt(3) > 0 && { assignee: `HR-${number()}` }) }))
  return { key: any(PROJECTS), name: 'Project', risks, issues, closeLimit: 100 }
}

/** The arguments of a command that changes the store, with the file that it reads. */
export function commandIn(folder: string): string[] {
  const sheet = (noun: string, lines: readonly string[], ...flags: string[]) => {
    const file = join(folder, `${noun}.csv`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    return ['import', noun, file, ...flags]
  }
  return any([
    // With an id, as an export has it: who was not found by it is then found.
    () => sheet('people', ['id,name,externalId', `${arriving()},Imported,A-${arrived++}`]),
    () =>
      sheet(
        'people',
        ['name,externalId,groups', ...some(PEOPLE.map((i) => `Person ${i},HR-${i},${some(GROUPS).join(';')}`))],
        '--create-groups',
      ),
    () =>
      sheet(
        'risks',
        [
          'project,reference,title,likelihood,impact,owner',
          ...some([0, 1, 2, 3]).map((i) => `${any(PROJECTS)},E-${i},Imported,2,3,HR-${number()}`),
        ],
        '--create-projects',
      ),
    () => sheet('groups', ['name,members', ...some(GROUPS).map((name) => `${name},HR-${number()}`)]),
    () => ['erase', idOf('person'), '--yes'],
  ])()
}
