import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { prepareDemo } from '../src/cli/serve/demo.js'
import { VIEW_NAMES } from '../src/web/overview/address.js'
import { openGateway } from './support/harness.js'

const PAGE = new URL('../docs/questions.md', import.meta.url)
const TEXT = readFileSync(PAGE, 'utf8')
const QUESTION = /\*\*(.+)\*\*\n\n```graphql\n(.+)\n```\n\n`GET (\S+)`.*\n\n```json\n([^`]*)\n```/g
const QUESTIONS = [...TEXT.matchAll(QUESTION)].map(([, words = '', query = '', path = '', answer = '']) => ({
  ...{ words, query, path, answer },
}))

/** The demo as it is filled on the day that the page names. */
async function openDemo() {
  const gateway = openGateway({}, afterAll)
  const key = await prepareDemo(gateway.store, () => new Date('2026-11-18T09:30:00.000Z'))
  return gateway.with(`Bearer ${key}`)
}
const demo = openDemo()

/** The filter of the overview, which takes the declared filters from its page. */
async function overviewFilter() {
  const page = (await (await demo).request('/')).text
  const [, filters = ''] = /data-filters="([^"]*)"/.exec(page) ?? []
  vi.stubGlobal('document', { body: { dataset: { filters: filters.replaceAll('&quot;', '"') } } })
  const { droppedIn } = await import('../src/web/overview/filter.js')
  vi.unstubAllGlobals()
  return droppedIn
}

/** One line for each entry of a list. */
function printed(value: unknown): string {
  if (!value || typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, one]) => {
    const lines = Array.isArray(one) ? `[\n${one.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]` : ''
    return `  ${JSON.stringify(name)}: ${lines || JSON.stringify(one)}`
  })
  return `{\n${entries.join(',\n')}\n}`
}

async function answerTo(query: string): Promise<unknown> {
  const { body } = await (await demo).graphql(query)
  expect(body.errors).toBeUndefined()
  return Object.values(body.data)[0]
}

test('the page has the questions of a project office, each with the answer of the demo', async () => {
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(30)
  let text = TEXT
  for (const { words, query, answer } of QUESTIONS) {
    const from = text.indexOf(answer, text.indexOf(`**${words}**`))
    text = text.slice(0, from) + printed(await answerTo(query)) + text.slice(from + answer.length)
  }
  await expect(text).toMatchFileSnapshot(fileURLToPath(PAGE))
})

/** Whether each value that GraphQL shows is in the response of REST, at its place. */
function isShown(shown: unknown, whole: unknown): boolean {
  if (Array.isArray(shown)) return Array.isArray(whole) && shown.every((one, index) => isShown(one, whole[index]))
  if (!shown || typeof shown !== 'object') return shown === whole
  return Object.entries(shown).every(([name, one]) => isShown(one, Object(whole)[name]))
}

test.each(QUESTIONS)('REST answers it too: $words', async ({ query, path }) => {
  const value = Object(await answerTo(query))
  const { status, body } = await (await demo).get(path)
  expect(status).toBe(200)
  const { nodes, totalCount, ...rest } = value.history ?? value
  const [shown, whole] = nodes ? [nodes, body.data] : [rest, body]
  expect({ whole, isShown: isShown(shown, whole) }).toEqual({ whole, isShown: true })
  if (nodes) expect(body.data.length).toBe(nodes.length)
  if (totalCount !== undefined) expect(body.page.total).toBe(totalCount)
})

test('the README shows what the demo answers, but for its ids and times', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, query = '', graphql = ''] = /```graphql\n([^`]+)```\n\n```json\n([^`]+)```/.exec(readme) ?? []
  const [, path = '', rest = ''] = /:4000(\/v1\S+)\n```\n\n```json\n([^`]+)```/.exec(readme) ?? []
  const lasting = (body: object) =>
    Object.entries(body).map(([name, value]) => [name, /^id$|At$/.test(name) ? typeof value : value])
  expect((await (await demo).graphql(query)).body).toEqual(JSON.parse(graphql))
  expect(lasting((await (await demo).get(path)).body)).toEqual(lasting(JSON.parse(rest)))
})

const OVERVIEW = new URL('../src/web/overview/', import.meta.url)
const SOURCES = readdirSync(OVERVIEW)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(file, OVERVIEW), 'utf8'))
const SECTIONS = SOURCES.flatMap((source) => [...source.matchAll(/\bsection\('(\w+)'/g)].map(([, id]) => `#${id}`))
const LINKS = [...TEXT.matchAll(/\]\((http:[^)]+)\)/g)].map(([, address = '']) => new URL(address))

test('each link leads to a section, a filter or a view of the overview', async () => {
  expect(LINKS.length).toBeGreaterThan(20)
  const droppedIn = await overviewFilter()
  for (const { href, hash, search } of LINKS) {
    const isThere = hash === '' || SECTIONS.includes(hash)
    // As the page does: a view is no part of the filter.
    const dropped = droppedIn(search).filter(({ name }) => !VIEW_NAMES.has(name))
    expect({ href, isThere, dropped }).toEqual({ href, isThere: true, dropped: [] })
  }
})
