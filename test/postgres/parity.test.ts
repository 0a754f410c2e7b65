import { expect, test } from 'vitest'
import { NOW } from '../support/harness.js'
import { Side, type Step } from './side.js'

const STEPS = Number(process.env['PARITY_STEPS'] ?? 1_500)
const SEED = Number(process.env['PARITY_SEED'] ?? 7)

/** The same numbers for the same seed. */
function dice(seed: number) {
  let state = seed
  const roll = (sides: number) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return Math.abs(state ^ (state >>> 13)) % sides
  }
  const pick = <T>(all: readonly T[]): T => all[roll(all.length)] as T
  const maybe = <T>(value: T): T | undefined => (roll(2) ? value : undefined)
  return { roll, pick, maybe }
}

// Order, case and search are where engines differ: capitals, accents, what LIKE and escapes take for their own.
const NAMES = [
  'Ada',
  'ada',
  'ADA',
  'Ärzte',
  'arzte',
  'Zoë',
  'zoe',
  'Åsa',
  'ß',
  'SS',
  'İstanbul',
  'ﬁne',
  'fine',
  "O'Neill",
]
const ODD = [
  '%',
  '_',
  '\\',
  '"',
  'a\\"b',
  '100%',
  'a_b',
  '😀',
  '\u{10ffff}',
  'NULL',
  '{a,b}',
  '{}',
  'null',
  'x\u0001y',
  'é',
  'é',
]
const WORDS = [...NAMES, ...ODD, '~', 'Z', 'a', '-', '0', '10', '9', ' ', 'z z', 'ﷺ'.repeat(150)]
const KEYS = ['APOLLO', 'B', 'B-2', 'ZULU', 'A1']

function steps({ roll, pick, maybe }: ReturnType<typeof dice>): () => Step {
  const id = (kind: string) => `${kind}#${roll(60)}`
  const name = () => `${pick(WORDS)}${pick(['', ' ', ' x', 'é'])}${pick(WORDS)}`
  const email = () => `${pick(['a', 'A', 'ä', 'b', 'z'])}${roll(30)}@example.com`
  const person = () => ({
    name: maybe(name()),
    email: pick([undefined, null, email(), 'no address']),
    externalId: pick([undefined, null, `HR-${roll(40)}`, `hr-${roll(40)}`, name()]),
    title: maybe(name()),
    department: pick([undefined, null, '', name()]),
  })
  const entry = (index: number) => ({
    reference: pick([`R-${index}`, `r-${index}`, `${index} ${pick(ODD)}`]),
    title: name(),
    url: pick([undefined, null, 'https://example.com/x']),
    raisedOn: pick([undefined, '2026-01-31', '2025-12-31', '2026-02-30']),
  })
  const project = () => ({
    key: pick(KEYS),
    name: name(),
    status: maybe(pick(['ACTIVE', 'on_hold', 'CLOSED', 'GONE'])),
    closeLimit: 100,
    risks: maybe(
      Array.from({ length: roll(8) }, (_, i) => ({
        ...entry(i),
        ...(roll(3) ? { likelihood: 1 + roll(5), impact: 1 + roll(5) } : {}),
        category: pick([undefined, null, 'Supply', 'supply', 'Größe']),
        status: maybe(pick(['OPEN', 'OCCURRED', 'CLOSED'])),
        owner: pick([undefined, null, 'Ada', 'A stranger', id('usr')]),
        reviewOn: maybe('2026-12-01'),
      })),
    ),
    issues: maybe(
      Array.from({ length: roll(8) }, (_, i) => ({
        ...entry(i),
        severity: pick(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL', 'low']),
        status: maybe(pick(['OPEN', 'BLOCKED', 'RESOLVED', 'CLOSED'])),
        assignee: pick([undefined, null, 'zoë', id('usr')]),
        dueOn: maybe('2026-11-30'),
      })),
    ),
  })
  const filters: Record<string, () => string> = {
    personnel: () => pick(['', 'status=INACTIVE', 'status=active,inactive', `group=${id('grp')}`, `email=${email()}`]),
    groups: () => '',
    projects: () => pick(['', 'status=ACTIVE', 'status=on_hold,closed']),
    risks: () =>
      pick([
        ...['', 'level=HIGH', 'level=low,critical,unassessed', 'minScore=9', 'status=CLOSED', 'status=open,closed'],
        ...[`owner=none,${id('usr')}`, 'category=SUPPLY,größe', `project=b,${id('prj')}`, 'reviewBefore=2026-12-02'],
        ...['likelihood=3&impact=2', 'owner=none'],
      ]),
    issues: () =>
      pick([
        '',
        'severity=low,high',
        'status=BLOCKED',
        `assignee=none,${id('usr')}`,
        'dueBefore=2026-12-01',
        'project=B',
      ]),
  }
  const list = (): Step => {
    const noun = pick(Object.keys(filters))
    const page = pick(['', 'limit=2', 'limit=3&total=true', 'limit=2&cursor={next}', 'total=true', 'cursor=%00'])
    const search = roll(3) ? '' : `search=${encodeURIComponent(pick([...WORDS, '\0', 'a\0']))}`
    const query = [filters[noun]?.(), page, search].filter(Boolean).join('&')
    const headers = roll(5) ? {} : { accept: 'text/csv' }
    return { method: 'GET', path: `/v1/${noun}${query && '?'}${query}`, headers }
  }
  const graphql = (): Step => {
    const history = 'history(first: 50) { nodes { action entity by fields { field from to } } }'
    const query = pick([
      `{ list: personnel(first: 4) { totalCount nodes { id name groups { name memberCount } ${history} } pageInfo { endCursor } } }`,
      '{ list: groups { nodes { name memberCount members(first: 3) { totalCount nodes { name } } } } }',
      `{ list: risks(first: 5) { nodes { id rank score level owner { name } project { key topRiskScore } ${history} } } }`,
      '{ list: projects { nodes { key openRiskCount openIssueCount risks(first: 2) { nodes { title rank } } issues { nodes { title } } } } }',
      `{ person(id: "${id('usr')}") { name status } group(id: "\\u0000") { name } project(key: "b") { name } }`,
    ])
    return { method: 'POST', path: '/graphql', body: { query } }
  }
  const token = () => (roll(3) ? {} : { headers: { 'idempotency-key': `t-${roll(20)}` } })
  const makers: readonly (() => Step)[] = [
    () => ({ method: 'POST', path: '/v1/personnel', body: { ...person(), groupIds: maybe([id('grp')]) }, ...token() }),
    () => ({ method: 'PATCH', path: `/v1/personnel/${id('usr')}`, body: { ...person(), status: maybe('INACTIVE') } }),
    () => ({ method: 'POST', path: '/v1/groups', body: { name: name(), description: maybe(name()) }, ...token() }),
    () => ({ method: 'PATCH', path: `/v1/groups/${id('grp')}`, body: { name: name() } }),
    () => ({ method: pick(['PUT', 'DELETE']), path: `/v1/groups/${id('grp')}/members/${id('usr')}` }),
    () => ({ method: 'POST', path: '/v1/projects', body: project(), ...token() }),
    () => ({
      method: 'GET',
      path: `/v1/${pick(['personnel/usr', 'groups/grp', 'risks/rsk', 'issues/iss'])}#${roll(60)}`,
    }),
    () => ({ method: 'GET', path: `/v1/projects/${pick([...KEYS, '%00', 'nobody'])}` }),
    list,
    list,
    list,
    graphql,
  ]
  return () => pick(makers)()
}

test(`both engines answer ${STEPS} steps alike, byte for byte, and hold the same in the end (seed ${SEED})`, async () => {
  const sides = [new Side('sqlite'), new Side('postgres')] as const
  const next = steps(dice(SEED))
  for (let i = 0; i < STEPS; i++) {
    const step = next()
    const now = new Date(NOW.getTime() + i * 1_000)
    for (const { gateway } of sides) gateway.clock.now = now
    const [one, other] = [await sides[0].send(step), await sides[1].send(step)]
    expect(other, `${i}: ${JSON.stringify(step)}`).toBe(one)
  }
  expect(sides[1].dump()).toBe(sides[0].dump())
}, 600_000)
