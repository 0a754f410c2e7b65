import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { LIMITS } from '../../../src/limits.js'
import { schema } from '../../../src/schema.js'
import type { Chance } from '../../support/chance.js'

/** Queries that are put together from the schema by chance, and changed by chance. */

/** A field in a query, with its arguments as they are written and what is selected of it. */
export interface Selected {
  readonly type: string
  readonly name: string
  args: string
  readonly children: Selected[]
}

/** What an id can be in a query. */
export interface Names {
  readonly ids: readonly string[]
}

const DEPTH_MAX = LIMITS.queryDepthMax
const TOKENS_MAX = LIMITS.queryTokensMax

export class Composer {
  private readonly chance: Chance
  private readonly names: Names

  constructor(chance: Chance, names: Names) {
    this.chance = chance
    this.names = names
  }

  /** A query that has one to a few fields at its root. */
  query(): Selected[] {
    return Array.from({ length: 1 + Math.floor(this.chance() ** 3 * 8) }, () => this.field('Query', DEPTH_MAX))
  }

  /** One for each field of the root, so that none is left to chance. */
  queries(): Selected[][] {
    return fieldsOf('Query').map((field) => [this.selected('Query', field, DEPTH_MAX)])
  }

  /** The same with something of it changed: an argument, a field more, a field less, a part repeated. */
  changed(query: readonly Selected[]): Selected[] {
    const copy = structuredClone(query) as Selected[]
    for (let times = 1 + Math.floor(this.chance() * 3); times > 0; times--) this.change(copy)
    return copy
  }

  private change(query: Selected[]): void {
    const { siblings, at, depth } = this.pick(placesIn(query))
    const one = siblings[at]
    if (!one) return
    const way = this.chance()
    if (way < 0.3) one.args = this.argumentsOf(one.type, one.name)
    else if (way < 0.5) siblings.push(...Array.from({ length: this.pick([1, 2, 5, 20]) }, () => structuredClone(one)))
    else if (way < 0.65 && siblings.length > 1) siblings.splice(at, 1)
    else if (one.children.length > 0) {
      const inner = one.children[0]?.type
      if (inner) one.children.push(this.field(inner, DEPTH_MAX - depth - 1))
    } else siblings.push(this.field(one.type, DEPTH_MAX - depth))
  }

  private field(type: string, depthLeft: number): Selected {
    const fields = fieldsOf(type).filter((field) => isLeafType(getNamedType(field.type)) || depthLeft > 1)
    return this.selected(type, this.pick(fields), depthLeft)
  }

  private selected(type: string, field: GraphQLField<unknown, unknown>, depthLeft: number): Selected {
    const inner = getNamedType(field.type)
    const count = isObjectType(inner) ? 1 + Math.floor(this.chance() ** 2 * 12) : 0
    const children = Array.from({ length: count }, () => this.field(inner.name, depthLeft - 1))
    return { type, name: field.name, args: this.argumentsOf(type, field.name), children }
  }

  private argumentsOf(type: string, name: string): string {
    const field = fieldsOf(type).find((one) => one.name === name)
    const given = (field?.args ?? []).flatMap((arg) => {
      const value = this.argument(arg)
      return value === undefined ? [] : [`${arg.name}: ${value}`]
    })
    return given.length > 0 ? `(${given.join(', ')})` : ''
  }

  private argument({ name, type }: GraphQLArgument): string | undefined {
    if (name === 'after' || name === 'key') return undefined
    if (name === 'first') return this.pick([undefined, '1', '20', '50', '100', '300', '1000'])
    if (isNonNullType(type)) return this.value(type)
    return this.chance() < 0.4 ? this.value(type) : undefined
  }

  private value(nullable: GraphQLInputType): string {
    const type = getNullableType(nullable)
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(() => this.chance() < 0.25)
      return `{ ${fields.map((field) => `${field.name}: ${this.value(field.type)}`).join(', ')} }`
    }
    if (isListType(type)) {
      return `[${Array.from({ length: this.pick([1, 2, 5, 30]) }, () => this.value(type.ofType)).join(' ')}]`
    }
    if (isEnumType(type)) return this.pick(type.getValues()).name
    if (type.name === 'ID') return JSON.stringify(this.pick(this.names.ids))
    if (type.name === 'Int') return this.pick(['1', '2', '5'])
    // Of a trend from one to another, a year of days is within the limit of its points.
    if (type.name === 'Date') return this.pick(['"2026-01-01"', '"2026-06-01"', '"2026-12-31"'])
    if (type.name === 'DateTime') return this.pick(['"2020-01-01T00:00:00Z"', '"2099-01-01T00:00:00Z"'])
    return JSON.stringify(this.pick(['a', 'e', 'zzz', 'Risk', 'nothing like it', 'APOLLO', 'supply']))
  }

  private pick<T>(all: readonly T[]): T {
    const one = all[Math.floor(this.chance() * all.length)]
    // Only called with non-empty lists.
    return one as T
  }
}

function fieldsOf(type: string): GraphQLField<unknown, unknown>[] {
  const found = schema.getType(type)
  // The references of a gateway come in variables, which other tests attack.
  return isObjectType(found) ? Object.values(found.getFields()).filter(({ name }) => !name.startsWith('_')) : []
}

interface Place {
  readonly siblings: Selected[]
  readonly at: number
  readonly depth: number
}

function placesIn(siblings: Selected[], depth = 0): Place[] {
  return siblings.flatMap((one, at) => [{ siblings, at, depth }, ...placesIn(one.children, depth + 1)])
}

/** As it is sent: what stands twice in one place gets names of its own. */
export function written(query: readonly Selected[]): string {
  return `{ ${selection(query)} }`
}

function selection(fields: readonly Selected[]): string {
  const seen = new Map<string, number>()
  return fields
    .map(({ name, args, children }) => {
      const times = seen.get(name) ?? 0
      seen.set(name, times + 1)
      const alias = times > 0 ? `${name}${times}: ` : ''
      return `${alias}${name}${args}${children.length > 0 ? ` { ${selection(children)} }` : ''}`
    })
    .join(' ')
}

/** Whether it may pass the limits of a query's text, so that it is worth sending. */
export function isShortEnough(text: string): boolean {
  return text.length < LIMITS.queryCharactersMax && (text.match(/[\w"]+|[{}()[\]:]/g)?.length ?? 0) < TOKENS_MAX
}
