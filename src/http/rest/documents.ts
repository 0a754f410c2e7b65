import {
  type ArgumentNode,
  assertObjectType,
  astFromValue,
  type ConstValueNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  GraphQLBoolean,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  parseType,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  type VariableDefinitionNode,
  type VariableNode,
} from 'graphql'
import { schema } from '../../schema.js'

/** What an operation asks of a field of Query or Mutation. */
export interface Asked {
  readonly root: string
  readonly isChange?: boolean
  /** The parameters of its path, each with the argument or the member of the filter that it is. */
  readonly path?: Readonly<Record<string, string>>
  /** Its other parameters: arguments and members of the filter of the field, or of the list inside it. */
  readonly given?: readonly string[]
  /** The list inside the entity that the path names. */
  readonly inner?: string
  /** What the response shows; only the id by default. */
  readonly body?: string
}

/** A body: the fields of a type, of which `field=Body` shows an entity wholly. */
export interface Body {
  readonly on: string
  readonly fields: string
}

/** A variable of an operation, and the argument, the member of a filter or the field that describes it. */
export interface Variable {
  readonly name: string
  readonly type: GraphQLInputType
  readonly defaultValue?: ConstValueNode | undefined
  readonly use: VariableUse
}

export interface VariableUse {
  readonly argument: string
  readonly description: string
  readonly extensions: Readonly<Record<string, unknown>>
}

export interface StoredOperation {
  readonly document: DocumentNode
  readonly variables: readonly Variable[]
}

type Field = GraphQLField<unknown, unknown>
type Input = GraphQLArgument | GraphQLInputField

/** The arguments that REST calls otherwise. */
const ARGUMENTS: Readonly<Record<string, string>> = { limit: 'first', cursor: 'after', order: 'orderBy' }
const TOTAL = 'total'

export function rootField(name: string, isChange = false): Field {
  return fieldIn(assertObjectType(isChange ? schema.getMutationType() : schema.getQueryType()), name)
}

/** The members of the filter of a field, in the order of their noun. */
export function filtersOf({ args }: Field): readonly string[] {
  const filter = getNamedType(args.find(({ name }) => name === 'filter')?.type)
  return isInputObjectType(filter) ? (filter.extensions['members'] as readonly string[]) : []
}

/** Builds operations whose bodies are these; inside another body, an entity of a type is shown as its reference. */
export function documentsOf(bodies: ReadonlyMap<string, Body>, references: Readonly<Record<string, string>>) {
  return (name: string, { root, isChange = false, path = {}, given = [], inner, body }: Asked): StoredOperation => {
    const variables: Variable[] = []
    const shown = new Set(body === undefined ? [] : [body])

    const variableOf = (parameter: string, input: Input, isOfPath: boolean): ValueNode => {
      const type = getNullableType(input.type)
      const isOneOf = isOfPath && isListType(type)
      const one = isOneOf ? type.ofType : type
      // What REST calls otherwise has the default that its own argument describes.
      const isSame = input.defaultValue !== undefined && !Object.hasOwn(ARGUMENTS, parameter)
      variables.push({
        name: parameter,
        type: isOfPath
          ? new GraphQLNonNull(getNullableType(one))
          : input.defaultValue === undefined
            ? input.type
            : type,
        defaultValue: isSame ? (astFromValue(input.defaultValue, input.type) as ConstValueNode) : undefined,
        use: usedFor(input, isOneOf),
      })
      return isOneOf ? { kind: Kind.LIST, values: [variable(parameter)] } : variable(parameter)
    }

    /** The arguments of a field for these parameters, of which some are members of its filter. */
    const argumentsFor = ({ args }: Field, targets: readonly (readonly [string, string, boolean])[]) => {
      const argument = (one: string) => args.find(({ name }) => name === one)
      const filter = getNamedType(argument('filter')?.type)
      const own: ArgumentNode[] = []
      const members: ArgumentNode[] = []
      for (const [parameter, target, isOfPath] of targets) {
        const found = argument(target)
        const member = isInputObjectType(filter) ? filter.getFields()[target] : undefined
        const input = found ?? member
        if (!input) throw new Error(`${name} has a parameter ${parameter}, for which there is no ${target}.`)
        ;(found ? own : members).push(argumentNode(target, variableOf(parameter, input, isOfPath)))
      }
      if (members.length === 0) return own
      const fields = members.map((one) => ({ ...one, kind: Kind.OBJECT_FIELD as const }))
      return [...own, argumentNode('filter', { kind: Kind.OBJECT, fields })]
    }

    /** The selection of a field that shows the body: on its own, or as a page of a list. */
    const selectionOf = (field: Field): SelectionSetNode => {
      const spread = body === undefined ? fieldNode('id') : spreadNode(body)
      if (!getNamedType(field.type).name.endsWith('Connection')) return selection([spread])
      const page = [
        fieldNode('nodes', { selectionSet: selection([spread]) }),
        fieldNode('pageInfo', { selectionSet: selection([fieldNode('hasNextPage'), fieldNode('endCursor')]) }),
      ]
      if (!given.includes(TOTAL)) return selection(page)
      const count = fieldIn(assertObjectType(getNamedType(field.type)), 'totalCount')
      const defaultValue = { kind: Kind.BOOLEAN, value: false } as const
      variables.push({ name: TOTAL, type: GraphQLBoolean, defaultValue, use: usedFor(count) })
      return selection([...page, fieldNode('totalCount', { directives: [includeIf(TOTAL)] })])
    }

    const fragmentOf = (wanted: string): FragmentDefinitionNode => {
      const { on, fields } = bodies.get(wanted) ?? { on: wanted, fields: '' }
      const type = assertObjectType(schema.getType(on))
      const selections = fields.split(' ').map((word): SelectionNode => {
        const [one = '', whole] = word.split('=')
        const field = fieldIn(type, one)
        const { name: of } = getNamedType(field.type)
        if (isLeafType(getNamedType(field.type))) {
          // The day of a count; a change shows what is without it.
          const targets = isChange ? [] : field.args.map((arg) => [arg.name, arg.name, false] as const)
          return fieldNode(one, { arguments: argumentsFor(field, targets) })
        }
        const as = whole ?? references[of] ?? of
        shown.add(as)
        return fieldNode(one, { selectionSet: selection([spreadNode(as)]) })
      })
      return {
        kind: Kind.FRAGMENT_DEFINITION,
        name: nameNode(wanted),
        typeCondition: { kind: Kind.NAMED_TYPE, name: nameNode(on) },
        selectionSet: selection(selections),
      }
    }

    const field = rootField(root, isChange)
    const ofPath = Object.entries(path).map(([parameter, target]) => [parameter, target, true] as const)
    const others = given.flatMap((parameter) =>
      parameter === TOTAL ? [] : [[parameter, ARGUMENTS[parameter] ?? parameter, false] as const],
    )
    let rootNode: FieldNode
    if (inner === undefined) {
      const args = argumentsFor(field, [...ofPath, ...others])
      rootNode = fieldNode(root, { arguments: args, selectionSet: selectionOf(field) })
    } else {
      const args = argumentsFor(field, ofPath)
      const list = fieldIn(assertObjectType(getNamedType(field.type)), inner)
      const listNode = fieldNode(inner, { arguments: argumentsFor(list, others), selectionSet: selectionOf(list) })
      rootNode = fieldNode(root, { arguments: args, selectionSet: selection([listNode]) })
    }
    // Grows while it is read: a body names further ones.
    const fragments: FragmentDefinitionNode[] = []
    for (const wanted of shown) fragments.push(fragmentOf(wanted))
    const definition: OperationDefinitionNode = {
      kind: Kind.OPERATION_DEFINITION,
      operation: isChange ? OperationTypeNode.MUTATION : OperationTypeNode.QUERY,
      name: nameNode(name),
      variableDefinitions: variables.map(definitionOf),
      selectionSet: selection([rootNode]),
    }
    return { document: { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] }, variables }
  }
}

function usedFor({ name: argument, description, extensions }: Input | Field, isOneOfList = false): VariableUse {
  const { items = {} } = extensions as { items?: VariableUse['extensions'] }
  return { argument, description: description ?? '', extensions: isOneOfList ? items : extensions }
}

function definitionOf({ name, type, defaultValue }: Variable): VariableDefinitionNode {
  return {
    ...{ kind: Kind.VARIABLE_DEFINITION, variable: variable(name), type: parseType(String(type)) },
    ...(defaultValue && { defaultValue }),
  }
}

function fieldIn(type: GraphQLObjectType, name: string): Field {
  const field = type.getFields()[name]
  if (!field) throw new Error(`There is no field ${type.name}.${name}.`)
  return field
}

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value })
const variable = (name: string): VariableNode => ({ kind: Kind.VARIABLE, name: nameNode(name) })
const selection = (selections: readonly SelectionNode[]): SelectionSetNode => ({ kind: Kind.SELECTION_SET, selections })
const argumentNode = (name: string, value: ValueNode): ArgumentNode => ({
  kind: Kind.ARGUMENT,
  name: nameNode(name),
  value,
})
const fieldNode = (name: string, more: Partial<Omit<FieldNode, 'kind' | 'name'>> = {}): FieldNode => ({
  kind: Kind.FIELD,
  name: nameNode(name),
  ...more,
})
const spreadNode = (name: string): SelectionNode => ({ kind: Kind.FRAGMENT_SPREAD, name: nameNode(name) })
const includeIf = (name: string): DirectiveNode => ({
  kind: Kind.DIRECTIVE,
  name: nameNode('include'),
  arguments: [argumentNode('if', variable(name))],
})
