import { expect, test } from 'vitest'
import { routesAt } from '../../src/http/rest/router.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { NodeRequest } from '../../src/http/wire/request.js'

test.each(ROUTES)('$method $path is found, with what stands in its variable segments', (route) => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const path = names.reduce((filled, name) => filled.replace(`{${name}}`, `the%20${name}`), route.path)
  const match = routesAt(path)
  expect(match?.at.routes.get(route.method)).toBe(route)
  expect(match?.parameters).toEqual(Object.fromEntries(names.map((name) => [name, `the ${name}`])))
})

test.each([
  '/v1/personnel/',
  '/v1/personnel//',
  '/v1',
  '/v2/personnel',
  '/v1/personnel/a/b',
  '/v1/personnelXcsv',
  '/v1/risks/',
])('nothing is at %s', (path) => {
  expect(routesAt(path)).toBe(undefined)
})

test('what cannot be decoded is taken as it stands', () => {
  expect(routesAt('/v1/risks/%E0%A4%A')?.parameters).toEqual({ id: '%E0%A4%A' })
})

test('the methods of a path are listed for Allow', () => {
  expect(routesAt('/v1/personnel')?.at.allow).toBe('GET, POST, HEAD, OPTIONS')
  expect(routesAt('/v1/groups/x/members/y')?.at.allow).toBe('PUT, DELETE, OPTIONS')
})

test.each([
  '/v1/risks',
  '/v1/risks?limit=1#x',
  '/v1/risks.csv?a=/../b',
  '/v1/../graphql',
  '/v1/%2e%2e/graphql',
  '/v1/..\\graphql',
  '/v1/./risks',
  '/v1/.../risks',
  '//v1//risks',
  '/v1/risks/',
  '/v1/caf\u00e9',
  '/v1/a b',
  '/v1/a%20b',
  '/',
  '/?x',
])('the path of %s is that of its URL', (target) => {
  const message = { method: 'GET', headers: { host: 'localhost' } }
  const sent = new NodeRequest(message as ConstructorParameters<typeof NodeRequest>[0], target)
  expect(sent.path).toBe(new URL(`http://localhost${target}`).pathname)
})
