import fc from 'fast-check'
import { parse, validate } from 'graphql'
import { mintKey } from '../../src/auth/keys.js'
import type { Gateway } from '../support/harness.js'
import { mutation } from './companies.js'
import { type Answer, difference, differenceOf, Opaque } from './compare.js'
import { anyBeginning, anyMutation, anyQuery, EVERYTHING_STORED, everyFilter, type RandomQuery } from './queries.js'
import { anyRequest, requestOf } from './requests.js'
import { type RestAnswer, type RestRequest, restAnswerOf, restChangeOf } from './rest.js'
import { type Caller, type Context, type Kind, type Scope, World } from './rows.js'
import { answerOf, oracleSchema } from './schema.js'

/** Runs random steps against the service and the oracle side by side. */

const AREAS = [[], ['read'], ['manage']] as const
const SCOPES: readonly (readonly Scope[])[] = AREAS.flatMap((people) =>
  AREAS.map((projects) => [
    ...people.map((action) => `personnel.${action}` as const),
    ...projects.map((action) => `projects.${action}` as const),
  ]),
)
/** The key with every scope is the last one. */
const EVERYTHING = SCOPES.length - 1
const anyKey = fc.oneof(fc.constant(EVERYTHING), fc.nat(EVERYTHING))

interface Step {
  readonly key: number
  /** How long after the step before. */
  readonly afterMs: number
  readonly sent: RandomQuery | RestRequest | RestChange
}
/** A mutation that is sent to the REST API. */
interface RestChange {
  readonly field: string
  readonly variables: Readonly<Record<string, unknown>>
}
const later = fc.constantFrom(1, 1_000, 3_600_000, 86_400_000, 86_400_000 * 9)
const mostlyAll = fc.oneof({ weight: 5, arbitrary: fc.constant(EVERYTHING) }, anyKey)
const reading = fc.record({
  sent: fc.oneof({ weight: 3, arbitrary: anyQuery }, { weight: 2, arbitrary: anyRequest }),
  key: anyKey,
  afterMs: fc.constant(0),
})
const changing = fc.record({
  sent: fc.oneof<fc.Arbitrary<Step['sent']>[]>(anyMutation, mutation),
  key: mostlyAll,
  afterMs: later,
})
const asStep =
  (key = EVERYTHING, afterMs = 0) =>
  (sent: RandomQuery) => ({ sent, key, afterMs })

/** Changes and requests; at last every filter, and everything that is stored, as two keys see it. */
export const script = (least: number): fc.Arbitrary<Step[]> => {
  const step = fc.oneof<fc.MaybeWeightedArbitrary<Step>[]>({ weight: 4, arbitrary: reading }, changing)
  const steps = fc.array(step, { minLength: least, maxLength: 2 * least, size: 'max' })
  return fc
    .tuple(anyBeginning, later, steps, everyFilter, fc.nat(EVERYTHING))
    .map(([first, afterMs, rest, filters, key]) => [
      ...[...first.map(asStep(EVERYTHING, afterMs)), ...rest, ...filters.map(asStep())],
      ...[...EVERYTHING_STORED.map(asStep()), ...EVERYTHING_STORED.map(asStep(key))],
    ])
}

const NO_ROW: Readonly<Record<string, string>> = {
  ...{
    person: 'usr_',
    group: 'grp_',
    groupName: 'grp_',
    project: 'prj_',
    key: 'prj_',
    lowerKey: 'prj_',
    risk: 'rsk_',
    issue: 'iss_',
  },
}

/** What a text such as «person 3» stands for in a company. */
function textOf(world: World, name: string, place: number): string {
  const pools: Readonly<Record<string, readonly string[]>> = {
    person: world.all('PERSON').map(({ id }) => id),
    email: world.all('PERSON').flatMap(({ email }) => email ?? []),
    name: world.all('PERSON').flatMap(({ name }) => (name.includes('@') ? [] : name)),
    group: world.all('GROUP').map(({ id }) => id),
    groupName: world.all('GROUP').map((one) => one.name),
    project: world.all('PROJECT').map(({ id }) => id),
    key: world.all('PROJECT').map(({ key }) => key),
    lowerKey: world.all('PROJECT').map(({ key }) => key.toLowerCase()),
    risk: world.all('RISK').map(({ id }) => id),
    issue: world.all('ISSUE').map(({ id }) => id),
    instant: [...new Set(world.changes.map(({ recordedAt }) => recordedAt))],
  }
  const pool = pools[name] ?? []
  const found = pool[place % Math.max(1, pool.length)]
  if (name === 'instant') return place % 2 ? (found ?? '2026-11-02') : (found ?? '2026-11-03').slice(0, 10)
  return found ?? (name === 'email' || name === 'name' ? 'nobody@example.com' : `${NO_ROW[name]}${'0'.repeat(26)}`)
}

/** Replaces such texts in whatever is sent; those of a query stand in its texts. */
function placed<T>(world: World, sent: T): T {
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1)
  const json = JSON.stringify(sent, (name, value) =>
    name === 'query'
      ? String(value).replaceAll(TOKEN, (_, of, place) => escaped(textOf(world, of, Number(place))))
      : value,
  )
  return JSON.parse(json.replaceAll(TOKEN, (_, of, place) => escaped(textOf(world, of, Number(place)))))
}
const TOKEN = /«(\w+) (\d+)»/g

/** The ids of the rows that are stored and new to the oracle, by what names them. */
function idsIn({ own }: Gateway, world: World): Context['idOf'] {
  const queries: Readonly<Record<Kind, string>> = {
    PERSON: 'select id, email, external_id from person',
    GROUP: 'select id, name from groups',
    PROJECT: 'select id, key from project',
    RISK: 'select id, project_id, reference from risk',
    ISSUE: 'select id, project_id, reference from issue',
  }
  const rows = new Map<Kind, Readonly<Record<string, unknown>>[]>()
  const columns: Readonly<Record<string, string>> = { externalId: 'external_id', projectId: 'project_id' }
  return (kind, name) => {
    const all = rows.get(kind) ?? own.rows(queries[kind])
    rows.set(kind, all)
    const isIt = (row: Readonly<Record<string, unknown>>) =>
      world.get(kind, String(row['id'])) === null &&
      Object.entries(name).every(([member, text]) => row[columns[member] ?? member] === text)
    return String(all.find(isIt)?.['id'] ?? `not stored: ${JSON.stringify(name)}`)
  }
}

/** The ids of the rows that the last write has changed. */
function writtenIn({ own, clock }: Gateway): Context['written'] {
  let ids: string[] | undefined
  return () => {
    ids ??= own
      .rows(`select entity_id from change where recorded_at = '${clock.now.toISOString()}' order by id`)
      .map((row) => String(row['entity_id']))
    return ids
  }
}

interface Key extends Caller {
  readonly authorization: string
}

/** What a run has compared. */
export interface Tally {
  compared: number
  /** Queries that were too dear: the oracle knows no costs. */
  tooComplex: number
}

export class Run {
  private readonly gateway: Gateway
  private readonly world = new World()
  private readonly opaque = new Opaque()
  private keys: readonly Key[] = []
  /** The last REST response, to be shown when it is wrong. */
  private lastText = ''
  readonly tally: Tally

  constructor(gateway: Gateway, tally: Tally) {
    this.gateway = gateway
    this.tally = tally
  }

  async play(steps: readonly Step[]): Promise<void> {
    this.keys = await this.gateway.write(async (write) => {
      const keys: Key[] = []
      for (const scopes of SCOPES) {
        const { id, secret } = await mintKey(write, { name: scopes.join(' ') || 'none', scopes, expiresAt: undefined })
        keys.push({ keyId: id, keyName: scopes.join(' ') || 'none', scopes, authorization: `Bearer ${secret}` })
      }
      return keys
    })
    for (const step of steps) await this.step(step)
  }

  private async step({ key, afterMs, sent }: Step): Promise<void> {
    const { gateway, world } = this
    const caller = this.keys[key]
    if (!caller) throw new Error('There is no such key.')
    gateway.clock.now = new Date(gateway.clock.now.getTime() + afterMs)
    const context = {
      world,
      caller,
      now: gateway.clock.now.toISOString(),
      idOf: idsIn(gateway, world),
      written: writtenIn(gateway),
    }
    if ('query' in sent) return this.ask(placed(world, sent), caller, context)
    if ('path' in sent) return this.read(placed(world, sent), caller, context)
    const { field, variables } = placed(world, sent)
    const request = requestOf(field, variables)
    const actual = await this.request(request, caller)
    this.compare(actual, await restChangeOf(field, variables, context), [request, caller.keyName])
  }

  /** A query, page by page. */
  private async ask({ query, variables }: RandomQuery, caller: Key, context: Context): Promise<void> {
    const isSound = validate(oracleSchema, parse(query)).length === 0
    for (let page = 0, after: string | undefined; page < 4; page++) {
      const given = (cursor: string | undefined) => ({ ...variables, ...(cursor !== undefined && { after: cursor }) })
      const theirs = given(after === undefined ? undefined : this.opaque.actual(after))
      const { body } = await this.gateway.with(caller.authorization).graphql(query, theirs)
      const actual: Answer = body
      if (actual.errors?.some(({ extensions }) => extensions?.['code'] === 'TOO_COMPLEX')) {
        this.tally.tooComplex += 1
        return
      }
      const expected = isSound ? plain(await answerOf({ query, variables: given(after) }, context)) : MALFORMED
      const found = differenceOf(actual, expected, this.opaque)
      if (found) throw wrong(found, [query, theirs, caller.keyName, actual])
      this.tally.compared += 1
      after = nextOf(expected.data)
      if (after === undefined || !query.includes('$after')) return
    }
  }

  /** A REST request, page by page. */
  private async read(request: RestRequest, caller: Key, context: Context): Promise<void> {
    for (let page = 0, after: string | undefined; page < 4; page++) {
      const given = (cursor: string | undefined): RestRequest =>
        cursor === undefined ? request : { ...request, parameters: [...request.parameters, ['cursor', cursor]] }
      const theirs = given(after === undefined ? undefined : this.opaque.actual(after))
      const actual = await this.request(theirs, caller)
      const expected = await restAnswerOf(given(after), context)
      this.compare(actual, expected, [theirs, caller.keyName])
      const next: unknown = Object(Object(expected.body).page).next
      after = typeof next === 'string' && !request.path.includes('changes') ? next : undefined
      if (after === undefined) return
    }
  }

  private async request({ method, path, parameters, body }: RestRequest, caller: Key): Promise<RestAnswer> {
    const query = new URLSearchParams(parameters.map(([name, value]) => [name, value]))
    const url = `/v1/${path.map(encodeURIComponent).join('/')}${parameters.length > 0 ? `?${query}` : ''}`
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
    const response = await this.gateway.with(caller.authorization).request(url, sent)
    this.lastText = response.text
    if (response.status < 400) {
      const { warnings: _, ...shown } = Object(response.body)
      return { status: response.status, ...(response.status !== 204 && { body: shown }) }
    }
    const { code, requiredScope } = response.body
    return { status: response.status, body: { code, ...(requiredScope !== undefined && { requiredScope }) } }
  }

  private compare(actual: RestAnswer, expected: RestAnswer, details: readonly unknown[]): void {
    const found = difference(inOrder(actual), inOrder(JSON.parse(JSON.stringify(expected))), this.opaque, 'response')
    if (found) throw wrong(found, [...details, this.lastText])
    this.tally.compared += 1
  }
}

const MALFORMED: Answer = { errors: [{ extensions: { code: 'BAD_REQUEST' } }] }

function wrong(found: string, details: readonly unknown[]): Error {
  return new Error([found, ...details.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))].join('\n'))
}

/** The order of members does not matter in REST. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, inOrder(member)]))
}

/** An answer as it is sent: without prototypes and undefined values. */
function plain({ data, errors }: Answer): Answer {
  return { data: data === undefined ? null : JSON.parse(JSON.stringify(data)), errors }
}

/** The cursor at the end of the page that is followed. */
function nextOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  for (const [name, value] of Object.entries(data)) {
    if (name === 'page') return value?.pageInfo?.hasNextPage ? value.pageInfo.endCursor : undefined
    const found = nextOf(value)
    if (found !== undefined) return found
  }
  return undefined
}
