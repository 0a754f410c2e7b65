import { afterAll, expect, test } from 'vitest'
import { prepareDemo } from '../src/cli/serve/demo.js'
import { at, type Question } from './natural/checks.js'
import { NATURAL_QUESTIONS } from './natural/questions.js'
import { NOW, openGateway } from './support/harness.js'

/** The demo, queried with the key that it prints. */
async function openDemo() {
  const gateway = openGateway({}, afterAll)
  const key = await prepareDemo(gateway.store, () => NOW)
  const caller = gateway.with(`Bearer ${key}`)
  const idOf = async (path: string) => String(at((await caller.get(path)).body, 'data.0.id'))
  const { body } = await caller.graphql('{ issues(first: 1) { nodes { riskId assigneeId } } }')
  const ids = new Map([
    ['<person>', await idOf('/v1/personnel?search=amara.okafor')],
    ['<group>', await idOf('/v1/groups?search=Engineering')],
    ['<project>', await idOf('/v1/projects?search=APOLLO')],
    ['<risk>', String(at(body, 'data.issues.nodes.0.riskId'))],
    ['<assignee>', String(at(body, 'data.issues.nodes.0.assigneeId'))],
    ['<key>', key],
  ])
  const filled = (text: string) => text.replaceAll(/<\w+>/g, (name) => ids.get(name) ?? name)
  const named = (text: string) => [...ids].reduce((all, [name, id]) => all.replaceAll(id, name), text)
  return { gateway, key, filled, named }
}
const demo = openDemo()

const isRest = ({ rest }: Question) => rest !== undefined

test('there are as many as were promised', () => {
  expect(NATURAL_QUESTIONS.length).toBeGreaterThanOrEqual(200)
})

test.each(NATURAL_QUESTIONS.filter((one) => !isRest(one)))('GraphQL: $words', async (question) => {
  const { gateway, key, filled } = await demo
  const { graphql = '', variables = {}, meant, says } = question
  const { headers, text, body } = await gateway.with(`Bearer ${key}`).graphql(filled(graphql), variables)
  if (meant) expect([body.errors, meant(body.data, headers, text)]).toEqual([undefined, undefined])
  if (says) expect(at(body, 'errors.0.message')).toEqual(expect.stringMatching(says))
})

test.each(NATURAL_QUESTIONS.filter(isRest))('REST: $words ($rest)', async (question) => {
  const { gateway, key, filled, named } = await demo
  const { rest = '', body: sent, headers = {}, status = 200, meant, says, never } = question
  const [method = 'GET', path = ''] = rest.startsWith('/') ? ['GET', rest] : rest.split(' ')
  const all: Record<string, string> = { authorization: `Bearer ${key}`, ...headers }
  const given = Object.entries(all).flatMap(([name, value]) => (value === '' ? [] : [[name, filled(value)] as const]))
  const url = `http://gateway.test${filled(path)}`
  const response = await gateway.app.fetch(
    new Request(url, { method, headers: Object.fromEntries(given), ...(sent === undefined ? {} : { body: sent }) }),
  )
  const text = named(new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer()))
  expect([response.status, status === response.status || text]).toEqual([status, true])
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  if (meant) expect(meant(isJson ? JSON.parse(text) : text, response.headers, text)).toBeUndefined()
  if (says) expect(text).toEqual(expect.stringMatching(says))
  if (never) expect(text).not.toEqual(expect.stringMatching(never))
})
