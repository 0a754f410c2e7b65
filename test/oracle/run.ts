import fc from 'fast-check'
import { parse, validate } from 'graphql'
import { mintKey } from '../../src/auth/keys.js'
import type { Gateway } from '../support/harness.js'
import { type Answer, differenceOf, Opaque } from './compare.js'
import { anyBeginning, anyMutation, anyQuery, EVERYTHING_STORED, type RandomQuery } from './queries.js'
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

interface Step extends RandomQuery {
  readonly key: number
  /** How long after the step before. */
  readonly afterMs: number
  readonly isMutation: boolean
}
const later = fc.constantFrom(1, 1_000, 3_600_000, 86_400_000, 86_400_000 * 9)
const stepOf = (sent: fc.Arbitrary<RandomQuery>, isMutation: boolean): fc.Arbitrary<Step> =>
  fc.tuple(sent, isMutation ? fc.oneof({ weight: 5, arbitrary: fc.constant(EVERYTHING) }, anyKey) : anyKey, later).map(([one, key, afterMs]) => ({ ...one, key, afterMs, isMutation }))

const changing = stepOf(anyMutation, true)
const asStep = (afterMs: number, isMutation: boolean) => (sent: RandomQuery) => ({ ...sent, key: EVERYTHING, afterMs, isMutation })
const anyStep = fc.oneof({ weight: 4, arbitrary: stepOf(anyQuery, false) }, changing)

/** Changes and queries, and at last everything that is stored. */
export const script = (least: number): fc.Arbitrary<Step[]> =>
  fc
    .tuple(anyBeginning, later, fc.array(anyStep, { minLength: least, maxLength: 2 * least, size: 'max' }))
    .map(([first, afterMs, rest]) => [
      ...first.map(asStep(afterMs, true)),
      ...rest,
      ...EVERYTHING_STORED.map(asStep(0, false)),
    ])

const NO_ROW: Readonly<Record<string, string>> = {
  ...{ person: 'usr_', group: 'grp_', groupName: 'grp_', project: 'prj_', key: 'prj_', lowerKey: 'prj_', risk: 'rsk_', issue: 'iss_' },
}

/** What a text such as «person 3» stands for in a company. */
function valueOf(world: World, name: string, place: number): string {
  const pools: Readonly<Record<string, readonly string[]>> = {
    person: world.all('PERSON').map(({ id }) => id),
    email: world.all('PERSON').flatMap(({ email }) => email ?? []),
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
  return found ?? (name === 'email' ? 'nobody@example.com' : `${NO_ROW[name]}${'0'.repeat(26)}`)
}

/** Replaces such texts in JSON. */
function placed(world: World, json: string): string {
  return json.replaceAll(/«(\w+) (\d+)»/g, (_, name: string, place: string) =>
    JSON.stringify(valueOf(world, name, Number(place))).slice(1, -1),
  )
}

/** The ids of the rows that are stored, by what names them. */
function idsIn({ own }: Gateway): Context['idOf'] {
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
      Object.entries(name).every(([member, text]) => row[columns[member] ?? member] === text)
    return String(all.find(isIt)?.['id'] ?? `not stored: ${JSON.stringify(name)}`)
  }
}

/** The ids of the rows that the last write has changed. */
function writtenIn({ own, clock }: Gateway): Context['written'] {
  let ids: string[] | undefined
  return () => {
    ids ??= own.rows(`select entity_id from change where recorded_at = '${clock.now.toISOString()}' order by id`).map((row) => String(row['entity_id']))
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

  private async step(step: Step): Promise<void> {
    const { gateway, world } = this
    const caller = this.keys[step.key]
    if (!caller) throw new Error('There is no such key.')
    if (step.isMutation) gateway.clock.now = new Date(gateway.clock.now.getTime() + step.afterMs)
    const query = placedQuery(world, step.query)
    const variables = JSON.parse(placed(world, JSON.stringify(step.variables)))
    for (let page = 0, after: string | undefined; page < 4; page++) {
      const ours = { ...variables, ...(after !== undefined && { after }) }
      const theirs = { ...variables, ...(after !== undefined && { after: this.opaque.actual(after) }) }
      const { body } = await gateway.with(caller.authorization).graphql(query, theirs)
      const actual: Answer = body
      if (actual.errors?.some(({ extensions }) => extensions?.['code'] === 'TOO_COMPLEX')) {
        this.tally.tooComplex += 1
        if (process.env['DBG']) console.log('DBG', JSON.stringify(actual).slice(0, 200))
        return
      }
      const context = { world, caller, now: gateway.clock.now.toISOString(), idOf: idsIn(gateway), written: writtenIn(gateway) }
      const isSound = validate(oracleSchema, parse(query)).length === 0
      const expected: Answer = isSound ? await answerOf({ query, variables: ours }, context) : { errors: [{ extensions: { code: 'BAD_REQUEST' } }] }
      const found = differenceOf(actual, plain(expected), this.opaque)
      if (found) throw new Error([found, query, JSON.stringify(theirs), caller.keyName, JSON.stringify(actual)].join('\n'))
      this.tally.compared += 1
      if (process.env['DBG']) console.log('DBG', step.isMutation, caller.keyName, isSound, JSON.stringify(actual).length, query.slice(0, 150), JSON.stringify(actual).slice(0,150))
      after = nextOf(plain(expected).data)
      if (after === undefined || !query.includes('$after')) return
    }
  }
}

/** The tokens of a query stand in its texts. */
function placedQuery(world: World, query: string): string {
  return placed(world, query)
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
