import { expect } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { type Attack, campaign, openArena, posted, query, type Row } from './support/arena.js'
import { only, problem, refused, type Verdict, violationAt, violations } from './support/verdicts.js'

/** Whole projects and rosters, only for keys that manage them: as many records as may be, and more. */

const MOST = LIMITS.syncRecordsMax
const ENTRIES = LIMITS.bodyItemsMax

type Written = (index: number) => unknown
const risk: Written = (i) => ({ reference: String(i), title: 'x' })
const issue: Written = (i) => ({ reference: String(i), title: 'x', severity: 'LOW' })
const wrong: Written = () => ({ reference: 'x', title: '' })
const sameIssue: Written = () => issue(1)
const untitled: Written = () => ({ reference: '1' })
const nothing: Written = () => ({})

/** So many of them, of which the last may be another one. */
const records = (count: number, record: Written, last = record) =>
  Array.from({ length: count }, (_, i) => (i === count - 1 ? last : record)(i))

interface Lists {
  readonly risks?: readonly unknown[]
  readonly issues?: readonly unknown[]
}
const state = (lists: Lists) => ({ key: 'FLOOD', name: 'x', ...lists })

const tooManyEntries = problem('BAD_REQUEST', /^A list of the body has more than 50,000 entries\.$/)
const tooMany = (pointer: string, count: number) => ({
  pointer,
  detail: `There are ${count}; the most is 20000. Send more in parts, with the mode PARTIAL, or use \`operations import\`.`,
})
const emptyTitle = { pointer: '/risks/19999/title', detail: 'Must not be empty.' }

// Made when it is its turn: all of them together would be much.
const SYNCS: [name: string, lists: () => Lists, verdict: Verdict][] = [
  ['100,000 risks without a title', () => ({ risks: records(100_000, untitled) }), tooManyEntries],
  ['100,000 risks that are nothing', () => ({ risks: records(100_000, nothing) }), tooManyEntries],
  ['100,000 times the same issue', () => ({ issues: records(100_000, sameIssue) }), tooManyEntries],
  ['50,001 risks', () => ({ risks: records(ENTRIES + 1, risk) }), tooManyEntries],
  [
    '50,000 risks that are nothing',
    () => ({ risks: records(ENTRIES, nothing) }),
    violations(tooMany('/risks', ENTRIES)),
  ],
  ['50,000 risks', () => ({ risks: records(ENTRIES, risk) }), violations(tooMany('/risks', ENTRIES))],
  [
    '40,000 risks, the last of which is wrong',
    () => ({ risks: records(40_000, risk, wrong) }),
    violations(tooMany('/risks', 40_000)),
  ],
  ['20,001 risks', () => ({ risks: records(MOST + 1, risk) }), violations(tooMany('/risks', MOST + 1))],
  ['20,001 issues', () => ({ issues: records(MOST + 1, issue) }), violations(tooMany('/issues', MOST + 1))],
  ['20,000 risks, the last of which is wrong', () => ({ risks: records(MOST, risk, wrong) }), violations(emptyTitle)],
  ['20,000 risks without a title', () => ({ risks: records(MOST, untitled) }), violationAt('/risks/0/title')],
  ['20,000 times the same issue', () => ({ issues: records(MOST, sameIssue) }), violationAt('/issues/1/reference')],
]

const outcomeOf =
  (...expected: { pointer: string; detail: string }[]): Verdict =>
  (talk) => {
    refused('VALIDATION_FAILED', 200)(talk)
    expect(only(talk).body.errors[0].extensions.errors).toEqual(expected)
  }

const BY_GRAPHQL: [name: string, lists: () => Lists, verdict: Verdict][] = [
  ['20,001 risks', () => ({ risks: records(MOST + 1, risk) }), outcomeOf(tooMany('/risks', MOST + 1))],
  [
    '20,001 risks and as many issues',
    () => ({ risks: records(MOST + 1, risk), issues: records(MOST + 1, issue) }),
    outcomeOf(tooMany('/risks', MOST + 1), tooMany('/issues', MOST + 1)),
  ],
  ['20,000 risks, the last of which is wrong', () => ({ risks: records(MOST, risk, wrong) }), outcomeOf(emptyTitle)],
]

const group: Written = (i) => ({ name: `Group ${i}` })
const namesake: Written = (i) => ({ name: 'Ada Lovelace', externalId: `A-${i}` })
const named = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_, i) => name(i))

/** Refused in the end, after all of it was matched. */
const PERSONNEL: [name: string, state: () => object, verdict: Verdict][] = [
  [
    'a person in 20,000 groups',
    () => ({
      groups: records(MOST, group),
      people: [{ name: 'x', externalId: 'x', groups: named(MOST, (i) => `Group ${i}`) }, { name: 'x' }],
    }),
    violationAt('/people/1/email'),
  ],
  [
    'a person in 50,000 groups that there are not',
    () => ({ people: [{ name: 'x', externalId: 'x', groups: named(ENTRIES, (i) => `None ${i}`) }] }),
    violationAt('/people/0/groups'),
  ],
  [
    '20,000 people of one name, and a member of that name',
    () => ({ people: records(MOST, namesake), groups: [{ name: 'x', members: ['Ada Lovelace'] }] }),
    violationAt('/groups/0/members'),
  ],
  [
    '250,000 members',
    () => ({ groups: records(10, () => ({ name: 'x', members: named(25_000, (i) => `m-${i}`) })) }),
    violations({
      pointer: '/groups',
      detail: `They name 250000 members; the most is ${LIMITS.syncMembershipsMax}. Send more in parts, without leavers, or use \`operations import\`.`,
    }),
  ],
  [
    '1,200,000 members',
    () => ({ groups: records(40, () => ({ name: 'x', members: named(30_000, (i) => `m-${i}`) })) }),
    problem('BAD_REQUEST', /^The lists of the body have more than 300,000 entries together\. Send it in parts\.$/),
  ],
]

const SYNC = 'mutation ($state: SyncProjectInput!) { syncProject(input: $state) { project { id } } }'
const byRest =
  (lists: () => Lists): Attack =>
  () =>
    posted('/v1/projects', JSON.stringify(state(lists())))
const byGraphql =
  (lists: () => Lists): Attack =>
  () =>
    query(SYNC, { state: state(lists()) })

campaign(openArena(import.meta.url), [
  ...SYNCS.map(([name, lists, verdict]): Row => [`${name} keep nobody waiting`, byRest(lists), verdict]),
  ...PERSONNEL.map(([name, roster, verdict]): Row => {
    return [`${name} keep nobody waiting`, () => posted('/v1/personnel/batch', JSON.stringify(roster())), verdict]
  }),
  ...BY_GRAPHQL.map(
    ([name, lists, verdict]): Row => [`${name} by GraphQL keep nobody waiting`, byGraphql(lists), verdict],
  ),
])
