import fc from 'fast-check'
import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql'
import { schema } from '../src/schema.js'

/** Queries that the store tells, made up at random. */

export const LISTS = {
  personnel: 'Person',
  groups: 'Group',
  projects: 'Project',
  risks: 'Risk',
  issues: 'Issue',
} as const
export const SINGLES = { person: 'Person', group: 'Group', project: 'Project', risk: 'Risk', issue: 'Issue' } as const
type List = keyof typeof LISTS
export type Single = keyof typeof SINGLES
export const listNames = Object.keys(LISTS) as List[]
export const singleNames = Object.keys(SINGLES) as Single[]
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
export function selectionOf(type: string, { depth, isConditional, isNested = false }: Shape): fc.Arbitrary<string> {
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

export const listQuery = fc.constantFrom(...listNames).chain((list) =>
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

export const singleQuery = fc.constantFrom(...singleNames).chain((single) =>
  fc.record({
    single: fc.constant(single),
    selection: selectionOf(SINGLES[single], { depth: 2, isConditional: true }),
    which: fc.nat(8),
    alias: fc.constantFrom('', 'that: '),
  }),
)
