import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'
import { addDirectives, printedSubgraph, SHAREABLE } from '../../src/graph/federation/subgraph.js'

const SCHEMA = `
"""type Thing {"""
type Thing implements Named {
  id: ID!
  """Its name."""
  name(
    """Of whom."""
    of: String = "all"
  ): String @deprecated(reason: "Say \\"title\\".")
  parts: [Thing!]!
}

interface Named {
  name(of: String = "all"): String
}

type Query {
  thing: Thing
}
`

test('directives stand behind types and fields, beside a deprecation, and are imported by name', () => {
  const schema = buildSchema(SCHEMA)
  const thing = schema.getType('Thing')
  if (!thing || !('getFields' in thing)) throw new Error('There is no Thing.')
  const { name, parts } = thing.getFields()
  if (!name || !parts || !('resolve' in name) || !('resolve' in parts)) throw new Error('It has no fields.')
  addDirectives(thing, ...['id', 'name { first }'].map((fields) => ({ name: 'key', args: { fields } })))
  addDirectives(name, SHAREABLE)
  addDirectives(parts, { name: 'listSize', args: { assumedSize: 5, sizedFields: ['a', 'b'], isExact: false } })
  const sdl = printedSubgraph(schema, 'https://example.org/v2')
  expect(sdl).toBe(`extend schema
  @link(url: "https://example.org/v2", import: ["@key", "@listSize", "@shareable"])

interface Named {
  name(of: String = "all"): String
}

type Query {
  thing: Thing
}

"""type Thing {"""
type Thing implements Named
  @key(fields: "id")
  @key(fields: "name { first }")
{
  id: ID!

  """Its name."""
  name(
    """Of whom."""
    of: String = "all"
  ): String @deprecated(reason: "Say \\"title\\".") @shareable
  parts: [Thing!]! @listSize(assumedSize: 5, sizedFields: ["a", "b"], isExact: false)
}
`)
})
