import fc from 'fast-check'
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  parseValue,
  valueFromASTUntyped,
} from 'graphql'
import { argumentsOf, filterOf, isPaged, NAMED, pick, SAFE, token } from './arguments.js'
import { firstMutations, type Mutation, mutation } from './companies.js'
import { oracleSchema } from './schema.js'

/** Random queries from the SDL. */

const objectType = (name: string) => oracleSchema.getType(name) as GraphQLObjectType
const fieldsOf = (type: string): GraphQLField<unknown, unknown>[] => Object.values(objectType(type).getFields())

/** A query may have few directives. */
const CONDITIONS = [
  ...Array<string>(60).fill(''),
  '@include(if: $yes)',
  '@skip(if: $no)',
  '@include(if: $no)',
  '@skip(if: true)',
]

/** The same name for the same field with the same arguments, so that fields can be merged. */
function aliasOf(name: string, args: string): string {
  const hash = [...args].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 99_991, 7)
  return `${name}${hash}: `
}

const called = ({ name }: { readonly name: string }, args: string) =>
  `${aliasOf(name, args)}${name}${args && `(${args})`}`

const selections = new Map<string, fc.Arbitrary<string>>()

/** A selection of any fields of a type, with aliases, fragments, repetitions and conditions. */
function selectionOf(type: string, depth: number): fc.Arbitrary<string> {
  const known = selections.get(`${type} ${depth}`)
  if (known) return known
  const condition = pick(...CONDITIONS)
  const fields = fieldsOf(type).filter(({ name }) => name !== 'warnings')
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name)
  const plain = fc
    .tuple(pick('__typename', ...leaves), condition, pick('', '', 'my_'))
    .map(([name, when, alias]) => `${alias && `${alias}${name}: `}${name} ${when}`)
  const counted = fields
    .filter((field) => field.args.length > 0 && leaves.includes(field.name))
    .map((field) => argumentsOf(field, false).map((args) => called(field, args)))
  const few = fc.array(plain, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '))
  const fragment = fc
    .tuple(pick('...', `... on ${type}`), condition, few)
    .map(([spread, when, inner]) => `${spread} ${when} { ${inner} }`)
  const nested = fields
    .filter((field) => depth > 0 && isObjectType(getNamedType(field.type)))
    .map((field) => fieldText(field, depth - 1, false))
  const some = fc.oneof(
    { weight: 5, arbitrary: plain },
    fragment,
    ...counted.map((arbitrary) => ({ weight: 1, arbitrary })),
    ...nested.map((arbitrary) => ({ weight: 1, arbitrary })),
  )
  const made = fc.array(some, { minLength: 1, maxLength: 7, size: 'max' }).map((all) => all.join(' '))
  selections.set(`${type} ${depth}`, made)
  return made
}

const PARTS = [
  '__typename',
  'totalCount',
  'count: totalCount',
  'pageInfo { hasNextPage endCursor }',
  'pageInfo { startCursor hasPreviousPage __typename }',
]

/** A page: its entries as nodes or edges, and what is beside them. */
function pageSelection(type: string, depth: number): fc.Arbitrary<string> {
  const node = getNamedType(objectType(type).getFields()['nodes']?.type)?.name ?? ''
  const entries = fc.tuple(selectionOf(node, depth), pick('nodes', 'nodes', 'edges', 'none')).map(([inner, form]) => {
    if (form === 'none') return 'totalCount'
    return form === 'nodes' ? `nodes { ${inner} }` : `edges { cursor node { ${inner} } }`
  })
  return fc.tuple(entries, fc.subarray(PARTS)).map(([one, parts]) => [...parts, one].join(' '))
}

/** A field with its arguments and its selection. */
function fieldText(field: GraphQLField<unknown, unknown>, depth: number, isRoot: boolean): fc.Arbitrary<string> {
  const type = getNamedType(field.type).name
  const inner = type.endsWith('Connection')
    ? pageSelection(type, depth)
    : type === 'Node'
      ? onAny(depth)
      : selectionOf(type, depth)
  return fc.tuple(argumentsOf(field, isRoot), inner, pick(...CONDITIONS)).map(([args, selection, when]) => {
    if (field.args.length === 0) return `${field.name} ${when} { ${selection} }`
    return `${called(field, args)} ${when} { ${selection} }`
  })
}

/** A selection of one of the types of an interface or a union. */
const onAny = (depth: number) =>
  pick('Person', 'Group', 'Project', 'Risk', 'Issue').chain((type) =>
    selectionOf(type, depth).map((inner) => `__typename ... on ${type} { ${inner} }`),
  )

/** A query as it is sent, and the root list that is read on, page by page. */
export interface RandomQuery {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

const roots = fieldsOf('Query').filter(({ name }) => name !== '_entities')
const root = (depth: number) => fc.oneof(...roots.map((field) => fieldText(field, depth, true)))
const VARIABLES = '$yes: Boolean = true, $no: Boolean!'
const used = '__typename @include(if: $yes) __typename @skip(if: $no)'

const several = fc.array(root(1), { minLength: 1, maxLength: 3 }).map((all) => all.join(' '))
const whole: fc.Arbitrary<RandomQuery> = fc.tuple(fc.oneof(root(2), several), fc.boolean()).map(([text, isNamed]) => ({
  query: isNamed
    ? `query (${VARIABLES}) { ...Root } fragment Root on Query { ${text} ${used} }`
    : `query (${VARIABLES}) { ${text} ${used} }`,
  variables: { no: false },
}))

/** A list that is followed with the variable `after`, at the root or in one thing. */
const pagedRoots = roots.filter(isPaged)
const within = ['Person', 'Group', 'Project', 'Risk', 'Issue'].flatMap((type) =>
  fieldsOf(type)
    .filter(isPaged)
    .map((field) => ({ type, field })),
)
interface Page {
  readonly text: string
  readonly types: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** A page whose arguments are variables. */
function page(field: GraphQLField<unknown, unknown>, isRoot: boolean): fc.Arbitrary<Page> {
  const typeOf = (name: string) => field.args.find((arg) => arg.name === name)?.type
  const filterType = getNamedType(typeOf('filter'))?.name ?? ''
  const inner = pageSelection(getNamedType(field.type).name, 1)
  return fc
    .tuple(fc.integer({ min: 1, max: 3 }), filterOf(filterType, isRoot), inner)
    .map(([first, filter, selection]) => ({
      text: `page: ${field.name}(first: $first, after: $after, filter: $filter) { ${selection} pageInfo { endCursor hasNextPage } }`,
      types: `$first: ${typeOf('first')}, $after: String, $filter: ${filterType}`,
      variables: { first, filter: valueFromASTUntyped(parseValue(`{ ${filter} }`)) },
    }))
}

const followed: fc.Arbitrary<RandomQuery> = fc
  .oneof(
    ...pagedRoots.map((field) => page(field, true)),
    ...within.map(({ type, field }) => {
      const by = NAMED[type.toLowerCase()] ?? fc.constant('')
      const below = ([args, one]: [string, Page]) => ({
        ...one,
        text: `${type.toLowerCase()}(${args}) { ${one.text} }`,
      })
      return fc.tuple(by, page(field, false)).map(below)
    }),
  )
  .map(({ text, types, variables }) => ({
    query: `query (${types}, ${VARIABLES}) { ${text} ${used} }`,
    variables: { ...variables, no: false },
  }))

const reference = fc.oneof(
  token('person').map((id) => ({ __typename: 'Person', id })),
  token('email').map((email) => ({ __typename: 'Person', email })),
  fc.constant({ __typename: 'Person', externalId: 'HR-1' }),
  token('group').map((id) => ({ __typename: 'Group', id })),
  token('groupName').map((name) => ({ __typename: 'Group', name })),
  token('key').map((key) => ({ __typename: 'Project', key })),
  token('risk').map((id) => ({ __typename: 'Risk', id })),
  token('key').map((key) => ({ __typename: 'Issue', project: { key }, reference: 'I-1' })),
  fc.constantFrom({ __typename: 'Person' }, { __typename: 'Risk', id: 'rsk_none' }),
)
const references: fc.Arbitrary<RandomQuery> = fc
  .tuple(onAny(2), fc.array(reference, { maxLength: 6 }))
  .map(([inner, r]) => ({
    query: `query ($r: [_Any!]!, ${VARIABLES}) { _entities(representations: $r) { ${inner} } ${used} }`,
    variables: { r, no: false },
  }))

export const anyQuery: fc.Arbitrary<RandomQuery> = fc.oneof(
  { weight: 5, arbitrary: whole },
  { weight: 4, arbitrary: followed },
  references,
)

/** A mutation with a selection of what it returns. */
function selecting({ field, types, variables }: Mutation): fc.Arbitrary<RandomQuery> {
  const declared = objectType('Mutation').getFields()[field]
  const args = declared?.args.map(({ name }) => `${name}: $${name}`).join(', ')
  return selectionOf(getNamedType(declared?.type)?.name ?? '', 2).map((inner) => ({
    query: `mutation (${types}, ${VARIABLES}) { done: ${field}(${args}) { ${inner} ${used} } }`,
    variables: { ...variables, no: false },
  }))
}

export const anyMutation: fc.Arbitrary<RandomQuery> = mutation.chain(selecting)
export const anyBeginning: fc.Arbitrary<RandomQuery[]> = firstMutations.chain((all) => fc.tuple(...all.map(selecting)))

/** All fields of a type that need no arguments, and those of what is nested in it. */
function everythingOf(type: string, depth: number): string {
  const fields = fieldsOf(type).filter(({ args, name }) => args.length === 0 && name !== 'project')
  const parts = fields.map((field) => {
    const of = getNamedType(field.type)
    if (isLeafType(of)) return field.name
    return depth > 0 && isObjectType(of) ? `${field.name} { ${everythingOf(of.name, depth - 1)} }` : ''
  })
  return parts.join(' ')
}

const LISTS = {
  personnel: 'Person',
  groups: 'Group',
  projects: 'Project',
  risks: 'Risk',
  issues: 'Issue',
  changes: 'Feed',
}

/** Each member of each filter by itself, in one query for each list. */
export const everyFilter: fc.Arbitrary<RandomQuery[]> = fc.tuple(
  ...Object.entries(LISTS).map(([list, type]) => {
    const members = Object.entries(SAFE[`${type}Filter`] ?? {})
    return fc.tuple(...members.map(([, value]) => value)).map((values) => {
      const roots = values.map((value, place) => {
        const first = list === 'changes' ? 'first: 1000, ' : ''
        return `a${place}: ${list}(${first}filter: { ${members[place]?.[0]}: ${value} }) { totalCount nodes { id } }`
      })
      return { query: `{ ${roots.join(' ')} }`, variables: {} }
    })
  }),
)

/** Everything that is stored: compared at the end of each run. */
export const EVERYTHING_STORED: readonly RandomQuery[] = [
  `personnel(filter: { status: [ACTIVE, INACTIVE] }) { totalCount nodes { ${everythingOf('Person', 1)} } }`,
  `groups { totalCount nodes { ${everythingOf('Group', 0)} members { nodes { name } } } }`,
  `projects { nodes { ${everythingOf('Project', 1)} } }`,
  `risks(filter: { status: [OPEN, OCCURRED, CLOSED] }) { nodes { ${everythingOf('Risk', 0)} details { name text } project { key } owner { name } } }`,
  `issues { nodes { ${everythingOf('Issue', 0)} details { name text } project { key } risk { reference } } }`,
  `changes(first: 1000) { nodes { ${everythingOf('Change', 0)} project { key } fields { field from to } } }`,
  ...[1, 3, 5].map((place) => `movements(since: "«instant ${place}»") { ${everythingOf('Movements', 2)} }`),
  // Deeper than random selections are.
  `movements(since: "«instant 2»") { risks { risk { owner { name } history(first: 2) { nodes { by } } } }
    issues { issue { assignee { issues(first: 2) { totalCount } } } } }`,
  ...['2026-03-01', '2030-01-01'].map((on) => {
    return `overdueByPerson(on: "${on}") { ${everythingOf('OverdueByPerson', 2)} } projects { nodes { overdueIssueCount(on: "${on}") } }`
  }),
  'riskTrend(from: "2026-11-01", to: "2026-12-31") { points { on live unassessed low medium high critical score } }',
  `riskMatrix { ${everythingOf('RiskMatrix', 1)} } residualMatrix { ${everythingOf('RiskMatrix', 1)} } issueCounts { ${everythingOf('IssueCounts', 1)} }`,
].map((text) => ({ query: `{ ${text} }`, variables: {} }))
