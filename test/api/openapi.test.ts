import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { SCOPES } from '../../src/auth/scopes.js'
import { openapi } from '../../src/http/openapi/document.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { TEXT_MAX } from '../../src/vocabulary.js'

interface Media {
  schema: object
  example: unknown
}
interface Operation {
  operationId: string
  security: { apiKey: string[] }[]
  'x-required-scope'?: string
  'x-required-scope-one-of'?: readonly string[]
  parameters: { name?: string; schema: object; description: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

const document = JSON.parse(JSON.stringify(openapi()).replaceAll('"#/', '"http://openapi.example/document#/'))
const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema({ $id: 'http://openapi.example/document', components: document.components })

const operations: [string, Operation][] = Object.entries<Record<string, Operation>>(document.paths).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, one]): [string, Operation] => [`${method} ${path}`, one]),
)

test('the document has every route, and no other', () => {
  const routes = ROUTES.map(({ method, path }) => `${method.toLowerCase()} ${path}`)
  expect(operations.map(([name]) => name).sort()).toEqual(routes.sort())
})

test.each(operations)('%s shows examples that fit what it says', (_, { requestBody, responses }) => {
  const bodies = [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}))
  expect(bodies.length > 0).toBe(!('204' in responses))
  for (const { schema: shape, example } of bodies) {
    const isRight = ajv.validate(shape, example)
    expect({ example, errors: isRight ? null : ajv.errors }).toEqual({ example, errors: null })
    // A null would be a field without an example; only a given score is null, beside likelihood and impact.
    const [shown] = (example as { data?: object[] }).data ?? [example as object]
    expect(Object.entries(shown ?? {}).filter(([name, value]) => value === null && name !== 'scoreGiven')).toEqual([])
  }
})

test.each(operations)(
  '%s says which scope it needs, and describes each parameter',
  (_, { security, parameters, operationId, ...one }) => {
    expect(security).toEqual([{ apiKey: [] }])
    const scopes = operationId === 'getKey' ? [undefined] : Object.keys(SCOPES)
    for (const scope of one['x-required-scope-one-of'] ?? [one['x-required-scope']]) expect(scopes).toContain(scope)
    for (const { name, description } of parameters.filter((parameter) => parameter.name)) {
      expect({ name, description }).toEqual({ name, description: expect.stringMatching(/\w+ \w+.*\.$/) })
    }
  },
)

test('a path has one media type for what succeeds, and every shape has a name', () => {
  for (const [name, { responses }] of operations) {
    const { content = {} } = responses['200'] ?? responses['201'] ?? {}
    const isCsv = name.endsWith('.csv')
    expect({ name, types: Object.keys(content) }).toEqual({
      name,
      types: '204' in responses ? [] : [isCsv ? 'text/csv' : 'application/json'],
    })
    const [shape] = Object.values(content).map((media) => media.schema)
    if (shape && !isCsv) expect({ name, ...shape }).toEqual({ name, $ref: expect.stringMatching(/\w+$/) })
  }
  const named: Record<string, { properties?: Record<string, object> }> = document.components.schemas
  const nested = Object.entries(named).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, one]) => JSON.stringify(one).includes('"properties"'))
      .map(([member]) => `${name}.${member}`),
  )
  expect(nested).toEqual([])
  expect(Object.keys(named)).toEqual(
    expect.arrayContaining([
      'PersonList',
      'GroupList',
      'ProjectList',
      'RiskList',
      'IssueList',
      'GroupRef',
      'ProjectRef',
      'SyncWarning',
      'Problem',
      'ProblemError',
    ]),
  )
})

test('operations have ids of their own', () => {
  const ids = operations.map(([, { operationId }]) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('the bounds of a body are those of the vocabulary', () => {
  const { properties } = document.components.schemas.AddPersonInput
  for (const member of ['name', 'email', 'externalId', 'title', 'department'] as const) {
    expect(properties[member].maxLength).toBe(TEXT_MAX[member])
  }
})
