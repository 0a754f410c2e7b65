import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { eq } from 'drizzle-orm'
import { mintKey, revokeKey } from '../../../src/auth/keys.js'
import { SCOPE_NAMES, type Scope } from '../../../src/auth/scopes.js'
import { newSecret } from '../../../src/auth/secrets.js'
import { asRun, recordRun } from '../../../src/history/importRuns.js'
import { addMember, addPerson } from '../../../src/personnel/people.js'
import type { Write } from '../../../src/store/store.js'
import { addGroup, addIssue, addProject, addRisk, issue, project, risk } from '../../support/fixtures.js'
import { type Caller, type Gateway, NOW, openGateway, type TestResponse } from '../../support/harness.js'
import { type Rows, STYLES } from './paths.js'
import type { Self } from './results.js'

/** A caller with a key. */
export interface Holder {
  readonly label: string
  readonly self: Self
  readonly caller: Caller
}

/** A caller with an invalid key, and the expected challenge. */
interface Stranger {
  readonly label: string
  readonly caller: Caller
  readonly challenge: string
}

export interface Stage {
  readonly gateway: Gateway
  /** A key with each set of scopes. */
  readonly holders: readonly Holder[]
  /** The key with every scope. */
  readonly everything: Holder
  /** The same, bound to the project that is written to. */
  readonly bound: readonly Holder[]
  readonly strangers: readonly Stranger[]
  /** Rows to read, rows to write, and missing rows; all ids have the same length. */
  readonly rows: Rows
  readonly away: Rows
  readonly nowhere: Rows
  /** Stores the group of `away` again, if it was removed. */
  readonly putBack: () => void
}

/** Whether all keys, fields and paths are tried, as in `.ci/run`; `npm test` tries a slice of them. */
const isWhole = process.env['TEST_MATRIX'] === 'whole'

const SLICE_SEED = 'operations'
const SLICES = 8

/** The cases whose names the seed selects, one in eight; all of them in the whole matrix. */
export function sliceOf<T>(all: readonly T[], nameOf: (one: T) => string): T[] {
  const isChosen = (name: string) =>
    (createHash('sha256')
      .update(SLICE_SEED + name)
      .digest()[0] ?? 0) %
      SLICES ===
    0
  return all.filter((one) => isWhole || isChosen(nameOf(one)))
}

/** The ways to write a query that are tried; in a slice the plain one and fragments. */
export const STYLES_TRIED = isWhole ? STYLES : STYLES.filter((style) => style === 'plain' || style === 'named fragment')

/** The same for a query that has been sent in the plain one already. */
export const STYLES_LEFT = isWhole ? STYLES : STYLES_TRIED.filter((style) => style !== 'plain')

/** In a slice the one case whose turn it is, so that each is tried by some test of a table; all of them in the whole matrix. */
export function turnOf<T>(all: readonly T[], turn: number): readonly T[] {
  return all.filter((_, index) => isWhole || index === turn % all.length)
}

/** The number of checks below which something was left out; a slice has its share. */
export const checksMin = (whole: number) => (isWhole ? whole : whole / (2 * SLICES))

/** Every set of scopes; in a slice no scope, each one alone, and all. */
export function scopeSets(): Scope[][] {
  const all = Array.from({ length: 2 ** SCOPE_NAMES.length }, (_, bits) =>
    SCOPE_NAMES.filter((_, place) => bits & (1 << place)),
  )
  return all.filter(({ length }) => isWhole || length < 2 || length === SCOPE_NAMES.length)
}

export async function openStage(atEnd: (close: () => Promise<void>) => void): Promise<Stage> {
  const gateway = openGateway({}, atEnd)
  const [rows, away] = await gateway.write(async (write) => {
    const run = asRun(write)
    const facts = { kind: 'IMPORT', noun: 'people', source: 'HR', operator: 'Charles' } as const
    await recordRun(run, facts, { created: 1, updated: 0, unchanged: 0, closed: 0 })
    return [await fill(run, 'APOLLO'), await fill(write, 'AWAY-1', true)]
  })
  const nowhere = Object.fromEntries(Object.entries(rows).map(([name, id]) => [name, `${id.slice(0, 4)}${zeros(id)}`]))
  const subsets = scopeSets()
  const holderOf = async (scopes: Scope[], projects: string[] | null): Promise<Holder> => {
    const self = { name: 'Matrix', scopes, projects, expiresAt: null }
    const { secret } = await gateway.write((write) => mintKey(write, { ...self, expiresAt: undefined }))
    return { label: `[${scopes.join(' ')}]`, self, caller: gateway.with(`Bearer ${secret}`) }
  }
  const holders = await Promise.all(subsets.map((scopes) => holderOf(scopes, null)))
  const bound = await Promise.all(subsets.map((scopes) => holderOf(scopes, ['AWAY-1'])))
  const everything = holders.at(-1)
  if (!everything) throw new Error('There are no scopes.')
  const [name, externalId] = [away['Group.name'], away['Group.externalId']]
  const values = [away['Group'], name, name?.toLowerCase(), externalId, NOW.toISOString(), NOW.toISOString()]
  // By SQL, so that the version of the store stays.
  const putBack = () =>
    gateway.own.run(`insert into groups (id, name, name_folded, external_id, created_at, updated_at)
      values (${values.map((value) => `'${value}'`).join(', ')}) on conflict do nothing`)
  return { gateway, holders, everything, bound, strangers: await strangersTo(gateway), rows, away, nowhere, putBack }
}

const zeros = (id: string) => '0'.repeat(id.length - 4)

/** One row of each noun, related to the others; a second of some, so that lists have unrelated rows too. */
async function fill(write: Write, key: string, isAway = false): Promise<Rows> {
  const names = { 'Group.name': `Group of ${key}`, 'Group.externalId': `G-${key}` }
  const Group = await addGroup(write, { name: names['Group.name'], externalId: names['Group.externalId'] })
  const addresses = { 'Person.email': `ada@${key}.org`, 'Person.externalId': `P-${key}` }
  const [email, externalId] = Object.values(addresses)
  const { id: Person } = await addPerson(write, { name: 'Ada', email, externalId, groupIds: [Group] })
  const stable = await addPerson(write, { name: 'Bea', email: `bea@${key}.org` })
  if (isAway) await addMember(write, Group, stable.id)
  else await write.db.update(write.t.person).set({ mergedInto: stable.id }).where(eq(write.t.person.id, Person))
  const Project = await addProject(write, project({ key }))
  const due = { dueOn: '2026-10-31' }
  const assessed = { likelihood: 5, impact: 5 }
  const Risk = await addRisk(write, risk(Project, { reference: 'R-1001', ownerId: Person, ...assessed, ...due }))
  await addRisk(write, risk(Project, { reference: 'R-2', likelihood: 4 }))
  const Issue = await addIssue(
    write,
    issue(Project, { reference: 'I-1001', assigneeId: Person, riskId: Risk, severity: 'CRITICAL', ...due }),
  )
  await addIssue(write, issue(Project, { reference: 'I-2' }))
  const references = { 'Risk.reference': 'R-1001', 'Issue.reference': 'I-1001' }
  return { Person, Group, Project, Risk, Issue, key, ...names, ...addresses, ...references }
}

async function strangersTo(gateway: Gateway): Promise<Stranger[]> {
  const mint = (expiresAt: Date | undefined) =>
    gateway.write((write) => mintKey(write, { name: 'Gone', scopes: SCOPE_NAMES, expiresAt }))
  const expired = await mint(new Date(NOW.getTime() - 1))
  const revoked = await mint(undefined)
  await gateway.write((write) => revokeKey(write, revoked.id))
  const plain = 'Bearer realm="operations"'
  const invalid = `${plain}, error="invalid_token"`
  return [
    { label: 'no key', caller: gateway.with(undefined), challenge: plain },
    { label: 'another scheme', caller: gateway.with('Basic YTpi'), challenge: plain },
    { label: 'a malformed header', caller: gateway.with('Bearer two words'), challenge: invalid },
    { label: 'an unknown key', caller: gateway.with(`Bearer ${newSecret()}`), challenge: invalid },
    { label: 'an expired key', caller: gateway.with(`Bearer ${expired.secret}`), challenge: invalid },
    { label: 'a revoked key', caller: gateway.with(`Bearer ${revoked.secret}`), challenge: invalid },
  ]
}

/** The input for each mutation, never the same twice; `rows` are its targets. */
const INPUTS: Readonly<Record<string, (n: number, rows: Rows) => object>> = {
  AddPersonInput: (n, { Group }) => ({ name: 'New', email: `new${n}@example.com`, groupIds: [Group] }),
  ChangePersonInput: (n) => ({ title: `Title ${n}` }),
  AddGroupInput: (n) => ({ name: `Group ${n}` }),
  ChangeGroupInput: (n) => ({ description: `Changed ${n} times` }),
  SyncPersonnelInput: (n) => ({ people: [{ name: 'Synced', email: `synced${n}@example.com` }] }),
  SyncProjectInput: (n, { key }) => ({ key, name: `Project ${n}` }),
}

let inputs = 0

export function inputOf(type: string, rows: Rows): object {
  const make = INPUTS[type.replace('!', '')]
  if (!make) throw new Error(`The matrix has no value of the type ${type}.`)
  inputs += 1
  return make(inputs, rows)
}

/** Counts checks and records failures. */
export class Tally {
  checks = 0
  private wrong: string[] = []

  check(what: string, actual: unknown, expected: unknown): void {
    this.checks += 1
    if (isDeepStrictEqual(actual, expected)) return
    this.wrong.push(`${what}\n  is        ${JSON.stringify(actual)}\n  should be ${JSON.stringify(expected)}`)
  }

  /** The failures since the last call. */
  findings(): string[] {
    const found = this.wrong
    this.wrong = []
    return found
  }
}

/** A whole response without its Request-Id. */
export function sameness({ status, headers, text }: TestResponse): string {
  return JSON.stringify([status, ...headers, text]).replaceAll(headers.get('request-id') ?? 'none', 'REQUEST-ID')
}

/** All stored rows without the last use of keys. */
export function dumpOf({ own }: Gateway): string {
  const hash = createHash('sha256')
  for (const [name, rows] of Object.entries(own.dump())) {
    for (const { last_used_at: _, ...row } of rows) hash.update(JSON.stringify([name, row]))
  }
  return hash.digest('hex')
}
