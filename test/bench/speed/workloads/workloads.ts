/** The workloads, as REST and as GraphQL requests. */

import { personnel } from '../../../../src/personnel/people.js'
import { risks } from '../../../../src/projects/risks.js'
import { cursorAt } from '../../../../src/store/query/cursors.js'
import { openDatabase } from '../../../../src/store/sqlite/driver.js'
import { type Filled, storeOf } from '../data.js'
import type { Mix } from '../load.js'
import type { Part } from '../options.js'

export type Api = 'rest' | 'graphql'

/** One request as REST and as GraphQL; some are GraphQL only. */
export interface BenchRequest {
  readonly rest?: { readonly path: string; readonly body?: string }
  readonly graphql: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }
}

export interface Work {
  readonly name: string
  readonly part: Part
  readonly title: string
  readonly clients: number
  /** How often in a round each contestant that answers from memory is started; once if absent. */
  readonly startsFromMemory?: number
  readonly reads: readonly BenchRequest[]
  /** The share of requests that add a person. */
  readonly writeShare: number
  readonly mix: Mix
}

/** Whether this API supports the workload. */
export function isOpenTo({ reads }: Work, api: Api): boolean {
  return api === 'graphql' || reads.every(({ rest }) => rest !== undefined)
}

export const PERSON =
  'id name email externalId title department status groups { id name } details { name text } createdAt updatedAt'
const RISK = `id reference project { id key name } title description category likelihood impact scoreGiven score level rank
  status response mitigation cause residualLikelihood residualImpact residualScore residualLevel owner { id name } url
  raisedOn reviewOn dueOn details { name text } createdAt updatedAt`
const ISSUE = `id reference project { id key name } title description severity status assigneeId assigneeName riskId
  url raisedOn dueOn details { name text } createdAt updatedAt`
export const PAGE = 'pageInfo { hasNextPage endCursor }'

const QUERIES = {
  people: `query people($first: Int, $after: String) {
    personnel(first: $first, after: $after) { nodes { ${PERSON} } ${PAGE} }
  }`,
  person: `query person($id: ID!) { person(id: $id) { ${PERSON} } }`,
  risks: `query risks($first: Int!, $project: [String!]) {
    risks(first: $first, filter: { project: $project }) { nodes { ${RISK} } ${PAGE} }
  }`,
  issues: `query issues($first: Int!, $project: [String!]) {
    issues(first: $first, filter: { project: $project }) { nodes { ${ISSUE} } ${PAGE} }
  }`,
  addPerson: `mutation add($input: AddPersonInput!) { addPerson(input: $input) { ${PERSON} } }`,
}

const ROWS = 50

export const somePeople = (after?: string): BenchRequest => ({
  rest: { path: `/v1/personnel?limit=${ROWS}${after === undefined ? '' : `&cursor=${after}`}` },
  graphql: { query: QUERIES.people, variables: { first: ROWS, ...(after !== undefined && { after }) } },
})

export const topRisks = (after?: string): BenchRequest => ({
  rest: { path: `/v1/risks?limit=${ROWS}${after === undefined ? '' : `&cursor=${after}`}` },
  graphql: { query: QUERIES.risks, variables: { first: ROWS } },
})

export const everyone: BenchRequest = {
  rest: { path: '/v1/personnel' },
  graphql: { query: QUERIES.people, variables: {} },
}

const onePerson = (id: string): BenchRequest => ({
  rest: { path: `/v1/personnel/${id}` },
  graphql: { query: QUERIES.person, variables: { id } },
})

const ofProject = (list: 'risks' | 'issues', key: string): BenchRequest => ({
  rest: { path: `/v1/${list}?project=${key}&limit=${ROWS}` },
  graphql: { query: QUERIES[list], variables: { first: ROWS, project: [key] } },
})

/** Placeholder that the load generator replaces by a number, so that no two people are the same. */
export const UNIQUE = '##########'

const newcomer = {
  name: `Newcomer ${UNIQUE}`,
  email: `newcomer${UNIQUE}@company.example`,
  title: 'Engineer',
  department: 'Delivery',
}

export const addPerson: BenchRequest = {
  rest: { path: '/v1/personnel', body: JSON.stringify(newcomer) },
  graphql: { query: QUERIES.addPerson, variables: { input: newcomer } },
}

export const CLIENTS = 32
/** A response of some megabytes to each of them is enough to keep the server busy. */
const CLIENTS_OF_LARGE = 4
const WRITE_SHARE = 0.05

const reading = { writeShare: 0, mix: 'even' } as const

export function worksOn(filled: Filled): readonly Work[] {
  const many = manyReads(filled)
  const mixed = { part: 'W5', clients: CLIENTS, reads: many, writeShare: WRITE_SHARE } as const
  const mixture = `${100 * (1 - WRITE_SHARE)}% reads of ${many.length} kinds, ${100 * WRITE_SHARE}% writes`
  return [
    { name: 'W1', part: 'W1', title: 'A page of 50 people', clients: CLIENTS, reads: [somePeople()], ...reading },
    {
      ...{ name: 'W2', part: 'W2', title: 'The top 50 risks with project and owner', clients: CLIENTS },
      ...{ reads: [topRisks()], ...reading },
    },
    {
      ...{ name: 'W3', part: 'W3', title: 'All 10,000 people', clients: CLIENTS_OF_LARGE },
      ...{ reads: [everyone], ...reading },
      // How fast such a body is sent differs by a third from one start of the same program to the next.
      startsFromMemory: 3,
    },
    writing('W4, 1 client', 1),
    writing(`W4, ${CLIENTS} clients`, CLIENTS),
    { ...mixed, name: 'W5', title: `${mixture}, every kind as often`, mix: 'even' },
    { ...mixed, name: 'W5, skewed', title: `${mixture}, the n-th kind 1/n as often as the first`, mix: 'skewed' },
  ]
}

function writing(name: string, clients: number): Work {
  return { name, part: 'W4', title: 'Durable POST of a person', clients, reads: [], writeShare: 1, mix: 'even' }
}

const OF_EACH = 60

/** Different requests of four kinds, alternating. */
function manyReads({ folder }: Filled): BenchRequest[] {
  const db = openDatabase(storeOf(folder), { readonly: true })
  const people = db
    .prepare('select id, name_folded as nameFolded from person order by name_folded, id')
    .all() as PersonPlace[]
  const keys = db.prepare('select key from project order by key').pluck().all() as string[]
  db.close()
  const step = Math.floor(people.length / (OF_EACH + 1))
  return Array.from({ length: OF_EACH }, (_, index) => {
    const { id, nameFolded } = people[(index + 1) * step] ?? { id: '', nameFolded: '' }
    const key = keys[(index * 5) % keys.length] ?? ''
    const after = cursorAt(personnel, placeOfPerson({ id, nameFolded }))
    return [somePeople(after), onePerson(id), ofProject('risks', key), ofProject('issues', key)]
  }).flat()
}

interface PersonPlace {
  readonly id: string
  readonly nameFolded: string
}
const placeOfPerson = ({ nameFolded, id }: PersonPlace) => [nameFolded, id]

interface RiskPlace {
  readonly standing: number
  readonly raisedOn: string
  readonly id: string
}

/** Pages far down in the lists of people and risks. */
export function deepPages({ folder }: Filled, depth: number): { people: BenchRequest; risks: BenchRequest } {
  const db = openDatabase(storeOf(folder), { readonly: true })
  const at = <Row>(columns: string, from: string, order: string): Row => {
    const rows = Number(db.prepare(`select count(*) from ${from}`).pluck().get())
    return db
      .prepare(`select ${columns} from ${from} order by ${order} limit 1 offset ?`)
      .get(Math.floor(rows * depth)) as Row
  }
  const person = at<PersonPlace>('id, name_folded as nameFolded', "person where status = 'ACTIVE'", 'name_folded, id')
  const risk = at<RiskPlace>('standing, raised_on as raisedOn, id', 'risk where live = 1', 'standing, raised_on, id')
  db.close()
  const placeOfRisk = ({ standing, raisedOn, id }: RiskPlace) => [standing, raisedOn, id]
  return {
    people: somePeople(cursorAt(personnel, placeOfPerson(person))),
    risks: topRisks(cursorAt(risks, placeOfRisk(risk))),
  }
}
