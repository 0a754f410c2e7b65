import {
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { CompiledRoute } from '../rest/compiledRoutes.js'
import { FORMAT_EXAMPLES, fieldExample } from './examples.js'

/** Any object of the OpenAPI document. */
export type JsonObject = { readonly [member: string]: unknown }

export interface JsonSchema extends JsonObject {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly description?: string | null | undefined
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Boolean: { type: 'boolean' },
  Date: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
}

/** Converts GraphQL types and selections to JSON Schema; every named type and fragment becomes a component. */
export class JsonSchemas {
  readonly components: Record<string, JsonSchema> = {}
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>

  constructor(operations: readonly CompiledRoute[]) {
    this.fragments = new Map(operations.flatMap(({ operation }) => Object.entries(operation.fragments)))
  }

  private output(type: GraphQLOutputType, selection: SelectionSetNode | undefined): JsonSchema {
    const value = this.outputValue(type, selection)
    return isNonNullType(type) ? value : orNull(value)
  }

  /** The schema of a response that is not null: only the selected fields of the type. */
  outputValue(type: GraphQLOutputType, selection: SelectionSetNode | undefined): JsonSchema {
    if (isNonNullType(type)) return this.outputValue(type.ofType, selection)
    if (isListType(type)) return { type: 'array', items: this.output(type.ofType, selection) }
    if (isObjectType(type) && selection) return this.object(type, selection)
    return this.leaf(type)
  }

  private object(type: GraphQLObjectType, selection: SelectionSetNode): JsonSchema {
    const [only] = selection.selections
    if (only?.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = this.fragments.get(only.name.value)
      return this.named(only.name.value, () => this.object(type, fragment?.selectionSet ?? selection))
    }
    const properties = Object.fromEntries(
      selection.selections.flatMap((node) => {
        const field = node.kind === Kind.FIELD ? type.getFields()[node.name.value] : undefined
        if (!field || node.kind !== Kind.FIELD) return []
        const schema = this.output(field.type, node.selectionSet)
        // The example of an object is made of its fields; in an input the same name may be a text.
        const known = fieldExample(type.name, field.name)
        const example = isLeafType(getNamedType(field.type)) || known === null ? known : undefined
        return [[field.name, documented(schema, field.description, example)]]
      }),
    )
    return { type: 'object', description: type.description, required: Object.keys(properties), properties }
  }

  input(type: GraphQLInputType): JsonSchema {
    if (isNonNullType(type)) return this.input(type.ofType)
    if (isListType(type)) return { type: 'array', items: this.input(type.ofType) }
    if (isInputObjectType(type)) return this.named(type.name, () => this.inputObject(type))
    return this.leaf(type)
  }

  private inputObject(type: GraphQLInputObjectType): JsonSchema {
    const fields = Object.values(type.getFields())
    const properties = fields.map(({ name, type: fieldType, description, extensions }) => {
      const value = withBounds(this.input(fieldType), extensions)
      const isNullable = !isNonNullType(fieldType) && extensions['isNullable'] !== false
      const schema = isNonNullType(fieldType) ? { ...value, minLength: 1 } : isNullable ? orNull(value) : value
      return [name, documented(schema, description, fieldExample(type.name, name))]
    })
    return {
      type: 'object',
      description: type.description,
      required: fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name),
      additionalProperties: false,
      properties: Object.fromEntries(properties),
    }
  }

  private leaf(type: GraphQLOutputType | GraphQLInputType): JsonSchema {
    if (isEnumType(type)) return this.named(type.name, () => enumSchema(type))
    const scalar = SCALARS[type.toString()]
    if (!scalar) throw new Error(`There is no JSON Schema for ${type.toString()}.`)
    return scalar
  }

  /** A reference to a component, which is built on first use. */
  named(name: string, make: () => JsonSchema): JsonSchema {
    this.components[name] ??= make()
    return ref('schemas', name)
  }
}

/** A `$ref` to a component of the OpenAPI document. */
export function ref(kind: string, name: string): JsonSchema {
  return { $ref: `#/components/${kind}/${name}` }
}

/** Response headers, each as a reference to the component of that name. */
export function headersOf(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, ref('headers', name)]))
}

/** Adds the bounds that an input declares in its `extensions`, and for a list those of its items. */
export function withBounds(schema: JsonSchema, extensions: JsonObject): JsonSchema {
  const bounded = { ...schema, ...boundsOf(extensions) }
  const { items } = extensions as { items?: JsonObject }
  return items ? { ...bounded, items: { ...schema.items, ...boundsOf(items) } } : bounded
}

function boundsOf(extensions: JsonObject): JsonSchema {
  const names = ['maxLength', 'maxItems', 'minimum', 'maximum']
  return Object.fromEntries(names.filter((name) => name in extensions).map((name) => [name, extensions[name]]))
}

/** An example value for a schema, built from the examples of its parts. */
export function exampleOf(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): unknown {
  const { $ref, examples, anyOf, properties, items } = schema
  if (examples) return examples[0]
  if ($ref) return exampleOf(components[$ref.split('/').at(-1) ?? ''] ?? {}, components)
  if (anyOf?.[0]) return exampleOf(anyOf[0], components)
  if (properties) {
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, exampleOf(one, components)]))
  }
  if (items) return [exampleOf(items, components)]
  return null
}

function enumSchema(type: GraphQLEnumType): JsonSchema {
  const values = type.getValues()
  const meanings = values.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n')
  const names = values.map(({ name }) => name)
  return { type: 'string', description: `${type.description}\n${meanings}`, enum: names, examples: names.slice(0, 1) }
}

function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
}

function documented(schema: JsonSchema, description: string | null | undefined, example: unknown): JsonSchema {
  const shown = example === undefined ? FORMAT_EXAMPLES[schema.format ?? ''] : example
  return { ...schema, ...(description && { description }), ...(shown !== undefined && { examples: [shown] }) }
}
