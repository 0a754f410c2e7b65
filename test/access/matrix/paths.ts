import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  Kind,
  parse,
} from 'graphql'
import { isScope, type Scope } from '../../../src/auth/scopes.js'
import { schema, sdl } from '../../../src/schema.js'

/** The requested rows: ids by type, and other keys by type and field; `key` is the project's. */
export type Rows = Readonly<Record<string, string>>

/** One step of a path in the schema; `as` is the type for `_entities` or `node`, and its key. */
export interface Step {
  readonly parent: GraphQLObjectType
  readonly field: GraphQLField<unknown, unknown>
  readonly as?: { readonly type: GraphQLObjectType; readonly key: string }
}
export type Path = readonly Step[]

const managing = (around: Scope): Scope => (around.startsWith('personnel') ? 'personnel.manage' : 'projects.manage')

/** A rule that depends on the parent: the scope of the nearest enclosing type. */
const SPECIAL: Readonly<Record<string, (around: Scope) => Scope>> = {
  'Change.by': managing,
  'Change.import': managing,
}

/** Fields that need no scope. The results of `_entities` and `node` have the scope of their type. */
const ANY_KEY = ['Query.apiKey', 'Query._service', 'Query._entities', 'ApiKey']
const BY_TYPE = 'Query.node'
/** Shows the rows that a key may read: feed.test.ts has its rules. */
const BY_ROW = 'Query.changes'

/** The rule of scopes, implemented independently. */
export function isEnough(held: readonly Scope[], needed: Scope): boolean {
  return held.includes(needed) || held.some((scope) => scope === needed.replace(/read$/, 'manage'))
}

export type Rule = ((around: Scope) => Scope) | 'any key' | undefined

/** The scope that a field or type needs; undefined if it needs none of its own. */
function ruleOf(place: string, extensions: Readonly<Record<string, unknown>>): Rule {
  const { scope, scopes, pothosOptions } = extensions
  if ([BY_TYPE, BY_ROW].includes(place) && Array.isArray(scopes) && scopes.every(isScope)) return 'any key'
  if (typeof scope === 'string' && isScope(scope)) return () => scope
  if (scope === null && ANY_KEY.includes(place)) return 'any key'
  const isGuarded = Object(pothosOptions).authScopes !== undefined
  const special = SPECIAL[place]
  if (special && !isGuarded) throw new Error(`${place} is no longer guarded.`)
  if (special && scope === undefined) return special
  if (scope !== undefined || isGuarded) throw new Error(`${place} is guarded by a rule that it does not declare.`)
  return undefined
}

export const ruleOfType = ({ name, extensions }: GraphQLObjectType) => ruleOf(name, extensions)
const placeOf = ({ parent, field }: Step) => `${parent.name}.${field.name}`
export const ruleOfStep = (step: Step) => ruleOf(placeOf(step), step.field.extensions)

function fieldsOf(parent: GraphQLObjectType): Step[] {
  return Object.values(parent.getFields()).map((field) => ({ parent, field }))
}

/** Every entry point: each root field, `_entities` for each key of each entity, and `node` for each type. */
export function entriesOf(operation: 'query' | 'mutation'): Step[] {
  const root = operation === 'query' ? schema.getQueryType() : schema.getMutationType()
  if (!root) throw new Error(`There is no ${operation}.`)
  return fieldsOf(root).flatMap((step) => {
    if (ruleOfStep(step) === undefined) throw new Error(`${placeOf(step)} declares no scope.`)
    if (placeOf(step) === BY_ROW) return []
    if (step.field.name === 'node') return nodesOf(step)
    return step.field.name === '_entities' ? references(step) : [step]
  })
}

function nodesOf(step: Step): Step[] {
  const types = schema.getPossibleTypes(getNamedType(step.field.type) as GraphQLInterfaceType)
  return types.map((type) => {
    if (typeof ruleOfType(type) !== 'function') throw new Error(`The node ${type.name} declares no scope.`)
    return { ...step, as: { type, key: 'id' } }
  })
}

function references(step: Step): Step[] {
  const union = getNamedType(step.field.type)
  const keys = parse(sdl()).definitions.flatMap((node) => {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) return []
    const directives = node.directives?.filter(({ name }) => name.value === 'key') ?? []
    return directives.map((one) => ({ type: node.name.value, key: stringIn(one.arguments?.[0]?.value) }))
  })
  return (isUnionType(union) ? union.getTypes() : []).flatMap((type) => {
    const own = keys.filter((one) => one.type === type.name)
    if (typeof ruleOfType(type) !== 'function') throw new Error(`The entity ${type.name} declares no scope.`)
    if (own.length === 0) throw new Error(`The entity ${type.name} has no key.`)
    return own.map(({ key }) => ({ ...step, as: { type, key } }))
  })
}

function stringIn(node: unknown): string {
  return String(Object(node).value)
}

/** Every field with a scope that is reachable from a path through fields without one. */
export function stepsFrom(path: Path): Path[] {
  const last = path.at(-1)
  const type = last && typeOf(last)
  if (!isObjectType(type)) return []
  return fieldsOf(type).flatMap((step) => {
    const further = [...path, step]
    if (ruleOfStep(step) !== undefined) return [further]
    const next = getNamedType(step.field.type)
    // Whoever reads a change may read its entity: that is its parent here, and otherwise null.
    if (!isObjectType(next) || (type.name === 'Change' && ruleOfType(next))) return []
    if (ruleOfType(type) && ruleOfType(next)) throw new Error(`${placeOf(step)} declares no scope.`)
    return stepsFrom(further)
  })
}

function typeOf({ field, as }: Step): GraphQLNamedType {
  return as?.type ?? getNamedType(field.type)
}

export function nameOf(path: Path): string {
  return path.map(({ field, as }) => (as ? `${field.name}(${as.type.name} by ${as.key})` : field.name)).join('.')
}

/** The ways to write the same query. */
export const STYLES = ['plain', 'alias', 'named fragment', 'inline fragment'] as const
export type Style = (typeof STYLES)[number]

/** The response key of a step; each style has its own, so that all fit in one document. */
function keyOf({ field }: Step, style: Style, index: number): string {
  if (style === 'alias') return `apiKey${index}`
  return index > 0 || style === 'plain' ? field.name : style.replace(' fragment', '')
}

interface MatrixCell {
  readonly paths: readonly Path[]
  readonly rows: Rows
  readonly styles: readonly Style[]
  /** Selected besides the paths: every field without a scope of its own, the id, or nothing. */
  readonly detail: 'all' | 'id' | 'none'
}

/** A document that selects these paths from one entry point, once in each style, and the fields along them. */
export function documentOf({ paths, rows, styles, detail }: MatrixCell): string {
  const fragments: string[] = []
  const write = (path: Path, style: Style) =>
    path.reduceRight((inner, step, index) => {
      const type = typeOf(step)
      const own = isObjectType(type) ? fieldsBeside(type, detail, inner === '') : ''
      const within = step.as ? `__typename ... on ${type} { ${own} ${inner} }` : `${own} ${inner}`
      const selection = isLeafType(type) ? '' : ` { ${within} }`
      const key = keyOf(step, style, index)
      const alias = key === step.field.name ? '' : `${key}: `
      const text = `${alias}${step.field.name}${argumentsOf(step, rows)}${selection}`
      if (style === 'inline fragment') return `... on ${step.parent} { ${text} }`
      if (style !== 'named fragment') return text
      const name = `F${fragments.length}`
      fragments.push(`fragment ${name} on ${step.parent} { ${text} }`)
      return `...${name}`
    }, '')
  const written = styles.flatMap((style) => paths.map((path) => write(path, style)))
  const entry = paths[0]?.[0]
  const isMutation = entry?.parent === schema.getMutationType()
  const input = entry && inputTypeOf(entry)
  const head = isMutation ? `mutation ${input ? `($input: ${input})` : ''}` : 'query'
  const beside = isMutation ? '__typename' : 'beside: apiKey { name }'
  return `${head} { ${beside} ${written.join(' ')} } ${fragments.join(' ')}`
}

/** The input type of a mutation, if any. */
export function inputTypeOf({ field }: Step): string | undefined {
  const input = field.args.find(({ name }) => name === 'input')
  return input && String(input.type)
}

/** The response key in a document of that style. */
export function rootKeyOf([entry]: Path, style: Style): string {
  return entry ? keyOf(entry, style, 0) : ''
}

/** All values at the end of a path, in the data of a document of that style. */
export function endsOf(data: unknown, path: Path, style: Style): unknown[] {
  return path.reduce<unknown[]>(
    (values, step, index) => values.flatMap((value) => Object(value)[keyOf(step, style, index)] ?? []),
    [data],
  )
}

/** The fields of a type without a scope: leaves, and at the end of a path also objects with such leaves. */
function fieldsBeside(type: GraphQLObjectType, detail: MatrixCell['detail'], isEnd: boolean): string {
  const fields = fieldsOf(type).flatMap((step) => {
    const inner = getNamedType(step.field.type)
    if (detail === 'none' || ruleOfStep(step) !== undefined) return []
    if (isObjectType(inner)) return isEnd ? [`${step.field.name} { ${fieldsBeside(inner, detail, isEnd)} }`] : []
    return detail === 'all' || step.field.name === 'id' ? [step.field.name + argumentsOf(step, {})] : []
  })
  return ['__typename', ...fields].join(' ')
}

const PAGE = 2

function argumentsOf({ field, as }: Step, rows: Rows): string {
  if (as && field.name === 'node') return `(id: "${rowOf(rows, as.type, 'id')}")`
  if (as) return `(representations: [{ __typename: "${as.type}", ${membersOf(as.key, rows, as.type)} }])`
  const wanted = field.args.filter((arg) => isRequiredArgument(arg) || ['id', 'first'].includes(arg.name))
  return wanted.length === 0 ? '' : `(${wanted.map((arg) => `${arg.name}: ${givenAs(arg, field, rows)}`).join(', ')})`
}

/** Required instants and days: a period in which the stage was filled. */
export const DAYS = new Map([
  ['since', '2026-01-01'],
  ['from', '2026-11-01'],
  ['to', '2026-11-03'],
  ['on', '2040-01-01'],
])

function givenAs({ name, type }: GraphQLArgument, field: GraphQLField<unknown, unknown>, rows: Rows): string {
  if (name === 'first') return String(PAGE)
  if (name === 'input') return '$input'
  const noun =
    name === 'id' ? getNamedType(field.type).name.replace(/^Removed/, '') : name.replace(/Id$/, '').replace(/^./, upper)
  if (DAYS.has(name)) return `"${DAYS.get(name)}"`
  if (getNamedType(type).name === 'ID') return `"${rowOf(rows, noun, 'id')}"`
  throw new Error(`The matrix has no value for the argument ${name} of ${field.name}.`)
}

/** The members of a reference by this key, with the values of the row. */
function membersOf(key: string, rows: Rows, type: GraphQLObjectType): string {
  return key
    .replaceAll(/\w+(?= *\{)|\w+/g, (name, at: number) => {
      const isLeaf = !/^ *\{/.test(key.slice(at + name.length))
      return isLeaf ? `${name}: "${rowOf(rows, type, name)}"` : `${name}:`
    })
    .trim()
}

const upper = (letter: string) => letter.toUpperCase()

export function rowOf(rows: Rows, type: GraphQLNamedType | string, key: string): string {
  const row = rows[key === 'id' ? String(type) : key] ?? rows[`${type}.${key}`]
  if (row === undefined) throw new Error(`The matrix has no ${type} to look up by ${key}.`)
  return row
}
