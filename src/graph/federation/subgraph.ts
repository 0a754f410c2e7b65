import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  parse,
  parseConstValue,
  print,
  printType,
} from 'graphql'

/** The directives of Apollo Federation, and the SDL with them that routers compose. */

export interface Directive {
  readonly name: string
  readonly args?: Readonly<Record<string, unknown>>
}

type Directed = GraphQLNamedType | GraphQLField<unknown, unknown>

/** Extensions that give a type or a field federation directives. */
export function federated(...directives: readonly Directive[]) {
  return { federation: directives }
}

export const SHAREABLE: Directive = { name: 'shareable' }
export const INACCESSIBLE: Directive = { name: 'inaccessible' }

function directivesOf({ extensions }: Directed): readonly Directive[] {
  return (extensions as Partial<ReturnType<typeof federated>>).federation ?? []
}

function fieldsOfType(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  return isObjectType(type) ? Object.values(type.getFields()) : []
}

/** Appends directives to a type or a field of a built schema. */
export function addDirectives(element: Directed, ...directives: readonly Directive[]): void {
  element.extensions = { ...element.extensions, ...federated(...directivesOf(element), ...directives) }
}

/** The SDL of a subgraph: types by name, fields as declared. */
export function printedSubgraph(schema: GraphQLSchema, linkUrl: string): string {
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const used = new Set(
    types.flatMap((type) => [type, ...fieldsOfType(type)].flatMap(directivesOf)).map(({ name }) => `@${name}`),
  )
  const link = printed({ name: 'link', args: { url: linkUrl, import: [...used].sort() } })
  return `${[`extend schema\n  ${link}`, ...types.map(printedType)].join('\n\n')}\n`
}

function printed({ name, args = {} }: Directive): string {
  // Strings, numbers and lists have the same syntax in JSON and in GraphQL, except for blanks.
  const given = Object.entries(args).map(([arg, value]) => `${arg}: ${print(parseConstValue(JSON.stringify(value)))}`)
  return given.length > 0 ? `@${name}(${given.join(', ')})` : `@${name}`
}

/** graphql prints no directive but `@deprecated`: the others are inserted behind the nodes of the printed type. */
function printedType(type: GraphQLNamedType): string {
  const text = printType(type)
  const [node] = parse(text).definitions
  if (node?.kind !== Kind.OBJECT_TYPE_DEFINITION) return text
  let [whole, from] = ['', 0]
  const splice = (added: string, at = 0, until = at) => {
    whole += text.slice(from, at) + added
    from = until
  }
  const lines = directivesOf(type).map((one) => `\n  ${printed(one)}`)
  const head = (node.interfaces?.at(-1) ?? node.name).loc?.end ?? 0
  // In place of the blank before the brace.
  if (lines.length > 0) splice(`${lines.join('')}\n`, head, head + 1)
  for (const [index, field] of fieldsOfType(type).entries()) {
    splice(
      directivesOf(field)
        .map((one) => ` ${printed(one)}`)
        .join(''),
      node.fields?.[index]?.loc?.end,
    )
  }
  return whole + text.slice(from)
}
