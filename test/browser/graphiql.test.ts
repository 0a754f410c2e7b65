import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { starters } from '../../src/web/graphiql/starters.js'
import { newFolder, operations, serve } from '../support/process.js'
import { CHROMIUM, open, type Visit } from './chromium.js'
import { serveRandom } from './company.js'

async function visit(base: string): Promise<Visit> {
  const visited = await open(new URL(base).origin)
  await visited.page.goto(`${base}/graphql`)
  await ready(visited.page)
  return visited
}

function ready(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Execute query' }).waitFor()
}

/** The text of a part of the page, with normalized white space, as the editors use their own. */
async function words(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).innerText()).replaceAll(/\s+/g, ' ')
}

function seen(page: Page, selector: string) {
  return expect.poll(() => words(page, selector), { timeout: 15_000 })
}

function tabs(page: Page): Promise<string[]> {
  return page.locator('.graphiql-tab').allInnerTexts()
}

const STARTERS = ['TopRisks', 'GroupsWithMembers', 'Dashboard', 'PersonWithRisksAndIssues', 'WhatMoved']

test.skipIf(!CHROMIUM)('in the demo, the first query runs as it stands and the documentation is there', async () => {
  const { origin } = await serve(newFolder(), ['--demo'])
  const { page, outside, complaints } = await visit(origin)
  expect(await tabs(page)).toEqual(STARTERS)
  await page.getByRole('button', { name: 'Execute query' }).click()
  await seen(page, '.graphiql-response').toMatch(/"totalCount": 78/)
  await seen(page, '.graphiql-response').toMatch(/"rank": 1/)
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.getByRole('link', { name: 'Query', exact: true }).click()
  await seen(page, '.graphiql-doc-explorer').toMatch(/Everyone on the roster.* _entities.*For federation.*_service/)
  expect({ outside, complaints }).toEqual({ outside: [], complaints: [] })
  const authorization = `Bearer ${await page.evaluate(() => document.body.dataset['demoKey'])}`
  for (const { query, variables = '{}' } of starters(new Date())) {
    const body = JSON.stringify({ query, variables: JSON.parse(variables) })
    const headers = { authorization, 'content-type': 'application/json' }
    const result = await (await fetch(`${origin}/graphql`, { method: 'POST', headers, body })).text()
    expect(result).not.toMatch(/"errors"|"(nodes|cells|risks|issues)":\[\]/)
  }
})

/** Replaces or begins the text of an editor, as a person who types. */
async function type(page: Page, name: RegExp, keys: string, text: string): Promise<void> {
  await page.locator('.graphiql-editor').filter({ hasText: name }).locator('.view-lines').click()
  await page.keyboard.press(keys)
  await page.keyboard.insertText(text)
}

test.skipIf(!CHROMIUM)('a pasted key loads the documentation, and is kept with the query for the tab', async () => {
  const { origin, keys } = await serveRandom(7, onTestFinished, ['--base-path', '/ops'])
  const { page, outside } = await visit(`${origin}/ops`)
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await seen(page, '.graphiql-doc-explorer').toMatch(/Error fetching schema/)
  // The editor adds the brace at the end.
  await type(page, /Bearer/, 'ControlOrMeta+a', `{ "Authorization": "Bearer ${keys.all}" `)
  await page.getByRole('link', { name: 'Query', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Dashboard' }).click()
  await seen(page, '.graphiql-editors').toContain(keys.all)
  await page.getByRole('button', { name: 'Execute query' }).click()
  await seen(page, '.graphiql-response').toMatch(/"riskMatrix"/)
  await type(page, /Dashboard/, 'ControlOrMeta+Home', '# Mine\n')
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('graphiql:tabState'))).toContain('# Mine')
  await page.reload()
  await ready(page)
  expect(await tabs(page)).toEqual(STARTERS)
  await seen(page, '.graphiql-editors').toMatch(new RegExp(`# Mine.*query Dashboard.*${keys.all}`))
  await page.getByRole('link', { name: 'Query', exact: true }).waitFor()
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('ops_')
  expect(page.url()).toBe(`${origin}/ops/graphql`)
  await page.goto(`${origin}/ops/`)
  await page.locator('#register .more').waitFor()
  expect(outside).toEqual([])
})

test.skipIf(!CHROMIUM)('a link opens its query and its variables in a tab', async () => {
  const { origin } = await serve(newFolder(), ['--demo'])
  const { page } = await open(origin)
  const query = 'query Linked($first: Int) { projects(first: $first) { nodes { key } } }'
  await page.goto(`${origin}/graphql?${new URLSearchParams({ query, variables: '{"first":2}' })}`)
  await ready(page)
  expect(await tabs(page)).toEqual(['Linked', ...STARTERS])
  await page.getByRole('button', { name: 'Execute query' }).click()
  await seen(page, '.graphiql-response').toMatch(/("key": "[^"]+"[^"]*){2}/)
  await page.reload()
  await ready(page)
  expect(await tabs(page)).toEqual(['Linked', ...STARTERS])
})

test.skipIf(!CHROMIUM)('without a key, the page says in words what to do', async () => {
  const folder = newFolder()
  await operations(folder, ['migrate'])
  const { origin } = await serve(folder)
  const { page, outside } = await visit(origin)
  await seen(page, '.graphiql-editors').toContain('Bearer <API_KEY>')
  await page.getByRole('button', { name: 'Execute query' }).click()
  await seen(page, '.graphiql-response').toMatch(/Replace <API_KEY> by your API key/)
  await seen(page, '.graphiql-response').toMatch(/operations keys create/)
  expect(outside).toEqual([])
})
