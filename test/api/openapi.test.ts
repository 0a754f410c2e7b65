import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { SCOPES } from '../../src/auth/scopes.js'
import { openapi } from '../../src/http/openapi/document.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { type IdKind, isId } from '../../src/ids.js'
import { TEXT_MAX } from '../../src/vocabulary.js'

interface Media {
  schema: object
  example: unknown
}
interface Operation {
  operationId: string
  summary: string
  security: { apiKey: string[] }[]
  'x-required-scope'?: string
  'x-required-scope-one-of'?: readonly string[]
  parameters: { name?: string; schema: object; description: string; required?: boolean; example?: unknown }[]
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
    // A null would be a field without an example; but a score is given or has factors, and few people are merged.
    const [shown] = (example as { data?: object[] }).data ?? [example as object]
    const missing = Object.entries(shown ?? {}).filter(([, value]) => value === null)
    expect(missing.filter(([name]) => !['scoreGiven', 'mergedInto'].includes(name))).toEqual([])
  }
})

/** Every schema of the document that has examples, and every parameter, with its place. */
function examplesIn(value: unknown, place = ''): { place: string; shape: object; examples: unknown[] }[] {
  if (!value || typeof value !== 'object') return []
  const { schema: shape, example, examples } = value as { schema?: object; example?: unknown; examples?: unknown[] }
  const own = Array.isArray(examples) ? [{ place, shape: { ...value, examples: undefined }, examples }] : []
  const ofSchema = shape && example !== undefined ? [{ place, shape, examples: [example] }] : []
  return [...own, ...ofSchema, ...Object.entries(value).flatMap(([name, one]) => examplesIn(one, `${place} ${name}`))]
}

const ALL_EXAMPLES = examplesIn(document)

test('every example fits its schema: its format, its enum and its bounds', () => {
  expect(ALL_EXAMPLES.length).toBeGreaterThan(250)
  const wrong = ALL_EXAMPLES.flatMap(({ place, shape, examples }) =>
    examples.filter((one) => !ajv.validate(shape, one)).map((example) => ({ place, example, errors: ajv.errors })),
  )
  expect(wrong).toEqual([])
})

test.each(operations)('%s has an example of each parameter that is required, and of no other', (_, { parameters }) => {
  // Tools send the example of an optional parameter too.
  const wrong = parameters.filter(({ required = false, example }) => required !== (example !== undefined))
  expect(wrong).toEqual([])
})

/** The kind of an `id`, by its component or the beginning of its path; and that of other members and parameters. */
const KIND_OF: Readonly<Record<string, IdKind>> = {
  ...{ Person: 'person', Group: 'group', Project: 'project', Risk: 'risk', Issue: 'issue', ImportRun: 'import' },
  ...{ personnel: 'person', groups: 'group', risks: 'risk', issues: 'issue' },
}
const KIND_NAMED: Readonly<Record<string, IdKind>> = {
  ...{ ownerId: 'person', assigneeId: 'person', personId: 'person', groupIds: 'group', riskId: 'risk' },
  ...{ entityId: 'risk', by: 'key' },
}

test('every example of an id has the form of its kind', () => {
  const members = Object.entries<{ properties?: Record<string, { examples?: unknown[] }> }>(document.components.schemas)
  const given = members.flatMap(([owner, { properties = {} }]) =>
    Object.entries(properties).map(([name, { examples = [] }]) => [
      owner.replace(/Ref$|Movement$/, ''),
      name,
      examples,
    ]),
  )
  const inPaths = operations.flatMap(([path, { parameters }]) =>
    parameters.map(({ name, example }) => [path.split('/')[2], name, [example]]),
  )
  const ids = [...given, ...inPaths].flatMap(([owner, name, examples]) => {
    const kind = name === 'id' ? KIND_OF[String(owner)] : KIND_NAMED[String(name)]
    return kind ? [{ owner, name, kind, examples: [examples].flat(2) }] : []
  })
  expect(new Set(ids.map(({ kind }) => kind)).size).toBe(7)
  expect(ids.filter(({ kind, examples }) => !examples.every((one) => isId(kind, String(one))))).toEqual([])
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

/** Every text for readers, and every name and enum value that REST has. */
function wordsIn(value: unknown, found = { texts: [] as string[], names: new Set<string>() }) {
  if (Array.isArray(value)) for (const one of value) wordsIn(one, found)
  else if (value && typeof value === 'object') {
    const { name, enum: values = [] } = value as { name?: unknown; enum?: string[] }
    for (const one of [...Object.keys(value), String(name), ...values]) found.names.add(one)
    for (const [member, one] of Object.entries(value)) {
      if (/^(description|summary|meaning)$/.test(member) && typeof one === 'string') found.texts.push(one)
      else wordsIn(one, found)
    }
  }
  return found
}

test('the descriptions speak the language of REST, and none that of GraphQL', () => {
  const { texts, names } = wordsIn(document)
  expect(texts.length).toBeGreaterThan(500)
  const inCode = texts.flatMap((text) => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({ name, text })))
  // Values of texts.
  const unknown = inCode.filter(({ name }) => !names.has(name) && !['cli', 'none', 'true'].includes(name))
  expect(unknown).toEqual([])
  const said = wordsIn([document.paths, document.components, document.tags]).texts
  const GRAPHQL =
    /\bGraphQL\b|\bin REST\b|\w*connection\b|\bmutations?\b|endCursor|totalCount|\bnodes\b|\w+: *\$|\bselect(ed|ion)?\b/i
  expect(said.filter((text) => GRAPHQL.test(text))).toEqual([])
  expect(texts.filter((text) => /\d{4,}(?!-\d\d)/.test(text.replaceAll(/`[^`]*`|RFC \d+/g, '')))).toEqual([])
})

test('every history has a sentence of its own', () => {
  const histories = operations.filter(([name]) => name.endsWith('/history'))
  const summaries = histories.map(([, { summary }]) => summary)
  expect(new Set(summaries).size).toBe(7)
  expect(histories).toHaveLength(7)
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
