import fc from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'

/** Documents and texts made by chance from what there is. */

export type Chance = fc.GeneratorValue

/** Texts of all kinds; some of them mean something. */
export const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '%',
    '_',
    "'",
    '"',
    '\\',
    '{}',
    '[]',
    'null',
    'none',
    '__proto__',
    '2026-01-01',
  ),
  fc.constantFrom(
    'OPEN',
    'active',
    'APOLLO',
    'a',
    'p0@example.com',
    'HR-2',
    '2026-01-01T00:00:00Z',
    'e\u0301',
    '\ufeffx',
  ),
)

export const number = fc.oneof(
  fc.integer(),
  fc.integer({ min: -2, max: 30 }),
  fc.constantFrom(2 ** 31, -(2 ** 31), Number.POSITIVE_INFINITY, 0.5, 2 ** 53),
)

/** Whether something that has a chance of one in so many happens. */
const oneIn = (g: Chance, many: number) => g(fc.integer, { min: 1, max: many }) === 1

const numbersBelow = (count: number) => fc.uniqueArray(fc.nat({ max: Math.max(0, count - 1) }), { maxLength: 4 })

/** A few of them. By their numbers: fast-check compares what it is given, and a schema never ends. */
function some<T>(g: Chance, all: readonly T[]): T[] {
  const numbers = g(numbersBelow, all.length)
  return numbers.flatMap((index) => all[index] ?? [])
}

export class Documents {
  private readonly schema: GraphQLSchema
  /** Ids and cursors that there are. */
  private readonly known: readonly string[]

  constructor(schema: GraphQLSchema, known: readonly string[]) {
    this.schema = schema
    this.known = known
  }

  operation(g: Chance): string {
    const isMutation = oneIn(g, 5)
    const root = isMutation ? this.schema.getMutationType() : this.schema.getQueryType()
    return `${isMutation ? 'mutation' : 'query'} ${this.selection(g, root as GraphQLNamedType, 6)}`
  }

  private selection(g: Chance, type: GraphQLNamedType, depth: number): string {
    if (isUnionType(type)) {
      const parts = type.getTypes().map((one) => `... on ${one.name} ${this.selection(g, one, depth - 1)}`)
      return `{ __typename ${some(g, parts).join(' ')} }`
    }
    if (!isObjectType(type)) return '{ __typename }'
    const fields = Object.values(type.getFields()).filter(
      (field) => depth > 1 || !isCompositeType(getNamedType(field.type)),
    )
    const chosen = some(g, fields)
    const parts = chosen.map((field, index) => {
      const inner = getNamedType(field.type)
      const alias = oneIn(g, 6) ? `a${index}: ` : ''
      const below = isCompositeType(inner) ? this.selection(g, inner, depth - 1) : ''
      const directive = oneIn(g, 15) ? ` @include(if: ${g(fc.boolean)})` : ''
      return `${alias}${field.name}${this.given(g, field.args)}${directive} ${below}`
    })
    return `{ ${['__typename', ...parts].join(' ')} }`
  }

  private given(g: Chance, args: readonly GraphQLArgument[]): string {
    const chosen = args.filter((arg) => isNonNullType(arg.type) || oneIn(g, 3))
    return chosen.length === 0 ? '' : `(${chosen.map((arg) => `${arg.name}: ${this.literal(g, arg.type)}`).join(', ')})`
  }

  literal(g: Chance, type: GraphQLInputType): string {
    const inner = getNullableType(type)
    if (oneIn(g, isNonNullType(type) ? 60 : 15)) return 'null'
    if (isListType(inner)) {
      const length = g(fc.integer, { min: 0, max: 3 })
      return `[${Array.from({ length }, () => this.literal(g, inner.ofType)).join(', ')}]`
    }
    if (isEnumType(inner))
      return oneIn(g, 30) ? 'NONE' : g(fc.constantFrom, ...inner.getValues().map(({ name }) => name))
    if (isInputObjectType(inner)) {
      const fields = Object.values(inner.getFields()).filter((field) => isNonNullType(field.type) || oneIn(g, 3))
      return `{ ${fields.map((field) => `${field.name}: ${this.literal(g, field.type)}`).join(', ')} }`
    }
    return this.leaf(g, String(inner))
  }

  private leaf(g: Chance, name: string): string {
    switch (name) {
      case 'Int':
        return String(g(() => number)).replace('Infinity', '1e400')
      case 'Boolean':
        return String(g(fc.boolean))
      case 'Date':
        return oneIn(g, 5) ? quoted(g(() => text)) : '"2026-05-01"'
      case 'DateTime':
        return oneIn(g, 5) ? quoted(g(() => text)) : '"2026-05-01T10:00:00Z"'
      case '_Any':
        return `{ __typename: "${g(fc.constantFrom, 'Person', 'Project', 'Risk', 'Nothing')}", id: ${quoted(this.word(g))} }`
      default:
        return quoted(this.word(g))
    }
  }

  private word(g: Chance): string {
    return oneIn(g, 2) ? g(fc.constantFrom, ...this.known) : g(() => text)
  }
}

const quoted = (value: string) => JSON.stringify(value)

/** A text with a few places changed. */
export const damaged = (whole: fc.Arbitrary<string>) =>
  fc
    .tuple(
      whole,
      fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([original, changes]) => ({
      original,
      changed: changes.reduce((all, [place, kind, letter]) => {
        const at = place % (all.length + 1)
        if (kind === 0) return all.slice(0, at) + all.slice(at + 1)
        return all.slice(0, at) + letter + all.slice(kind === 1 ? at : at + 1)
      }, original),
    }))
