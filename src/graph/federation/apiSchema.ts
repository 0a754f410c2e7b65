import { type GraphQLSchema, Kind, parse, print, printSchema, visit } from 'graphql'

/** The names that federation adds begin with an underscore. */
const isOfGateways = (name: string) => name.startsWith('_')

/** The schema for clients: plain GraphQL without what only gateways use. */
export function printApi(schema: GraphQLSchema): string {
  const document = visit(parse(printSchema(schema)), {
    enter(node) {
      const isTypeOrField = 'name' in node && node.name?.kind === Kind.NAME && node.kind !== Kind.NAMED_TYPE
      if (isTypeOrField && isOfGateways(node.name.value)) return null
      return undefined
    },
  })
  return `${print(document)}\n`
}
