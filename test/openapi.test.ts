import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { SCOPES } from '../src/auth/scopes.js'
import { openapi } from '../src/http/openapi.js'
import { ROUTES } from '../src/http/routes.js'
import { schema } from '../src/schema.js'
import { TEXT_MAX } from '../src/vocabulary.js'

interface Media {
  schema: object
  example: unknown
}
interface Operation {
  operationId: string
  security: { apiKey: string[] }[]
  parameters: { name?: string; schema: object; description: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

const document = JSON.parse(JSON.stringify(openapi(schema)).replaceAll('"#/', '"http://openapi.example/document#/'))
const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema({ $id: 'http://openapi.example/document', components: document.components })

const operations: [string, Operation][] = Object.entries<Record<string, Operation>>(document.paths).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, one]): [string, Operation] => [`${method} ${path}`, one]),
)

test('the document has every route, and no other', () => {
  expect(operations.map(([name]) => name)).toEqual(ROUTES.map(({ method, path }) => `${method.toLowerCase()} ${path}`))
})

test.each(operations)('%s shows examples that fit what it says', (_, { requestBody, responses }) => {
  const bodies = [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}))
  expect(bodies.length > 0).toBe(!('204' in responses))
  for (const { schema: shape, example } of bodies) {
    const isRight = ajv.validate(shape, example)
    expect({ example, errors: isRight ? null : ajv.errors }).toEqual({ example, errors: null })
    // A null would be a field for which nobody thought of an example.
    const [shown] = (example as { data?: object[] }).data ?? [example as object]
    expect(Object.entries(shown ?? {}).filter(([, value]) => value === null)).toEqual([])
  }
})

test.each(operations)(
  '%s says which scope it needs, and describes each parameter',
  (_, { security, parameters, ...one }) => {
    const [{ apiKey } = { apiKey: ['none at all'] }] = security
    expect(apiKey.filter((scope) => !Object.hasOwn(SCOPES, scope))).toEqual([])
    expect(apiKey).toHaveLength(one.operationId === 'getKey' ? 0 : 1)
    for (const { name, description } of parameters.filter((parameter) => parameter.name)) {
      expect({ name, description }).toEqual({ name, description: expect.stringMatching(/\w+ \w+.*\.$/) })
    }
  },
)

test('the bounds of a body are those of the vocabulary', () => {
  const { properties } = document.components.schemas.AddPersonInput
  for (const member of ['name', 'email', 'externalId', 'title', 'department'] as const) {
    expect(properties[member].maxLength).toBe(TEXT_MAX[member])
  }
})
