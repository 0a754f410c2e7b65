import { type GraphQLSchema, Kind, parse, print, printSchema, visit } from 'graphql'

/** What federation adds for gateways has names of its own. */
const isOfGateways = (name: string) => name.startsWith('_')

/** The schema as clients know it: without what only a gateway asks for, in plain GraphQL that every tool reads. */
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
