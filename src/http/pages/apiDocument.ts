import type { JsonSchema } from '../openapi/jsonSchema.js'

/** The parts of an OpenAPI document that the reference shows. */
interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly (ApiParameter | Reference)[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, ApiResponse | Reference>>
}

export interface ApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface ApiResponse {
  readonly description: string
  readonly content?: Content
}

interface Reference {
  readonly $ref: string
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly description?: string
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** Follows references within the document. */
export class ApiReader {
  readonly document: ApiDocument

  constructor(document: JsonSchema) {
    // Our own document: openapi() builds it in this shape.
    this.document = document as unknown as ApiDocument
  }

  /** The object itself, or the component that it refers to. */
  resolved<T extends object>(one: T | Reference): T {
    const reference = '$ref' in one ? one.$ref : undefined
    if (typeof reference !== 'string') return one as T
    const [kind = '', name = ''] = reference.split('/').slice(-2)
    const found = this.document.components[kind]?.[name]
    if (!found) throw new Error(`The document has no ${reference}.`)
    return found as T
  }

  /** The type of a value, as a reader would call it. */
  typeOf(given: Schema): string {
    const schema = this.resolved<Schema>(given)
    if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
    if (schema.anyOf) return schema.anyOf.map((one) => this.typeOf(one)).join(' or ')
    if (schema.items) return `list of ${this.typeOf(schema.items)}`
    const [name = '', ...others] = [schema.type ?? 'object'].flat()
    return [[schema.format ?? name, ...this.boundsOf(schema)].join(', '), ...others].join(' or ')
  }

  private boundsOf({ minimum, maximum, maxLength, default: byDefault }: Schema): string[] {
    return [
      ...(minimum !== undefined && maximum !== undefined ? [`${minimum} to ${maximum}`] : []),
      ...(maxLength === undefined ? [] : [`at most ${maxLength.toLocaleString('en')} characters`]),
      ...(byDefault === undefined ? [] : [`by default \`${String(byDefault)}\``]),
    ]
  }

  /** The members of an object, or of the objects of a list. */
  membersOf(given: Schema): { name: string; schema: Schema; isRequired: boolean }[] {
    const schema = this.resolved<Schema>(given)
    if (schema.items) return this.membersOf(schema.items)
    const required = new Set(schema.required)
    return Object.entries(schema.properties ?? {}).map(([name, one]) => {
      return { name, schema: one, isRequired: required.has(name) }
    })
  }
}
