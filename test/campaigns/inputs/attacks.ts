/** Requests that once made everybody wait, each with its name. */
import { LIMITS } from '../../../src/limits.js'
import type { Sent } from '../../hostile/support/wire.js'
import { ALIASES, posted, queried } from './graphqlCalls.js'
import { type Call, type KeyName, PROJECT, type Stage } from './stage.js'
import { times } from './values.js'

export interface Attack extends Call {
  /** What the store must have first. */
  readonly prepare?: (stage: Stage) => Promise<unknown>
}

export const attack = (
  name: string,
  as: KeyName | undefined,
  sent: () => Sent,
  prepare?: Attack['prepare'],
): Attack => ({
  ...{ name, as, sent },
  ...(prepare && { prepare }),
})

const ESCAPED = `"${'\\"'.repeat(7_700)}`
const REFERENCES = 49_000
const LETTER = '\ufdfa'
const NAMES = LIMITS.filterItemsMax
const FLAWED = 31_000

const malformed = () => times(REFERENCES, () => 1)
const entities = (lists: number) =>
  queried(
    `query (${times(lists, (i) => `$r${i}: [_Any!]!`).join(' ')}) {
      ${times(lists, (i) => `e${i}: _entities(representations: $r${i}) { __typename }`).join(' ')}
    }`,
    Object.fromEntries(times(lists, (i) => [`r${i}`, malformed()])),
  )

/** The same list of names in a filter under 40 aliases. */
const aliased = (list: string, filter: string, names: readonly string[]) =>
  queried(
    `query ($v: [${filter === 'group' ? 'ID' : 'String'}!]) {
      ${times(40, (i) => `a${i}: ${list}(first: 1, filter: { ${filter}: $v }) { nodes { id } }`).join(' ')}
    }`,
    { v: names },
  )

const LONG_NAMES = times(NAMES, (i) => `${i}`.padEnd(200, LETTER))

/** Groups whose names are as long as they may be. */
function addLongGroups(stage: Stage): Promise<unknown> {
  const groups = times(NAMES, (i) => ({ name: `g${i}`.padEnd(200, 'a'), externalId: `LONG-${i}` }))
  return stage.send({ as: 'manager', sent: () => posted(JSON.stringify({ groups }), '/v1/personnel/batch') })
}

const LONG_GROUPS_COUNT = 20_000
const PERSON = { name: 'x', externalId: 'LONG-NAMES' }
const LONG_GROUPS = () => times(LONG_GROUPS_COUNT, (i) => `${i}`.padEnd(200, LETTER))

const strange = () => {
  const members = times(LIMITS.bodyMembersMax - 20, (i) => [`titel${i}`, 1] as const)
  return { key: PROJECT, ...Object.fromEntries(members), risks: times(20, () => Object.fromEntries(members)) }
}

const inPlace = (field: string, text: string) =>
  queried(`{ risks(first: 1, filter: { ${field}: ${text} }) { totalCount } }`)

export const ATTACKS: readonly Attack[] = [
  attack('a path of 15 KB', undefined, () => ({ target: `/v1/${'a'.repeat(15_000)}` })),
  attack('Accept with 7,700 escaped quotes', undefined, () => ({
    target: '/graphql?query={__typename}',
    headers: { Accept: ESCAPED },
  })),
  attack('Accept-Encoding with 7,700 escaped quotes', undefined, () => ({
    target: '/',
    headers: { 'Accept-Encoding': ESCAPED },
  })),
  attack('a path of 7,750 steps', undefined, () => ({ target: '/a'.repeat(7_750) })),
  attack('_entities with 49,000 malformed references', 'projects', () => entities(1)),
  attack('five such lists', 'projects', () => entities(5)),
  attack('department: 1,000 values of 200 x U+FDFA', 'personnel', () =>
    queried('query ($v: [String!]) { personnel(first: 1, filter: { department: $v }) { nodes { id } } }', {
      v: LONG_NAMES,
    }),
  ),
  attack('40 aliases of 1,000 groups', 'personnel', () => aliased('personnel', 'group', LONG_NAMES)),
  attack('40 aliases of 1,000 categories', 'projects', () => aliased('risks', 'category', LONG_NAMES)),
  attack(
    'an unknown group, after 1,000 groups with long names',
    'personnel',
    () =>
      queried('query ($v: [ID!]) { personnel(first: 1, filter: { group: $v }) { nodes { id } } }', {
        // As far from all of them as a suggestion may be, so that each is compared to its end.
        v: [`g${'b'.repeat(50)}`.padEnd(200, 'a')],
      }),
    addLongGroups,
  ),
  attack(`${ALIASES} aliases of syncProject with unknown members`, 'projects', () =>
    queried(
      `mutation ($i: SyncProjectInput!) { ${times(ALIASES, (i) => `a${i}: syncProject(input: $i) { project { id } }`).join(' ')} }`,
      { i: strange() },
    ),
  ),
  attack('one person with 20,000 unknown groups of 200 x U+FDFA', 'manager', () =>
    posted(JSON.stringify({ people: [{ ...PERSON, groups: LONG_GROUPS() }] }), '/v1/personnel/batch'),
  ),
  attack('31 KB of letters in the place of a text', 'projects', () => inPlace('search', 'a'.repeat(FLAWED))),
  attack('31 KB of words in the place of a text', 'projects', () =>
    inPlace('search', `["${'ID cannot represent a non'.repeat(FLAWED / 25)}"]`),
  ),
  attack('31 KB of letters in the place of an enum', 'projects', () => inPlace('status', `"${'a'.repeat(FLAWED)}"`)),
  attack('1 MB of line breaks', 'projects', () => posted('\n'.repeat(LIMITS.bodyBytesMax - 1_000))),
  attack('880 repeated fields', 'projects', () => queried(`{ risks(first: 1) { nodes { ${'id '.repeat(880)} } } }`)),
  attack('50,000 values in a filter', 'projects', () =>
    queried('query ($v: [String!]) { risks(first: 1, filter: { category: $v }) { nodes { id } } }', {
      v: times(LIMITS.bodyItemsMax - 1, (i) => `x${i}`),
    }),
  ),
  attack('50,000 unknown values of an enum', 'projects', () =>
    queried('query ($v: [RiskStatus!]) { risks(first: 1, filter: { status: $v }) { nodes { id } } }', {
      v: times(LIMITS.bodyItemsMax - 1, (i) => `X${i}`),
    }),
  ),
]

/** The page of GraphiQL and its script: what the first request of a process costs. */
export async function firstPage(stage: Stage): Promise<string[]> {
  const measure = async (name: string, sent: Sent) => {
    const { waitedMs, answer } = await stage.measure({ name, as: undefined, sent: () => sent })
    return { answer, line: `${name}: ${answer.status}, others waited ${Math.round(waitedMs)} ms` }
  }
  const page = await measure('the page', { target: '/graphql', headers: { Accept: 'text/html' } })
  const [target = '/'] = /\/assets\/graphiql-\w+\/graphiql\.js/.exec(page.answer.text) ?? []
  const script = await measure('the script', { target, headers: { 'Accept-Encoding': 'br' } })
  return [page.line, script.line]
}
