import fc from 'fast-check'
import { expect, test } from 'vitest'
import { importRecords } from '../../src/ingest/importers.js'
import { erasePerson } from '../../src/personnel/erasure.js'
import { inOneWrite } from '../../src/store/shortWrites.js'
import { ISSUE_SEVERITIES, ISSUE_STATUSES, RISK_STATUSES } from '../../src/vocabulary.js'
import { type Copy, Follower } from '../feed/follower.js'
import { type Caller, type Gateway, openGateway } from '../support/harness.js'
import { runs } from '../support/properties.js'
import { newStore, type TestStore } from '../support/stores.js'
import { sync } from '../support/syncing.js'

/** A service and a caller with every scope: one of two processes that write to the same store. */
interface Side {
  readonly gateway: Gateway
  readonly caller: Caller
}

const pick = <T>(all: readonly T[], number: number): T | undefined => all[number % Math.max(1, all.length)]
const idsAt = async ({ caller }: Side, path: string): Promise<string[]> =>
  (await caller.get(path)).body.data.map(({ id }: { id: string }) => id)
const everyone = '/v1/personnel?status=active,inactive'
const nat = fc.nat(9)
const word = fc.constantFrom('Ada', 'Bea', 'Chen', 'Dmitri', 'Åsa')
const maybeWord = fc.option(word, { nil: null })

type Action = (side: Side) => Promise<unknown>

const WORDING = { place: String, createProjects: '', createGroups: '', closeLimit: '' }
const options = { wording: WORDING, matchPeople: true, createGroups: true, createProjects: true }

/** As the command does: with violations, nothing is stored. */
async function imported({ gateway }: Side, noun: 'people' | 'risks', records: object[], more = {}) {
  const values = records.map((record, index) => ({ index, values: { ...record } }))
  const storing = gateway.write(async (write) => {
    const { violations } = await importRecords(write, noun, values, { ...options, ...more })
    if (violations.length > 0) throw new Error('refused')
  })
  await storing.catch(() => undefined)
}

const maybeStep = fc.option(fc.integer({ min: 1, max: 5 }), { nil: null })
/** Some of the texts are also names of people, who may be erased. */
const details = fc
  .dictionary(fc.constantFrom('Cost', 'cost', 'Seen by', 'a; b.c'), word, { maxKeys: 3 })
  .map((texts) => Object.entries(texts).map(([name, text]) => ({ name, text })))
const entry = fc.record({
  number: nat,
  title: word,
  owner: maybeWord,
  likelihood: maybeStep,
  facts: maybeStep,
  details,
})

/** A risk as a source gives it. */
function riskOf({ number, title, owner, likelihood, facts, details }: RecordOf<typeof entry>) {
  const day = facts && `2027-01-0${facts}`
  return {
    ...{ reference: `R-${number}`, title, owner, likelihood, impact: likelihood, details },
    ...{
      mitigation: facts && `Step ${facts}`,
      cause: day,
      dueOn: day,
      residualLikelihood: facts,
      residualImpact: facts,
    },
    scoreGiven: likelihood === null ? facts : null,
  }
}
type RecordOf<A> = A extends fc.Arbitrary<infer T> ? T : never

/** Everything that changes something, by chance. */
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ name: word, number: nat }).map(
    ({ name, number }): Action =>
      ({ caller }) =>
        caller.post('/v1/personnel', { name, email: `${fold(name)}${number}@example.com`, title: `Step ${number}` }),
  ),
  fc.record({ which: nat, title: maybeWord, isActive: fc.boolean() }).map(
    ({ which, title, isActive }): Action =>
      async (side) => {
        const id = pick(await idsAt(side, everyone), which)
        if (id) await side.caller.patch(`/v1/personnel/${id}`, { title, status: isActive ? 'ACTIVE' : 'INACTIVE' })
      },
  ),
  nat.map(
    (number): Action =>
      ({ caller }) =>
        caller.post('/v1/groups', { name: `Group ${number}` }),
  ),
  fc.record({ which: nat, number: nat }).map(
    ({ which, number }): Action =>
      async (side) => {
        const id = pick(await idsAt(side, '/v1/groups'), which)
        if (id) await side.caller.patch(`/v1/groups/${id}`, { name: `Crew ${number}`, description: `No. ${number}` })
      },
  ),
  fc.record({ who: nat, where: nat, isIn: fc.boolean() }).map(
    ({ who, where, isIn }): Action =>
      async (side) => {
        const [person, group] = [pick(await idsAt(side, everyone), who), pick(await idsAt(side, '/v1/groups'), where)]
        const path = `/v1/groups/${group}/members/${person}`
        if (person && group) await (isIn ? side.caller.put(path) : side.caller.delete(path))
      },
  ),
  fc
    .array(fc.record({ name: word, number: nat, groups: fc.uniqueArray(nat, { maxLength: 3 }), details }), {
      maxLength: 4,
    })
    .map(
      (people): Action =>
        (side) => {
          const records = people.map(
            ({ name, number, groups, details }) =>
              [
                number,
                { name, externalId: `HR-${number}`, groups: groups.map((one) => `Group ${one}`), details },
              ] as const,
          )
          return imported(side, 'people', [...new Map(records).values()])
        },
    ),
  fc.array(entry, { maxLength: 4 }).map(
    (entries): Action =>
      (side) => {
        const records = new Map(
          entries.map((one) => [
            one.number,
            { ...riskOf(one), project: 'APOLLO', status: RISK_STATUSES[one.number % 3] },
          ]),
        )
        return imported(side, 'risks', [...records.values()], { closeMissing: true, closeLimit: 99, project: 'APOLLO' })
      },
  ),
  fc
    .record({
      key: fc.constantFrom('APOLLO', 'QUAY'),
      details,
      risks: fc.array(entry, { maxLength: 4 }),
      issues: fc.array(entry, { maxLength: 4 }),
    })
    .map(
      ({ key, details, risks, issues }): Action =>
        ({ caller }) => {
          const once = <T extends { number: number }>(all: readonly T[]) => [
            ...new Map(all.map((one) => [one.number, one])).values(),
          ]
          return sync(caller, {
            ...{ key, name: `Project ${key}`, closeLimit: 99, details },
            risks: once(risks).map(riskOf),
            issues: once(issues).map(({ number, title, owner, details }) => ({
              ...{ reference: `I-${number}`, title, assignee: owner, details },
              ...{ severity: ISSUE_SEVERITIES[number % 4], status: ISSUE_STATUSES[number % 5] },
            })),
          })
        },
    ),
  nat.map(
    (which): Action =>
      async (side) => {
        const id = pick(await idsAt(side, everyone), which)
        if (id) await side.gateway.write((write) => erasePerson(inOneWrite(write), id)).catch(() => undefined)
      },
  ),
)

const fold = (name: string) => name.toLowerCase().replace('å', 'a')

const TRACKED = {
  '/v1/personnel?status=active,inactive': [
    'name',
    'email',
    'externalId',
    'title',
    'department',
    'status',
    'groups',
    'details',
  ],
  '/v1/groups': ['name', 'externalId', 'description'],
  '/v1/projects': ['key', 'name', 'description', 'url', 'status', 'details'],
  '/v1/risks?status=open,occurred,closed': [
    ...['reference', 'title', 'description', 'category', 'likelihood', 'impact', 'score', 'status', 'response'],
    ...['ownerId', 'ownerName', 'url', 'raisedOn', 'reviewOn', 'dueOn', 'mitigation', 'cause'],
    ...['residualLikelihood', 'residualImpact', 'scoreGiven', 'details'],
  ],
  '/v1/issues': [
    ...['reference', 'title', 'description', 'severity', 'status', 'assigneeId', 'assigneeName', 'riskId'],
    ...['url', 'raisedOn', 'dueOn', 'details'],
  ],
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string }

/** A row of a list in the values of the history: texts, and null as absence. */
function asCopied(row: Row, fields: readonly string[]): object {
  const values = fields.flatMap((field): [string, unknown][] => {
    const value = row[field]
    if (field === 'groups') return [[field, (value as { name: string }[]).map(({ name }) => name).toSorted()]]
    if (field === 'details')
      return (value as { name: string; text: string }[]).map(({ name, text }) => [`details.${name}`, text])
    return value === null ? [] : [[field, String(value)]]
  })
  return Object.fromEntries(values)
}

function copied(copy: Copy | undefined, fields: readonly string[]): object {
  const values = fields.flatMap((field): [string, unknown][] => {
    const value = copy?.get(field)
    if (field === 'details') return [...(copy ?? [])].filter(([name]) => name.startsWith('details.'))
    if (field === 'groups') return [[field, (value?.split('; ') ?? []).toSorted()]]
    return value === undefined ? [] : [[field, value]]
  })
  return Object.fromEntries(values)
}

/** The follower has what the lists show, and nothing else that they would show. */
async function requireSame(caller: Caller, { copies }: Follower): Promise<void> {
  const listed = new Set<string>()
  for (const [path, fields] of Object.entries(TRACKED)) {
    const { body } = await caller.get(path)
    for (const row of body.data as Row[]) {
      listed.add(row.id)
      expect({ id: row.id, ...copied(copies.get(row.id), fields) }).toEqual({ id: row.id, ...asCopied(row, fields) })
    }
  }
  // Of all entities, only closed issues are on no list.
  const others = [...copies].filter(([id]) => !listed.has(id))
  expect(others.filter(([, copy]) => !/RESOLVED|CLOSED/.test(copy.get('status') ?? ''))).toEqual([])
}

/** Two services on one store, which are closed by hand. */
function openSides(own: TestStore): readonly [Gateway, Gateway] {
  const lent: TestStore = Object.create(own, { remove: { value: () => undefined } })
  const open = () => openGateway({}, () => undefined, lent)
  return [open(), open()]
}

const NAMING_EACH_OTHER = ['Ada', 'Bea'].map((name, number) => ({
  ...{ name, externalId: `HR-${number}` },
  details: [{ name: 'Seen by', text: number === 0 ? 'Bea' : 'ADA' }],
}))

const RUNS = runs(6)

test('a follower from nothing has what the lists show, whenever it has caught up, while two processes write', {
  timeout: 120_000,
}, async () => {
  const step = fc.record({
    works: fc.array(fc.tuple(action, fc.nat(1)), { minLength: 1, maxLength: 4 }),
    limit: fc.integer({ min: 1, max: 9 }),
  })
  let entries = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 6 }), async (steps) => {
      const own = newStore()
      const sides = openSides(own)
      const [one, other] = sides
      try {
        const caller = await one.as('personnel.manage', 'projects.manage')
        const first: Side = { gateway: one, caller }
        const second: Side = { gateway: other, caller: other.with(caller.authorization) }
        const follower = new Follower()
        // Whoever is erased first is named by another.
        await imported(first, 'people', NAMING_EACH_OTHER)
        for (const { works, limit } of steps) {
          const written = Promise.all(works.map(([work, side]) => work(side === 0 ? first : second)))
          // Beside the writes, and then to the end.
          await Promise.all([written, follower.catchUp(second.caller, limit)])
          await follower.catchUp(first.caller, limit)
          await requireSame(second.caller, follower)
        }
        expect(follower.seen).toEqual(own.values('select id from change order by id').map(([id]) => Number(id)))
        const late = new Follower()
        await late.catchUp(first.caller, 1_000)
        await requireSame(first.caller, late)
        entries += follower.seen.length
      } finally {
        for (const { store } of sides) await store.close()
        own.remove()
      }
    }),
    RUNS,
  )
  expect(entries).toBeGreaterThan(RUNS.numRuns * 5)
})
