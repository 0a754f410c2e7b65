import { Kind } from 'graphql'
import { afterAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../../src/auth/scopes.js'
import { OPERATIONS } from '../../../src/http/rest/operations.js'
import { ROUTES, type Route } from '../../../src/http/rest/routes.js'
import { schema } from '../../../src/schema.js'
import type { Caller, TestResponse } from '../../support/harness.js'
import { DAYS, inputTypeOf, isEnough, type Rows, rowOf, ruleOfStep } from './paths.js'
import { checksMin, dumpOf, type Holder, inputOf, openStage, sameness, sliceOf, Tally, turnOf } from './stage.js'

/** Fewer would mean that a route was left out. */
const CHECKS_MIN = 2_500

const { gateway, holders, everything, bound, strangers, rows, away, nowhere, putBack } = await openStage(afterAll)
const tally = new Tally()

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The root field in the stored operation of a route. */
function fieldOf({ operation }: Route) {
  const [definition] = OPERATIONS[operation].document.definitions
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`${operation} is no operation.`)
  const [selection] = definition.selectionSet.selections
  const parent = schema.getRootType(definition.operation)
  const field = selection?.kind === Kind.FIELD ? parent?.getFields()[selection.name.value] : undefined
  if (!parent || !field) throw new Error(`${operation} selects nothing.`)
  return { parent, field }
}

/** The scope of a route, which is that of its root field. */
function neededFor(route: Route) {
  const rule = ruleOfStep(fieldOf(route))
  if (rule === undefined) throw new Error(`${route.operation} declares no scope.`)
  // No root field has a rule that depends on its parent.
  return rule === 'any key' ? undefined : rule('personnel.read')
}

function isAllowed({ self }: Holder, route: Route): boolean {
  const needed = neededFor(route)
  return needed === undefined || isEnough(self.scopes, needed)
}

const NOUNS: Readonly<Record<string, string>> = {
  personnel: 'Person',
  groups: 'Group',
  projects: 'Project',
  risks: 'Risk',
  issues: 'Issue',
}

/** The path of a route to these rows: `{id}` and `{reference}` are of the collection before, and `{personId}` names its type. */
function pathTo({ path, operation }: Route, on: Rows): string {
  const [definition] = OPERATIONS[operation].document.definitions
  const variables = definition?.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : []
  const needed = variables
    .filter(({ type }) => type.kind === Kind.NON_NULL_TYPE)
    .map(({ variable }) => variable.name.value)
  const query = new URLSearchParams(needed.flatMap((name) => (DAYS.has(name) ? [[name, DAYS.get(name) ?? '']] : [])))
  const filled = path.replaceAll(/\/(\w+)\/\{(\w+)\}/g, (_, collection: string, name: string) => {
    const noun = name === 'personId' ? 'Person' : NOUNS[collection]
    if (!noun) throw new Error(`The matrix has no entity for ${path}.`)
    return `/${collection}/${rowOf(on, noun, name === 'reference' ? name : 'id')}`
  })
  return query.size === 0 ? filled : `${filled}?${query}`
}

/** The body for a route, if it takes one. */
function bodyFor(route: Route, on: Rows): string | undefined {
  const type = inputTypeOf(fieldOf(route))
  return type && JSON.stringify(inputOf(type, on))
}

interface Sent {
  readonly method?: string
  readonly on?: Rows
  readonly body?: string | undefined
}

function send(caller: Caller, route: Route, sent: Sent = {}): Promise<TestResponse> {
  const { method = route.method, on = route.method === 'GET' ? rows : away } = sent
  if (on === away) putBack()
  const body = 'body' in sent ? sent.body : bodyFor(route, on)
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  return caller.request(pathTo(route, on), { method, headers, body: method === 'GET' ? undefined : body })
}

/** The whole error response to a key without the scope. */
function refusalOf({ headers }: TestResponse, requiredScope: string) {
  return {
    status: 403,
    challenge: `Bearer realm="operations", error="insufficient_scope", scope="${requiredScope}"`,
    type: 'application/problem+json',
    body: {
      type: 'urn:operations-gateway:problem:insufficient-scope',
      title: 'Scope missing',
      status: 403,
      detail: `This needs a key with the scope ${requiredScope}.`,
      code: 'INSUFFICIENT_SCOPE',
      requestId: headers.get('request-id'),
      requiredScope,
    },
  }
}

function outcomeOf({ status, headers, body }: TestResponse) {
  return { status, challenge: headers.get('www-authenticate'), type: headers.get('content-type'), body }
}

const named = ROUTES.map((route, turn) => ({ name: `${route.method} ${route.path}`, route, turn }))
/** Of a feed, each key sees other rows: feed.test.ts has its rules. */
const scoped = named.filter(({ route }) => !route.isFeed)
const PATHS = sliceOf([...new Set(ROUTES.map(({ path }) => path))], String).map((path) => {
  const here = ROUTES.filter((route) => route.path === path)
  const methods: string[] = here.map(({ method }) => method)
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  const wrong = METHODS.filter((method) => !methods.includes(method))
  return { path, route: here[0] as Route, allow, wrong }
})

/** A body as a key reads it: without `personnel.read` it names no owner and no assignee, and without `.manage` no author. */
function shownTo(holder: Holder, route: Route, body: unknown): unknown {
  if (body === undefined) return body
  const { scopes } = holder.self
  const withheld = [
    ...(isEnough(scopes, 'personnel.read') ? [] : ['owner', 'assignee', 'person']),
    ...(isEnough(scopes, neededFor(route)?.replace('read', 'manage') as Scope) ? [] : ['by', 'import']),
  ]
  return JSON.parse(JSON.stringify(body), (name, value) => (withheld.includes(name) ? null : value))
}

describe('each route', () => {
  test.each(scoped)(
    '$name answers the keys that hold its scope, and refuses the others alike',
    async ({ name, route }) => {
      const whole = await send(everything.caller, route)
      tally.check(`${name} with every scope`, whole.status, route.status)
      for (const holder of holders) {
        const what = `${name} with ${holder.label}`
        const before = await gateway.store.version()
        const answer = await send(holder.caller, route)
        const isChanged = (await gateway.store.version()) !== before
        tally.check(`${what} changes something`, isChanged, route.method !== 'GET' && isAllowed(holder, route))
        if (isAllowed(holder, route)) {
          tally.check(what, [answer.status, answer.headers.get('www-authenticate')], [route.status, null])
          const expected = route.operation === 'getKey' ? holder.self : shownTo(holder, route, whole.body)
          if (route.method === 'GET') tally.check(what, answer.body, expected)
          continue
        }
        tally.check(what, outcomeOf(answer), refusalOf(answer, neededFor(route) ?? ''))
        const others = [await send(holder.caller, route, { on: nowhere })]
        if (route.method !== 'GET') others.push(await send(holder.caller, route, { body: '{"name": 1, bad' }))
        for (const other of others) tally.check(`${what}, of something else`, sameness(other), sameness(answer))
      }
      expect(tally.findings()).toEqual([])
    },
  )

  test.each(named)('$name does nothing without a valid key', async ({ name, route, turn }) => {
    const before = dumpOf(gateway)
    for (const { label, caller, challenge } of turnOf(strangers, turn)) {
      for (const method of [route.method, 'HEAD']) {
        const answer = await send(caller, route, { method, ...(method === 'HEAD' && { body: undefined }) })
        const { status, headers, text, body } = answer
        const right = [401, challenge, method === 'HEAD' ? '' : 'UNAUTHENTICATED']
        const code = text === '' ? '' : body.code
        tally.check(`${name} by ${method} with ${label}`, [status, headers.get('www-authenticate'), code], right)
      }
    }
    tally.check(`the store after ${name}`, dumpOf(gateway), before)
    expect(tally.findings()).toEqual([])
  })

  test('leaves every row of the store as it is when it refuses', async () => {
    const before = dumpOf(gateway)
    for (const { name, route } of scoped) {
      for (const holder of holders) {
        if (isAllowed(holder, route)) continue
        const { status } = await send(holder.caller, route)
        tally.check(`${name} with ${holder.label}`, status, 403)
      }
      tally.check(`the store after ${name}`, dumpOf(gateway), before)
    }
    expect(tally.findings()).toEqual([])
  })
})

describe('each path', () => {
  const readable = sliceOf(
    named.filter(({ route }) => route.method === 'GET'),
    ({ name }) => name,
  )
  test.each(readable)('HEAD is GET without its body, to every key: $route.path', async ({ name, route }) => {
    for (const holder of holders) {
      const [get, head] = [await send(holder.caller, route), await send(holder.caller, route, { method: 'HEAD' })]
      tally.check(`HEAD for ${name} with ${holder.label}`, sameness(head), sameness({ ...get, text: '' }))
    }
    expect(tally.findings()).toEqual([])
  })

  test.each(PATHS)('OPTIONS shows the allowed methods without a key: $path', async ({ path, route, allow }) => {
    for (const { label, caller } of [...holders, ...strangers]) {
      const { status, headers, text } = await send(caller, route, { method: 'OPTIONS', body: undefined })
      const right = [204, allow, '']
      tally.check(`OPTIONS ${path} with ${label}`, [status, headers.get('allow'), text], right)
    }
    expect(tally.findings()).toEqual([])
  })

  test.each(PATHS)('another method is refused, after the key and before its scopes: $path', async (one) => {
    const { path, route, allow, wrong } = one
    const before = dumpOf(gateway)
    for (const method of wrong) {
      for (const { label, caller } of holders) {
        const { status, headers, body } = await send(caller, route, { method, body: undefined })
        const right = [405, allow, 'METHOD_NOT_ALLOWED']
        tally.check(`${method} ${path} with ${label}`, [status, headers.get('allow'), body.code], right)
      }
      for (const { label, caller, challenge } of strangers) {
        const { status, headers, body } = await send(caller, route, { method, body: undefined })
        const right = [401, challenge, 'UNAUTHENTICATED']
        tally.check(`${method} ${path} with ${label}`, [status, headers.get('www-authenticate'), body.code], right)
      }
    }
    tally.check(`the store after ${path}`, dumpOf(gateway), before)
    expect(tally.findings()).toEqual([])
  })
})

test('a key that is bound to a project changes that one, if it has the scope, and no other', async () => {
  const [route] = ROUTES.filter(({ operation }) => operation === 'syncProject') as [Route]
  for (const holder of bound) {
    const sync = (key: string | undefined) =>
      send(holder.caller, route, { body: JSON.stringify({ key, name: 'Renamed' }) })
    const isAble = isAllowed(holder, route)
    const own = await sync('away-1')
    if (isAble) tally.check(`AWAY-1 with ${holder.label}`, [own.status, own.body.project.key], [200, 'AWAY-1'])
    else tally.check(`AWAY-1 with ${holder.label}`, outcomeOf(own), refusalOf(own, 'projects.manage'))
    const before = dumpOf(gateway)
    for (const key of [rows['key'], nowhere['key'], 'AWAY-11']) {
      const answer = await sync(key)
      const right = refusalOf(answer, 'projects.manage')
      if (isAble) right.body.detail = 'This key may change only AWAY-1.'
      tally.check(`${key} with ${holder.label}`, outcomeOf(answer), right)
    }
    tally.check(`the store after ${holder.label}`, dumpOf(gateway), before)
  }
  expect(tally.findings()).toEqual([])
})

test('no field or route was left out: the number of checks is as expected', () => {
  expect(tally.checks).toBeGreaterThan(checksMin(CHECKS_MIN))
})
