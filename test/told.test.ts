import fc from 'fast-check'
import {
  type DocumentNode,
  execute,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  parse,
  validate,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPE_NAMES, type Scope } from '../src/auth/scopes.js'
import type { Context } from '../src/graph/builder.js'
import { tellerOf } from '../src/graph/tellers.js'
import { createEngine } from '../src/http/engine.js'
import { OPERATIONS } from '../src/http/operations.js'
import { addPerson } from '../src/personnel/people.js'
import { schema } from '../src/schema.js'
import type { Store, Write } from '../src/store/store.js'
import { ISSUE_SEVERITIES, ISSUE_STATUSES, RISK_STATUSES } from '../src/vocabulary.js'
import {
  addGroup,
  addIssues,
  addProject,
  addRisks,
  type Company,
  deactivatePerson,
  fillCompany,
  issue,
  project,
  risk,
} from './fixtures.js'
import { NOW } from './harness.js'
import { newStore } from './stores.js'

const LISTS = { personnel: 'Person', groups: 'Group', projects: 'Project', risks: 'Risk', issues: 'Issue' } as const
const SINGLES = { person: 'Person', group: 'Group', project: 'Project', risk: 'Risk', issue: 'Issue' } as const
type List = keyof typeof LISTS
type Single = keyof typeof SINGLES
const listNames = Object.keys(LISTS) as List[]
const singleNames = Object.keys(SINGLES) as Single[]

/** Runs operations both ways, as a key with these scopes. */
function asking(store: Store, scopes: readonly Scope[], wholeListRowsMax = 1_000) {
  const engine = createEngine({ store, clock: () => NOW, wholeListRowsMax })
  const principal = { keyId: 'key_1', name: 'test', scopes: new Set(scopes), projects: null, expiresAt: null }
  const context = (): Context => engine.contextFor(principal, () => undefined)
  const executed = async (query: string | DocumentNode, variableValues: Record<string, unknown> = {}) => {
    const document = typeof query === 'string' ? parse(query) : query
    expect(validate(schema, document)).toEqual([])
    return execute({ schema, document, variableValues, contextValue: context() })
  }
  const told = async (query: string | DocumentNode, variables: Record<string, unknown> = {}) =>
    tellerOf(schema, typeof query === 'string' ? parse(query) : query)?.tell(context(), variables)
  return {
    executed,
    told,
    /** Both ways, found to be the same. */
    async same(query: string, variables: Record<string, unknown> = {}) {
      const { data, errors } = await executed(query, variables)
      expect(errors).toBeUndefined()
      const answer = await told(query, variables)
      expect({ query, variables, data: answer?.data().toString() }).toEqual({
        query,
        variables,
        data: JSON.stringify(data),
      })
      return answer
    },
  }
}

const objectType = (name: string) => schema.getType(name) as GraphQLObjectType

/** What goes through other rows, and so is not told of what many rows refer to. */
const COUNTS = ['memberCount', 'openRiskCount', 'openIssueCount', 'topRiskScore']

/** Every other field without arguments is told by the store, wherever it stands. */
const fieldsOf = (type: string, isNested = false) =>
  Object.values(objectType(type).getFields()).filter(
    ({ args, name }) => args.length === 0 && !(isNested && COUNTS.includes(name)),
  )

let names = 0

interface Shape {
  /** How many objects within each other. */
  readonly depth: number
  readonly isConditional: boolean
  readonly isNested?: boolean
}

const CONDITIONS = ['', '', '', '@include(if: $yes)', '@skip(if: $yes)', '@include(if: $no)', '@skip(if: false)']

/** A selection of any fields of a type, with aliases, fragments, repetitions and conditions. */
function selectionOf(type: string, { depth, isConditional, isNested = false }: Shape): fc.Arbitrary<string> {
  const condition = fc.constantFrom(...(isConditional ? CONDITIONS : ['']))
  const fields = fieldsOf(type, isNested)
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name)
  const leaf = fc.constantFrom('__typename', ...leaves)
  const inner = depth > 0 ? selectionOf(type, { depth: 0, isConditional, isNested }) : leaf
  const fragment = fc
    .tuple(fc.constantFrom('...', `... on ${type}`), condition, inner)
    .map(([spread, when, selection]) => `${spread} ${when} { ${selection} }`)
  const nested = fields.flatMap(({ name, type: of }) => {
    const other = getNamedType(of)
    if (!isObjectType(other) || depth === 0) return []
    const selection = selectionOf(other.name, { depth: depth - 1, isConditional, isNested: true })
    return fc.tuple(condition, selection).map(([when, within]) => `${name} ${when} { ${within} }`)
  })
  const plain = fc.tuple(leaf, condition, fc.boolean()).map(([name, when, hasAlias]) => {
    const alias = hasAlias ? `alias${names++}: ` : ''
    return `${alias}${name} ${when}`
  })
  const some = fc.oneof({ weight: 4, arbitrary: plain }, fragment, ...nested)
  return fc.array(some, { minLength: 1, maxLength: 6 }).map((selections) => selections.join(' '))
}

const pageParts = fc
  .subarray([
    '__typename',
    'totalCount',
    'more: totalCount',
    'pageInfo { hasNextPage endCursor }',
    'pageInfo { startCursor __typename hasPreviousPage next: hasNextPage }',
    'info: pageInfo { endCursor }',
    'totalCount @include(if: $yes)',
  ])
  .chain((parts) => fc.tuple(fc.shuffledSubarray(parts, { minLength: parts.length }), fc.nat(parts.length)))

const FILTERS: Record<List, readonly string[]> = {
  personnel: ['', 'status: [ACTIVE, INACTIVE]', 'search: "a"', 'externalId: "0"', 'status: INACTIVE', 'search: "%"'],
  groups: ['', 'search: "a"', 'updatedSince: "2020-01-01T00:00:00Z"', 'updatedSince: "2040-01-01T00:00:00Z"'],
  projects: ['', 'status: [ACTIVE]', 'search: "p"'],
  risks: [
    '',
    'status: [CLOSED]',
    'status: [OPEN, OCCURRED, CLOSED]',
    'project: ["P-0"]',
    'owner: [null]',
    'level: HIGH',
  ],
  issues: ['', 'project: ["P-0", "P-1"]', 'severity: [LOW, HIGH]', 'assignee: [null]', 'search: "a"'],
}

const listQuery = fc.constantFrom(...listNames).chain((list) =>
  fc.record({
    list: fc.constant(list),
    selection: selectionOf(LISTS[list], { depth: 2, isConditional: true }),
    parts: pageParts,
    filter: fc.constantFrom(...FILTERS[list]),
    first: fc.option(fc.integer({ min: 1, max: 9 })),
    isNext: fc.boolean(),
    alias: fc.constantFrom('', 'those: '),
  }),
)

const singleQuery = fc.constantFrom(...singleNames).chain((single) =>
  fc.record({
    single: fc.constant(single),
    selection: selectionOf(SINGLES[single], { depth: 2, isConditional: true }),
    which: fc.nat(8),
    alias: fc.constantFrom('', 'that: '),
  }),
)

const nasty = fc.constantFrom(
  '"',
  '\\',
  "'",
  '/',
  '\b\f\n\r\t',
  '\u0001\u001f\u007f',
  '\u2028\u2029',
  '👩‍👩‍👧',
  '\u{10ffff}',
  '<ä>',
)
const text = fc
  .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 4 })
  // The one character that no text here may hold; and what is blank at its ends would be cut off.
  .map((parts) => `${parts.join('').replaceAll('\0', '')}.`)
const maybe = fc.option(text)

const companyOf = fc.record({
  groups: fc.array(fc.record({ name: text, description: maybe }), { maxLength: 3 }),
  people: fc.array(
    fc.record({
      name: text,
      externalId: text,
      title: maybe,
      department: maybe,
      isActive: fc.boolean(),
      groups: fc.nat(7),
    }),
    { maxLength: 7 },
  ),
  risks: fc.array(
    fc.record({
      title: text,
      description: maybe,
      category: maybe,
      assessed: fc.option(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))),
      status: fc.constantFrom(...RISK_STATUSES),
      owner: fc.option(fc.nat(6)),
      ownerName: maybe,
      reviewOn: fc.constantFrom(null, '2027-01-31'),
    }),
    { maxLength: 9 },
  ),
  issues: fc.array(
    fc.record({
      title: text,
      severity: fc.constantFrom(...ISSUE_SEVERITIES),
      status: fc.constantFrom(...ISSUE_STATUSES),
      assignee: fc.option(fc.nat(6)),
      risk: fc.option(fc.nat(8)),
      url: maybe,
    }),
    { maxLength: 9 },
  ),
  project: fc.record({ name: text, description: maybe, url: maybe }),
})

async function fill(write: Write, company: typeof companyOf extends fc.Arbitrary<infer T> ? T : never) {
  const groupIds: string[] = []
  for (const [i, group] of company.groups.entries()) {
    groupIds.push(await addGroup(write, { ...group, name: `${group.name}${i}` }))
  }
  const personIds: string[] = []
  for (const [i, { isActive, groups, externalId, ...person }] of company.people.entries()) {
    const inGroups = groupIds.filter((_, index) => groups & (1 << index))
    const { id } = await addPerson(write, { ...person, externalId: `${externalId}${i}`, groupIds: inGroups })
    if (!isActive) await deactivatePerson(write, id)
    personIds.push(id)
  }
  const projectIds = [
    await addProject(write, project({ key: 'P-0', ...company.project })),
    await addProject(write, project({ key: 'P-1' })),
  ]
  const riskIds = await addRisks(
    write,
    company.risks.map(({ assessed, owner, ...draft }, i) => {
      const [likelihood, impact] = assessed ?? [null, null]
      const ownerId = owner === null ? null : (personIds[owner] ?? null)
      return risk(projectIds[i % 2] ?? '', { ...draft, reference: `R-${i}`, likelihood, impact, ownerId })
    }),
  )
  const issueIds = await addIssues(
    write,
    company.issues.map(({ assignee, risk: from, ...draft }, i) => {
      const assigneeId = assignee === null ? null : (personIds[assignee] ?? null)
      const riskId = from === null ? null : (riskIds[from] ?? null)
      return issue(projectIds[i % 2] ?? '', { ...draft, reference: `I-${i}`, assigneeId, riskId })
    }),
  )
  return { groupIds, personIds, projectIds, riskIds, issueIds }
}

const idsOf = (company: Company): Record<Single, readonly string[]> => ({
  person: company.personIds,
  group: company.groupIds,
  project: company.projectIds,
  risk: company.riskIds,
  issue: company.issueIds,
})

const variables = { yes: true, no: false }
const declared = '$yes: Boolean = true, $no: Boolean!'

describe('what the store tells is, byte for byte, what execution answers', () => {
  test('whatever is stored, and whatever is asked of it', { timeout: 120_000 }, async () => {
    const asked = fc.record({
      company: companyOf,
      lists: fc.array(listQuery, { minLength: 8, maxLength: 12 }),
      singles: fc.array(singleQuery, { minLength: 4, maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ company, lists, singles }) => {
        const own = newStore()
        const store = own.open()
        try {
          const ids = idsOf(await store.write({ by: 'cli', at: () => NOW }, (write) => fill(write, company)))
          const { same } = asking(store, SCOPE_NAMES)
          for (const { list, selection, parts, filter, first, isNext, alias } of lists) {
            const [around, place] = parts
            const page = around.toSpliced(place, 0, `nodes { ${selection} }`).join(' ')
            const uses = '__typename @include(if: $yes) __typename @skip(if: $no)'
            const query = `query ($first: Int, $after: String, ${declared}) {
              ${alias}${list}(first: $first, after: $after, filter: { ${filter} }) { ${page} ${uses} }
            }`
            const answer = await same(query, { ...variables, first })
            const after = answer?.list?.endCursor()
            if (isNext && after) await same(query, { ...variables, first, after })
          }
          for (const { single, selection, which, alias } of singles) {
            const id = ids[single][which] ?? `none_${which}`
            const used = '__typename @include(if: $yes) __typename @skip(if: $no)'
            await same(`query ($id: ID!, ${declared}) { ${alias}${single}(id: $id) { ${selection} ${used} } }`, {
              ...variables,
              id,
            })
          }
        } finally {
          await store.close()
          own.remove()
        }
      }),
      { numRuns: 12 },
    )
  })
})

describe('in a company', () => {
  let store: Store
  let company: Company
  let remove: () => void

  beforeAll(async () => {
    const own = newStore()
    store = own.open()
    remove = own.remove
    company = await store.write({ by: 'cli', at: () => NOW }, fillCompany)
  })
  afterAll(async () => {
    await store.close()
    remove()
  })

  test.each(Object.entries(OPERATIONS))('the operation %s is told wherever it only reads', async (name, text) => {
    const isTold = /^(list|get)/.test(name) && name !== 'getKey'
    expect(tellerOf(schema, parse(text)) !== undefined).toBe(isTold)
    if (!isTold) return
    const { same } = asking(store, SCOPE_NAMES)
    if (name.startsWith('list')) {
      for (const given of [{}, { limit: 2 }, { limit: 2, total: true }, { total: true }]) await same(text, given)
      return
    }
    const ids = idsOf(company)[name.slice('get'.length).toLowerCase() as Single]
    for (const id of [...ids, 'none']) await same(text, name === 'getProject' ? { idOrKey: id } : { id })
  })

  test('REST gets the parts of a list', async () => {
    const { told, executed } = asking(store, SCOPE_NAMES)
    const given = { limit: 3, total: true }
    const list = (await told(OPERATIONS.listRisks, given))?.list
    const { data } = await executed(OPERATIONS.listRisks, given)
    expect({
      nodes: JSON.parse(`[${list?.entries}]`),
      pageInfo: { hasNextPage: list?.hasNext, endCursor: list?.endCursor() },
      totalCount: list?.totalCount,
    }).toEqual(JSON.parse(JSON.stringify(data?.['risks'])))
  })

  test('the groups of a person are told in the order of their names, and not of their ids', async () => {
    const own = newStore()
    const other = own.open()
    await other.write({ by: 'cli', at: () => NOW }, async (write) => {
      const groupIds: string[] = []
      for (const name of ['c', 'A', 'b', 'Z', 'ä']) groupIds.push(await addGroup(write, { name }))
      await addPerson(write, { name: 'Ada', externalId: '1', groupIds })
    })
    await asking(other, SCOPE_NAMES).same('{ personnel { nodes { groups { name } } } }')
    await other.close()
    own.remove()
  })

  test('a project is told by its key as well, in any case', async () => {
    const { same } = asking(store, SCOPE_NAMES)
    await same('{ project(key: "apollo") { id key openRiskCount openIssueCount topRiskScore } }')
    await same('{ project(id: "HARBOR-2") { id } }')
    await same('{ project(key: "NONE") { id } }')
  })

  test.each([
    '{ personnel(first: 0) { nodes { id } } }',
    '{ personnel(first: 1001) { nodes { id } } }',
    '{ personnel(after: "nonsense") { nodes { id } } }',
    '{ risks(filter: { minScore: 99 }) { nodes { id } } }',
    '{ issues(filter: { search: " " }) { nodes { id } } }',
    '{ project { id } }',
    '{ project(id: "a", key: "b") { id } }',
    'query ($first: Int!) { personnel(first: $first) { nodes { id } } }',
    `{ risks(first: 1000) { nodes { ${Array.from({ length: 40 }, (_, i) => `a${i}: owner { groups { id } }`).join(' ')} } } }`,
  ])('what is to be refused is left to execution: %s', async (query) => {
    const { told, executed } = asking(store, SCOPE_NAMES)
    expect(await told(query)).toBeUndefined()
    expect((await executed(query)).errors).toHaveLength(1)
  })

  test('a list that is too long to be told whole is left to execution', async () => {
    const query = '{ risks { nodes { id } } }'
    const few = asking(store, SCOPE_NAMES, 10)
    expect(await few.told(query)).toBeUndefined()
    expect((await few.executed(query)).errors).toMatchObject([{ extensions: { code: 'TOO_COMPLEX' } }])
  })

  test.each([
    '{ personnel { edges { cursor } } }',
    '{ personnel { totalCount } }',
    '{ personnel { nodes { groups { memberCount } } } }',
    '{ risks { nodes { project { topRiskScore } } } }',
    '{ personnel { nodes { id } } groups { nodes { id } } }',
    '{ groups { nodes { members { totalCount } } } }',
    '{ projects { nodes { risks { totalCount } } } }',
    '{ person(id: "x") { history { totalCount } } }',
    '{ apiKey { name } }',
    '{ __typename }',
    '{ __schema { queryType { name } } }',
    '{ _service { sdl } }',
    '{ _entities(representations: []) { ... on Person { id } } }',
    'mutation { addMember(groupId: "a", personId: "b") { id } }',
  ])('what the store cannot tell has no teller: %s', (query) => {
    expect(validate(schema, parse(query))).toEqual([])
    expect(tellerOf(schema, parse(query))).toBeUndefined()
  })

  test('variables mean what they mean to execution, in whatever order they come', async () => {
    const values = [undefined, null, 0, 1, 2, 2.5, -1, '1', '2', 'LOW', true, false, Number.NaN, [], ['P-0'], {}]
    const named = ['limit', 'cursor', 'total', 'search', 'severity', 'updatedSince', 'unknown']
    const one = fc.tuple(fc.constantFrom(...named), fc.constantFrom(...values))
    const given = fc.array(one, { maxLength: 3 }).map((entries) => Object.fromEntries(entries))
    const { executed, told } = asking(store, SCOPE_NAMES)
    const document = parse(OPERATIONS.listIssues)
    let answers = 0
    await fc.assert(
      fc.asyncProperty(given, async (raw) => {
        const { data, errors } = await executed(document, raw)
        const answer = (await told(document, raw))?.data().toString()
        expect({ raw, answer }).toEqual({ raw, answer: errors ? undefined : JSON.stringify(data) })
        if (answer) answers += 1
      }),
      { numRuns: 400 },
    )
    expect(answers).toBeGreaterThan(20)
  })

  test('of several operations, the one that is named is told', async () => {
    const document = parse('query a { personnel { nodes { id } } } query b { projects { nodes { id } } }')
    expect(tellerOf(schema, document)).toBeUndefined()
    expect([...(tellerOf(schema, document, 'a')?.scopes ?? [])]).toEqual(['personnel.read'])
    expect([...(tellerOf(schema, document, 'b')?.scopes ?? [])]).toEqual(['projects.read'])
  })

  test('a teller knows exactly what execution asks of a key', { timeout: 60_000 }, async () => {
    const roots = [
      ...listNames.map(
        (list) => [list, LISTS[list], (fields: string) => `{ ${list} { nodes { ${fields} } } }`] as const,
      ),
      ...singleNames.map((single) => {
        const id = idsOf(company)[single][0]
        return [single, SINGLES[single], (fields: string) => `{ ${single}(id: "${id}") { ${fields} } }`] as const
      }),
    ]
    const query = fc
      .constantFrom(...roots)
      .chain(([, type, ask]) =>
        selectionOf(type, { depth: 2, isConditional: false }).map((selection) => ask(selection)),
      )
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const needed = [...(tellerOf(schema, parse(asked))?.scopes ?? [])]
        expect(needed).not.toEqual([])
        expect((await asking(store, needed).executed(asked)).errors).toBeUndefined()
        for (const missing of needed) {
          const others = SCOPE_NAMES.filter((scope) => !scope.startsWith(missing.replace(/\..*/, '')))
          const { errors } = await asking(store, others).executed(asked)
          expect({ asked, missing, code: errors?.[0]?.extensions['code'] }).toEqual({
            asked,
            missing,
            code: 'INSUFFICIENT_SCOPE',
          })
        }
      }),
      { numRuns: 60 },
    )
  })

  test('an answer takes one statement, and one more to count', async () => {
    let statements = 0
    const engine = createEngine({ store, clock: () => NOW, wholeListRowsMax: 1_000 })
    const principal = { keyId: 'k', name: 'k', scopes: new Set(SCOPE_NAMES), projects: null, expiresAt: null }
    const cost = async (given: Record<string, unknown>) => {
      statements = 0
      const context = engine.contextFor(principal, () => {
        statements += 1
      })
      await tellerOf(schema, parse(OPERATIONS.listRisks))?.tell(context, given)
      return statements
    }
    expect([await cost({}), await cost({ limit: 2 }), await cost({ total: true })]).toEqual([1, 1, 2])
    expect(await cost({ project: ['APOLLO'] })).toBe(2)
  })
})
