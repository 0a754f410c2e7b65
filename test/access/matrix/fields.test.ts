import { getNamedType } from 'graphql'
import { afterAll, describe, expect, test } from 'vitest'
import { grants, SCOPE_NAMES } from '../../../src/auth/scopes.js'
import {
  documentOf,
  endsOf,
  entriesOf,
  inputTypeOf,
  isEnough,
  nameOf,
  type Path,
  type Rows,
  rootKeyOf,
  type Style,
  stepsFrom,
} from './paths.js'
import { answerFor, expectedOf, type Outcome, outcomeOf } from './results.js'
import {
  checksMin,
  dumpOf,
  type Holder,
  inputOf,
  openStage,
  STYLES_LEFT,
  STYLES_TRIED,
  sameness,
  sliceOf,
  Tally,
  turnOf,
} from './stage.js'

/** Fewer would mean that a field was left out. */
const CHECKS_MIN = 8_000

const { gateway, holders, everything, bound, strangers, rows, away, nowhere, putBack } = await openStage(afterAll)
const tally = new Tally()

type Method = 'GET' | 'POST'

function execute({ caller }: Pick<Holder, 'caller'>, query: string, variables = {}, method: Method = 'POST') {
  if (method === 'POST') return caller.graphql(query, variables)
  return caller.get(`/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`)
}

/** The result of one root field. */
function ofRoot({ status, data, errors }: Outcome, key: string): Outcome {
  return { status, data: Object(data)[key], errors: errors.filter(({ path }) => path[0] === key) }
}

interface Way {
  readonly styles: readonly Style[]
  readonly method: Method
  readonly detail?: 'all' | 'id'
  readonly by?: readonly Holder[]
}

/** Sends the request with each key; the expectation is derived from the response to a key with every scope. */
async function executeForEach(paths: readonly Path[], way: Way): Promise<void> {
  const { styles, method, detail = 'id', by = holders } = way
  const text = documentOf({ paths, rows, styles, detail })
  const { status, body } = await execute(everything, text)
  tally.check(`${text} with every scope`, [status, body.errors], [200, undefined])
  for (const path of paths) {
    const [ends, ...others] = styles.map((style) => endsOf(body.data, path, style))
    // Who the person was merged into has nothing, and was not merged.
    const isEmpty = nameOf(path).includes('mergedInto.')
    if (!isEmpty) tally.check(`${nameOf(path)} is there`, ends?.length === 0, false)
    for (const other of others) tally.check(`${nameOf(path)} in another style`, other, ends)
  }
  const keys = styles.map((style) => rootKeyOf(paths[0] ?? [], style))
  for (const holder of by) {
    const expected = expectedOf(holder.self, text, body.data)
    const answer = outcomeOf(await execute(holder, text, {}, method))
    for (const key of ['beside', ...keys]) {
      tally.check(`${method} ${text} with ${holder.label}: ${key}`, ofRoot(answer, key), ofRoot(expected, key))
    }
    tally.check(`${text} has nothing else`, answer.errors.length, expected.errors.length)
  }
}

const named = (paths: readonly Path[]) => paths.map((path, turn) => ({ name: nameOf(path), path, turn }))
const ENTRIES = entriesOf('query').map((step): Path => [step])
const MUTATIONS = entriesOf('mutation').map((step): Path => [step])
const isList = ([entry]: Path) => entry !== undefined && getNamedType(entry.field.type).name.endsWith('Connection')
// The fields of an entity do not depend on the key that looked it up.
const isById = ([entry]: Path) => (entry?.as?.key ?? 'id') === 'id'
/** Entities by `node` also have their own root field, where every style is tested. */
const isNode = ([entry]: Path) => entry?.field.name === 'node'
const NESTED = sliceOf(
  ENTRIES.filter((path) => !isList(path) && !isNode(path) && isById(path)).flatMap(stepsFrom),
  nameOf,
)

test('a scope grants itself, and .manage grants .read', () => {
  for (const { self, label } of holders) {
    for (const needed of SCOPE_NAMES) {
      tally.check(`${label} grants ${needed}`, grants(new Set(self.scopes), needed), isEnough(self.scopes, needed))
    }
  }
  expect(tally.findings()).toEqual([])
})

describe('queries', () => {
  test.each(named(ENTRIES))('$name serves the keys that have its scope', async ({ path, turn }) => {
    await executeForEach([path], { styles: ['plain'], method: 'POST', detail: 'all' })
    await executeForEach([path], { styles: STYLES_LEFT, method: 'GET', by: turnOf(holders, turn) })
    expect(tally.findings()).toEqual([])
  })

  test.each(named(ENTRIES))('$name is refused alike for what exists and what does not', async ({ path, turn }) => {
    const [here, elsewhere] = [rows, nowhere].map((on) =>
      documentOf({ paths: [path], rows: on, styles: ['plain'], detail: 'id' }),
    ) as [string, string]
    const whole = await execute(everything, here)
    const refused = holders.filter(({ self }) => answerFor(self, here, whole.body.data).errors.length > 0)
    for (const holder of here === elsewhere ? [] : turnOf(refused, turn)) {
      const [one, other] = [await execute(holder, here), await execute(holder, elsewhere)]
      tally.check(`${elsewhere} with ${holder.label}`, sameness(other), sameness(one))
    }
    expect(tally.findings()).toEqual([])
  })

  test.each(named(NESTED))('$name is refused by itself, where it stands', async ({ path }) => {
    await executeForEach([path], { styles: STYLES_TRIED, method: path[0]?.as ? 'GET' : 'POST' })
    expect(tally.findings()).toEqual([])
  })

  const within = ENTRIES.filter((path) => isList(path) || isNode(path)).map(stepsFrom)
  const further = NESTED.filter(([entry]) => !entry?.as).map(stepsFrom)
  const together = [...within, ...further].filter(({ length }) => length > 0)
  const cases = sliceOf(
    together.map((paths) => ({ names: paths.map(nameOf).join(', '), paths })),
    ({ names }) => names,
  )
  test.each(cases)('each is refused by itself, together too: $names', async ({ paths }) => {
    await executeForEach(paths, { styles: ['plain'], method: 'POST' })
    expect(tally.findings()).toEqual([])
  })
})

/** Runs a mutation; returns whether it changed anything. */
async function change(paths: readonly Path[], holder: Holder, style: Style, on: Rows, method: Method = 'POST') {
  const text = documentOf({ paths, rows: on, styles: [style], detail: 'none' })
  const entry = paths[0]?.[0]
  const type = entry && inputTypeOf(entry)
  putBack()
  const before = await gateway.store.version()
  const answer = await execute(holder, text, type ? { input: inputOf(type, on) } : {}, method)
  return { text, answer, isChanged: (await gateway.store.version()) !== before }
}

describe('mutations', () => {
  test.each(named(MUTATIONS))(
    '$name changes something for the keys that hold its scope, and for no other',
    async (one) => {
      for (const style of STYLES_TRIED) {
        const paths = style === 'plain' ? [one.path, ...stepsFrom(one.path)] : [one.path]
        const whole = await change(paths, everything, style, away)
        tally.check(`${whole.text} with every scope`, [whole.isChanged, whole.answer.body.errors], [true, undefined])
        // Nobody who is added was merged.
        for (const path of paths.filter((one) => !nameOf(one).includes('mergedInto'))) {
          tally.check(`${nameOf(path)} is there`, endsOf(whole.answer.body.data, path, style).length > 0, true)
        }
        for (const holder of holders) {
          const { text, answer, isChanged } = await change(paths, holder, style, away)
          const expected = expectedOf(holder.self, text, whole.answer.body.data)
          const isRefused = expected.errors.some(({ path }) => path.length === 1)
          const right = { ...expected, isChanged: !isRefused }
          tally.check(`${text} with ${holder.label}`, { ...outcomeOf(answer), isChanged }, right)
          if (!isRefused || style !== 'plain') continue
          const ghost = await change(paths, holder, style, nowhere)
          const same = [sameness(answer), false]
          tally.check(`${ghost.text} with ${holder.label}`, [sameness(ghost.answer), ghost.isChanged], same)
        }
      }
      expect(tally.findings()).toEqual([])
    },
  )

  test.each(named(MUTATIONS))('$name is not to be had by GET, whatever the key', async ({ path }) => {
    for (const holder of holders) {
      const { text, answer, isChanged } = await change([path], holder, 'plain', away, 'GET')
      const codes = answer.body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)
      tally.check(`GET ${text}`, [answer.status, codes, isChanged], [405, ['METHOD_NOT_ALLOWED'], false])
    }
    expect(tally.findings()).toEqual([])
  })

  test('what is refused leaves every row of the store as it is', async () => {
    const before = dumpOf(gateway)
    for (const path of MUTATIONS) {
      for (const holder of holders) {
        const text = documentOf({ paths: [path], rows: away, styles: ['plain'], detail: 'none' })
        if (answerFor(holder.self, text, {}).errors.length === 0) continue
        await change([path], holder, 'alias', away)
      }
      tally.check(`the store after ${nameOf(path)}`, dumpOf(gateway), before)
    }
    expect(tally.findings()).toEqual([])
  })
})

test('syncProject finds people on the roster for the keys that may read it, and says nothing of it to others', async () => {
  const query =
    'mutation ($input: SyncProjectInput!) { result: syncProject(input: $input) { risks { created updated } warnings { pointer } } }'
  for (const holder of [...holders, ...bound]) {
    const { scopes } = holder.self
    if (!isEnough(scopes, 'projects.manage')) continue
    const seen = []
    for (const owner of ['ada@AWAY-1.org', 'Bea', away['Person'], 'nobody@AWAY-1.org', nowhere['Person']]) {
      const input = {
        key: 'AWAY-1',
        closeLimit: 9,
        risks: [{ reference: 'R-1001', owner: null }, { reference: 'R-2' }],
      }
      await execute(holder, query, { input })
      const risks = [{ reference: 'R-1001', owner }, { reference: 'R-2' }]
      const { body } = await execute(holder, query, { input: { ...input, risks } })
      const [{ ownerId, ownerName }] = (await holder.caller.get('/v1/risks?project=AWAY-1')).body.data
      seen.push([body, ownerId !== null, ownerName === owner])
    }
    const answer = (pointer?: string) => {
      const warnings = pointer === undefined ? [] : [{ pointer }]
      return { data: { result: { risks: { created: 0, updated: 1 }, warnings } } }
    }
    const found = (isNamed: boolean) => [answer(), true, isNamed]
    const lost = [answer('/risks/0/owner'), false, true]
    const right = isEnough(scopes, 'personnel.read')
      ? // Two people have the name Bea.
        [found(false), lost, found(false), lost, lost]
      : Array(5).fill([answer('/risks'), false, true])
    tally.check(`owners with ${holder.label}`, seen, right)
  }
  expect(tally.findings()).toEqual([])
})

describe('a key that is bound to a project', () => {
  const SYNC = 'mutation ($input: SyncProjectInput!) { result: syncProject(input: $input) { project { key } } }'
  const refusal = (message: string): Outcome => {
    const extensions = { code: 'INSUFFICIENT_SCOPE', requiredScope: 'projects.manage' }
    return { status: 200, data: { result: null }, errors: [{ message, path: ['result'], extensions }] }
  }

  test('changes that project, if it has the scope, and no other, whether or not there is one', async () => {
    const done: Outcome = { status: 200, data: { result: { project: { key: 'AWAY-1' } } }, errors: [] }
    const unable = refusal('This needs a key with the scope projects.manage.')
    const outside = refusal('This key may change only AWAY-1.')
    for (const holder of bound) {
      const isAllowed = holder.self.scopes.includes('projects.manage')
      const sync = async (key: string | undefined, right: Outcome) => {
        const answer = await execute(holder, SYNC, { input: { key, name: 'Renamed' } })
        tally.check(`syncProject ${key} with ${holder.label}`, outcomeOf(answer), isAllowed ? right : unable)
      }
      for (const key of ['AWAY-1', ' away-1 ']) await sync(key, done)
      const before = dumpOf(gateway)
      for (const key of [rows['key'], nowhere['key'], 'AWAY-11', 'AWAY', '']) await sync(key, outside)
      tally.check(`the store after ${holder.label}`, dumpOf(gateway), before)
    }
    expect(tally.findings()).toEqual([])
  })

  test('reads everything that a free one does', async () => {
    for (const path of ENTRIES) {
      const text = documentOf({ paths: [path], rows, styles: ['plain'], detail: 'id' })
      const own = bound.at(-1) as Holder
      const [one, other] = [await execute(everything, text), await execute(own, text)]
      tally.check(text, outcomeOf(other), expectedOf(own.self, text, one.body.data))
    }
    expect(tally.findings()).toEqual([])
  })
})

test.each(strangers)('without a valid key every field gives the same error: $label', async (stranger) => {
  const before = dumpOf(gateway)
  const paths = [...ENTRIES, ...MUTATIONS].filter((_, turn) => turnOf(strangers, turn).includes(stranger))
  for (const path of paths) {
    for (const method of ['POST', 'GET'] as const) {
      const text = documentOf({ paths: [path], rows, styles: ['plain'], detail: 'none' })
      const { status, headers, body } = await execute(stranger, text, {}, method)
      const [{ message }] = body.errors
      const right = [401, stranger.challenge, { errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }] }]
      tally.check(`${method} ${text}`, [status, headers.get('www-authenticate'), body], right)
    }
  }
  tally.check('the store', dumpOf(gateway), before)
  expect(tally.findings()).toEqual([])
})

test('no field or route was left out: the number of checks is as expected', () => {
  expect(tally.checks).toBeGreaterThan(checksMin(CHECKS_MIN))
})
