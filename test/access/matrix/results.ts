import {
  type DocumentNode,
  type FieldNode,
  GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { isScope, type Scope } from '../../../src/auth/scopes.js'
import { schema } from '../../../src/schema.js'
import type { TestResponse } from '../../support/harness.js'
import { isEnough, type Rule, ruleOfStep, ruleOfType } from './paths.js'

/** A key and its caller. */
export interface Self {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly projects: readonly string[] | null
  readonly expiresAt: string | null
}

export interface Refusal {
  readonly message: string
  readonly path: readonly (string | number)[]
  readonly extensions: object
}

const parsed = new Map<string, DocumentNode>()

/**
 * The expected response to a key, derived from the response to a key with every scope. A refused field has one error,
 * with `@` for any entry of a list, whether or not there is a value.
 */
export function answerFor(self: Self, text: string, whole: unknown): { data: unknown; errors: Refusal[] } {
  const document = parsed.get(text) ?? parse(text)
  parsed.set(text, document)
  const errors = new Map<string, Refusal>()

  /** Records a refusal, unless the key has the scope of the rule. */
  const refuses = (rule: Rule, around: Scope, path: Refusal['path'], type: GraphQLOutputType): boolean => {
    const needed = typeof rule === 'function' ? rule(around) : undefined
    if (needed === undefined || isEnough(self.scopes, needed)) return false
    if (isNonNullType(type)) throw new Error(`A refusal at ${path.join('.')} takes more along than itself.`)
    const extensions = { code: 'INSUFFICIENT_SCOPE', requiredScope: needed }
    errors.set(path.join('.'), { message: `This needs a key with the scope ${needed}.`, path, extensions })
    return true
  }

  /** `own` is the path of an entry whose type is not known from its field. */
  const seen = (
    type: GraphQLOutputType,
    value: unknown,
    nodes: FieldNode[],
    path: Refusal['path'],
    around: Scope,
    own = path,
  ): unknown => {
    const inner = getNullableType(type)
    if (isLeafType(inner)) return value
    if (isListType(inner)) {
      const any = [...path, '@']
      seen(inner.ofType, undefined, nodes, any, around)
      if (!Array.isArray(value)) return value
      return value.map((item, index) => seen(inner.ofType, item, nodes, any, around, [...path, index]))
    }
    const isMissing = value === null || value === undefined
    if (isMissing && !isObjectType(inner)) return value
    const named = isObjectType(inner) ? inner : schema.getType(String(Object(value).__typename))
    if (!(named instanceof GraphQLObjectType)) throw new Error(`Nothing tells what ${path.join('.')} is.`)
    if (refuses(ruleOfType(named), around, isObjectType(inner) ? path : own, type)) return null
    const { scope } = named.extensions
    const closer = typeof scope === 'string' && isScope(scope) ? scope : around
    const shown = members(named, named.name === 'ApiKey' ? self : Object(value), nodes, path, closer)
    return isMissing ? value : shown
  }

  /** What a change refers to: whoever may read the change may read it, and for everybody else there is none. */
  const isUnseen = (type: GraphQLOutputType): boolean => {
    const named = getNamedType(type)
    const rule = isObjectType(named) ? ruleOfType(named) : undefined
    return typeof rule === 'function' && !isEnough(self.scopes, rule('personnel.read'))
  }

  const members = (
    type: GraphQLObjectType,
    value: object,
    nodes: FieldNode[],
    path: Refusal['path'],
    around: Scope,
  ) => {
    const data: Record<string, unknown> = {}
    for (const node of nodes) {
      const key = node.alias?.value ?? node.name.value
      const field = type.getFields()[node.name.value]
      if (key in data) continue
      data[key] = type.name
      if (!field) continue
      data[key] = null
      const at = [...path, key]
      if (refuses(ruleOfStep({ parent: type, field }), around, at, field.type)) continue
      if (type.name === 'Change' && isUnseen(field.type)) continue
      // The same field may be selected in several places, and its selections are merged.
      const same = nodes.filter((one) => (one.alias ?? one.name).value === key)
      const inner = same.flatMap(({ selectionSet }) => selected(document, selectionSet))
      data[key] = seen(field.type, Object(value)[type.name === 'ApiKey' ? field.name : key], inner, at, around)
    }
    return data
  }

  const [operation] = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const root = operation && schema.getRootType(operation.operation)
  if (!root) throw new Error('The document selects nothing.')
  const data = members(root, Object(whole), selected(document, operation.selectionSet), [], 'personnel.read')
  return { data, errors: [...errors.values()] }
}

/** The fields of a selection, including those in fragments. */
function selected(document: DocumentNode, selection: SelectionSetNode | undefined): FieldNode[] {
  return (selection?.selections ?? []).flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node]
    if (node.kind === Kind.INLINE_FRAGMENT) return selected(document, node.selectionSet)
    const [named] = document.definitions.filter(
      (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === node.name.value,
    )
    return named?.kind === Kind.FRAGMENT_DEFINITION ? selected(document, named.selectionSet) : []
  })
}

export interface Outcome {
  readonly status: number
  readonly data: unknown
  readonly errors: readonly Refusal[]
}

/** A response without the order and source locations of its errors. */
export function outcomeOf({ status, body }: TestResponse): Outcome {
  return { status, data: body.data, errors: sorted(body.errors ?? []) }
}

/** The expected errors for a key. */
export function expectedOf(self: Self, text: string, whole: unknown): Outcome {
  const { data, errors } = answerFor(self, text, whole)
  return { status: 200, data, errors: sorted(errors) }
}

function sorted(errors: readonly Refusal[]): Refusal[] {
  return errors
    .map(({ message, path, extensions }) => ({ message, path, extensions }))
    .toSorted((one, other) => (String(one.path) < String(other.path) ? -1 : 1))
}
