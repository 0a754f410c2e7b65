import { describe, expect, test } from 'vitest'
import { openapi } from '../../src/http/openapi/document.js'
import { addGroup } from '../support/fixtures.js'
import { type Caller, openGateway, type TestResponse } from '../support/harness.js'

interface InputSchema {
  readonly properties: Readonly<Record<string, { type?: string | string[]; anyOf?: { type?: string }[] }>>
}
interface Media {
  readonly example: Readonly<Record<string, unknown>>
  readonly schema: { readonly $ref: string }
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, InputSchema>>
    readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Media>> }>>
  }
}

// The document is untyped JSON, accessed by member names.
const document = JSON.parse(JSON.stringify(openapi())) as Document

const BODIES = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody }]) => {
    const media = requestBody?.content['application/json']
    return media ? [{ name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, media }] : []
  }),
)
type Body = (typeof BODIES)[number]

/** Sends a body to a new store that has the rows which the example refers to. */
async function send({ method, path }: Body, body: Readonly<Record<string, unknown>>): Promise<TestResponse> {
  const gateway = openGateway()
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  const group = await gateway.write((write) => addGroup(write, { name: 'Site team' }))
  const person = (await caller.post('/v1/personnel', { name: 'Bob', externalId: 'HR-1' })).body.id
  const at = path.replace('{id}', path.includes('groups') ? group : person)
  const given = 'groupIds' in body && body['groupIds'] ? { ...body, groupIds: [group] } : body
  return caller.request(at, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(given),
  })
}

const SYNCS = ['/v1/projects', '/v1/personnel/batch']

test.each(BODIES)('the example of $name is accepted as it stands', async (one) => {
  const { status, body } = await send(one, one.media.example)
  expect({ status, body }).toEqual({ status: SYNCS.includes(one.path) || one.method === 'PATCH' ? 200 : 201, body })
})

const MEMBERS = BODIES.flatMap((one) => {
  const { properties } = document.components.schemas[one.media.schema.$ref.split('/').at(-1) ?? ''] ?? {
    properties: {},
  }
  return Object.entries(properties).map(([member, { type, anyOf = [] }]) => ({
    ...one,
    member,
    isNullable: [type, ...anyOf.map((alternative) => alternative.type)].flat().includes('null'),
  }))
})

test.each(MEMBERS)('$name takes null for $member: $isNullable', async ({ member, isNullable, ...one }) => {
  // An issue may refer to a risk, and a person to a group, which must exist.
  const others = member === 'risks' ? { issues: [] } : member === 'groups' ? { people: [] } : {}
  const { status, body } = await send(one, { ...one.media.example, ...others, [member]: null })
  expect({ isTaken: status < 300, body }).toEqual({ isTaken: isNullable, body })
})

describe('the example of a problem is what a request gets that is wrong in this way', () => {
  const ADA = { name: 'Ada Lovelace', email: 'ada@example.com' }
  const added = async (caller: Caller) => (await caller.post('/v1/personnel', ADA)).body.id as string
  const WRONG: Record<string, (caller: Caller) => Promise<TestResponse>> = {
    400: (caller) => caller.get('/v1/risks?level=severe'),
    401: async () => openGateway().with(undefined).get('/v1/risks'),
    403: async () => (await openGateway().as('projects.read')).get('/v1/personnel'),
    404: (caller) => caller.get('/v1/personnel/usr_01k9zq3v5rf8ta4mbw2xnc7dhe'),
    406: (caller) => caller.get('/v1/risks', { accept: 'text/html' }),
    409: (caller) => added(caller).then(() => caller.post('/v1/personnel', ADA)),
    412: async (caller) => caller.patch(`/v1/personnel/${await added(caller)}`, {}, { 'if-match': '"old"' }),
    422: (caller) => caller.post('/v1/personnel', { name: 'Ada Lovelace', email: 'ada' }),
  }

  test.each(Object.entries(WRONG))('%s', async (status, request) => {
    const { text, body } = await request(await openGateway().as('personnel.manage', 'projects.manage'))
    const example = document.components.responses[`Problem${status}`]?.content['application/problem+json']?.example
    // The example has another person than the one who was just added.
    const outcome = body.existingId
      ? JSON.parse(text.replaceAll(body.existingId, String(example?.['existingId'])))
      : body
    expect(example).toEqual({ ...outcome, requestId: example?.['requestId'] })
  })
})
