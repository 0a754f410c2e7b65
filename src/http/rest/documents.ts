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
  return (name: string, asked: Asked): StoredOperation => new Building(bodies, references, asked).build(name)
}

/** A parameter, and the argument or the member of a filter that it is. */
interface Target {
  readonly parameter: string
  readonly target: string
  readonly isOfPath: boolean
}

/** One operation, while it is built: its variables are found on the way, and the bodies that it shows. */
class Building {
  private readonly bodies: ReadonlyMap<string, Body>
  private readonly references: Readonly<Record<string, string>>
  private readonly asked: Asked
  private readonly variables: Variable[] = []
  private readonly shown = new Set<string>()

  constructor(bodies: ReadonlyMap<string, Body>, references: Readonly<Record<string, string>>, asked: Asked) {
    this.bodies = bodies
    this.references = references
    this.asked = asked
  }

  build(name: string): StoredOperation {
    const { isChange = false } = this.asked
    const root = this.root()
    // Grows while it is read: a body names further ones.
    const fragments: FragmentDefinitionNode[] = []
    for (const body of this.shown) fragments.push(this.fragment(body))
    const definition: OperationDefinitionNode = {
      kind: Kind.OPERATION_DEFINITION,
      operation: isChange ? OperationTypeNode.MUTATION : OperationTypeNode.QUERY,
      name: nameNode(name),
      variableDefinitions: this.variables.map(definitionOf),
      selectionSet: selection([root]),
    }
    return { document: { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] }, variables: this.variables }
  }

  private root(): FieldNode {
    const { root, isChange, path = {}, given = [], inner } = this.asked
    const field = rootField(root, isChange)
    const ofPath = Object.entries(path).map(([parameter, target]) => ({ parameter, target, isOfPath: true }))
    const others = given
      .filter((parameter) => parameter !== TOTAL)
      .map((parameter) => ({ parameter, target: ARGUMENTS[parameter] ?? parameter, isOfPath: false }))
    if (inner === undefined) return this.field(field, [...ofPath, ...others], () => this.answer(field))
    const list = fieldIn(assertObjectType(getNamedType(field.type)), inner)
    return this.field(field, ofPath, () => selection([this.field(list, others, () => this.answer(list))]))
  }

  private field(field: Field, targets: readonly Target[], selected: () => SelectionSetNode): FieldNode {
    const args = this.arguments(field, targets)
    return fieldNode(field.name, { arguments: args, selectionSet: selected() })
  }

  /** The arguments of a field for these parameters, of which some are members of its filter. */
  private arguments({ name, args }: Field, targets: readonly Target[]): ArgumentNode[] {
    const argument = (one: string) => args.find((arg) => arg.name === one)
    const filter = getNamedType(argument('filter')?.type)
    const own: ArgumentNode[] = []
    const members: ArgumentNode[] = []
    for (const { parameter, target, isOfPath } of targets) {
      const ownArgument = argument(target)
      const input = ownArgument ?? (isInputObjectType(filter) ? filter.getFields()[target] : undefined)
      if (!input) throw new Error(`The field ${name} has no ${target} for the parameter ${parameter}.`)
      const list = ownArgument ? own : members
      list.push(argumentNode(target, this.variable(parameter, input, isOfPath)))
    }
    if (members.length === 0) return own
    const fields = members.map((one) => ({ ...one, kind: Kind.OBJECT_FIELD as const }))
    return [...own, argumentNode('filter', { kind: Kind.OBJECT, fields })]
  }

  private variable(name: string, input: Input, isOfPath: boolean): ValueNode {
    const type = getNullableType(input.type)
    const isOneOf = isOfPath && isListType(type)
    const one = isOneOf ? type.ofType : type
    // What REST calls otherwise has the default that its own argument describes.
    const isSame = input.defaultValue !== undefined && !Object.hasOwn(ARGUMENTS, name)
    this.variables.push({
      name,
      type: isOfPath ? new GraphQLNonNull(getNullableType(one)) : input.defaultValue === undefined ? input.type : type,
      // A cast: the default of an argument is a constant.
      defaultValue: isSame ? (astFromValue(input.defaultValue, input.type) as ConstValueNode) : undefined,
      use: usedFor(input, isOneOf),
    })
    return isOneOf ? { kind: Kind.LIST, values: [variableNode(name)] } : variableNode(name)
  }

  /** What a field shows of the body: on its own, or as a page of a list. */
  private answer(field: Field): SelectionSetNode {
    const { body, given = [] } = this.asked
    const spread = body === undefined ? fieldNode('id') : this.spread(body)
    const type = getNamedType(field.type)
    if (!type.name.endsWith('Connection')) return selection([spread])
    const page = [
      fieldNode('nodes', { selectionSet: selection([spread]) }),
      fieldNode('pageInfo', { selectionSet: selection([fieldNode('hasNextPage'), fieldNode('endCursor')]) }),
    ]
    if (!given.includes(TOTAL)) return selection(page)
    const use = usedFor(fieldIn(assertObjectType(type), 'totalCount'))
    const defaultValue = { kind: Kind.BOOLEAN, value: false } as const
    this.variables.push({ name: TOTAL, type: GraphQLBoolean, defaultValue, use })
    return selection([...page, fieldNode('totalCount', { directives: [includeIf(TOTAL)] })])
  }

  private spread(body: string): SelectionNode {
    this.shown.add(body)
    return { kind: Kind.FRAGMENT_SPREAD, name: nameNode(body) }
  }

  private fragment(body: string): FragmentDefinitionNode {
    const { on, fields } = this.bodies.get(body) ?? { on: body, fields: '' }
    const type = assertObjectType(schema.getType(on))
    const selections = fields.split(' ').map((word) => {
      const [name = '', whole] = word.split('=')
      return this.member(fieldIn(type, name), whole)
    })
    const typeCondition = { kind: Kind.NAMED_TYPE, name: nameNode(on) } as const
    return { kind: Kind.FRAGMENT_DEFINITION, name: nameNode(body), typeCondition, selectionSet: selection(selections) }
  }

  private member(field: Field, whole?: string): FieldNode {
    const type = getNamedType(field.type)
    if (!isLeafType(type)) {
      const spread = this.spread(whole ?? this.references[type.name] ?? type.name)
      return fieldNode(field.name, { selectionSet: selection([spread]) })
    }
    // The day of a count; a change shows what is without it.
    const given = this.asked.isChange ? [] : field.args
    const targets = given.map(({ name }) => ({ parameter: name, target: name, isOfPath: false }))
    return fieldNode(field.name, { arguments: this.arguments(field, targets) })
  }
}

function usedFor({ name: argument, description, extensions }: Input | Field, isOneOfList = false): VariableUse {
  const { items = {} } = extensions as { items?: VariableUse['extensions'] }
  return { argument, description: description ?? '', extensions: isOneOfList ? items : extensions }
}

function definitionOf({ name, type, defaultValue }: Variable): VariableDefinitionNode {
  return {
    ...{ kind: Kind.VARIABLE_DEFINITION, variable: variableNode(name), type: parseType(String(type)) },
    ...(defaultValue && { defaultValue }),
  }
}

function fieldIn(type: GraphQLObjectType, name: string): Field {
  const field = type.getFields()[name]
  if (!field) throw new Error(`There is no field ${type.name}.${name}.`)
  return field
}

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value })
const variableNode = (name: string): VariableNode => ({ kind: Kind.VARIABLE, name: nameNode(name) })
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
const includeIf = (name: string): DirectiveNode => ({
  kind: Kind.DIRECTIVE,
  name: nameNode('include'),
  arguments: [argumentNode('if', variableNode(name))],
})
