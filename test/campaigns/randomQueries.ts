import fc from 'fast-check'
import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql'
import { schema } from '../../src/schema.js'

/** Random queries. */

const LISTS = {
  personnel: 'Person',
  groups: 'Group',
  projects: 'Project',
  risks: 'Risk',
  issues: 'Issue',
} as const
export const SINGLES = { person: 'Person', group: 'Group', project: 'Project', risk: 'Risk', issue: 'Issue' } as const
type List = keyof typeof LISTS
export type Single = keyof typeof SINGLES
const listNames = Object.keys(LISTS) as List[]
const singleNames = Object.keys(SINGLES) as Single[]
const objectType = (name: string) => schema.getType(name) as GraphQLObjectType

const fieldsOf = (type: string) => Object.values(objectType(type).getFields())

let names = 0

interface Shape {
  /** Nesting depth. */
  readonly depth: number
  readonly isConditional: boolean
  /** Whether it has nested lists with arguments. */
  readonly isPaged?: boolean
}

const CONDITIONS = ['', '', '', '@include(if: $yes)', '@skip(if: $yes)', '@include(if: $no)', '@skip(if: false)']

/** A selection of any fields of a type, with aliases, fragments, repetitions and conditions. */
function selectionOf(type: string, shape: Shape): fc.Arbitrary<string> {
  const { depth, isConditional, isPaged = false } = shape
  const condition = fc.constantFrom(...(isConditional ? CONDITIONS : ['']))
  const fields = fieldsOf(type).filter(({ args }) => args.length === 0)
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name)
  const leaf = fc.constantFrom('__typename', ...leaves)
  const inner = depth > 0 ? selectionOf(type, { ...shape, depth: 0 }) : leaf
  const fragment = fc
    .tuple(fc.constantFrom('...', `... on ${type}`), condition, inner)
    .map(([spread, when, selection]) => `${spread} ${when} { ${selection} }`)
  const nested = fields.flatMap(({ name, type: of }) => {
    const other = getNamedType(of)
    if (!isObjectType(other) || depth === 0) return []
    const selection = selectionOf(other.name, { ...shape, depth: depth - 1 })
    return fc.tuple(condition, selection).map(([when, within]) => `${name} ${when} { ${within} }`)
  })
  const plain = fc.tuple(leaf, condition, fc.boolean()).map(([name, when, hasAlias]) => {
    const alias = hasAlias ? `alias${names++}: ` : ''
    return `${alias}${name} ${when}`
  })
  const pages = fieldsOf(type).filter(({ args }) => isPaged && depth > 0 && args.length > 0)
  const paged = pages.map(({ name, type: of }) => {
    const node = getNamedType(objectType(getNamedType(of).name).getFields()['nodes']?.type)?.name ?? ''
    const entries = selectionOf(node, { ...shape, depth: depth - 1 })
    const list = listNames.find((one) => LISTS[one] === node)
    const filters = list ? FILTERS[list] : ['']
    return fc
      .tuple(entries, fc.constantFrom(...PAGES), fc.integer({ min: 1, max: 3 }), fc.constantFrom('', '', ...filters))
      .map(([within, page, first, filter]) => {
        return `alias${names++}: ${name}(first: ${first}, filter: { ${filter} }) { ${page(within)} }`
      })
  })
  const some = fc.oneof({ weight: 4, arbitrary: plain }, fragment, ...nested, ...paged)
  return fc.array(some, { minLength: 1, maxLength: 6 }).map((selections) => selections.join(' '))
}

const PAGES: readonly ((selection: string) => string)[] = [
  (selection) => `nodes { ${selection} }`,
  (selection) => `pageInfo { hasNextPage endCursor } nodes { ${selection} } totalCount`,
  (selection) => `edges { cursor node { ${selection} } __typename }`,
  (selection) => `edges { node { ${selection} } } pageInfo { startCursor hasPreviousPage __typename }`,
  () => 'totalCount pageInfo { endCursor }',
]

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
    selection: selectionOf(LISTS[list], { depth: 2, isConditional: true, isPaged: true }),
    isEdges: fc.boolean(),
    parts: pageParts,
    filter: fc.constantFrom(...FILTERS[list]),
    // A large page builds the objects of rows that may repeat once.
    first: fc.option(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(300))),
    isNext: fc.boolean(),
    alias: fc.constantFrom('', 'those: '),
  }),
)

export const singleQuery = fc.constantFrom(...singleNames).chain((single) =>
  fc.record({
    single: fc.constant(single),
    selection: selectionOf(SINGLES[single], { depth: 2, isConditional: true, isPaged: true }),
    which: fc.nat(8),
    alias: fc.constantFrom('', 'that: '),
  }),
)

/** A selection of one type, and references to any type. */
export const referencesQuery = fc.record({
  selection: fc
    .constantFrom(...singleNames.map((single) => SINGLES[single]))
    .chain((type) =>
      selectionOf(type, { depth: 2, isConditional: false, isPaged: true }).map(
        (within) => `... on ${type} { ${within} }`,
      ),
    ),
  places: fc.array(fc.tuple(fc.constantFrom(...singleNames), fc.nat(4)), { maxLength: 12 }),
})
