import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newFolder, operations, serve } from '../support/process.js'
import { CHROMIUM, open, type Visit } from './chromium.js'

async function visit(origin: string): Promise<Visit> {
  const visited = await open(origin)
  await visited.page.goto(`${origin}/graphql`)
  await visited.page.getByRole('button', { name: 'Execute query' }).waitFor()
  return visited
}

/** The text of a part of the page, with normalized white space, as the editors use their own. */
async function words(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).innerText()).replaceAll(/\s+/g, ' ')
}

function seen(page: Page, selector: string) {
  return expect.poll(() => words(page, selector), { timeout: 15_000 })
}

test.skipIf(!CHROMIUM)('in the demo, the first query runs as it stands and the documentation is there', async () => {
  const { origin } = await serve(newFolder(), ['--demo'])
  const { page, outside, complaints } = await visit(origin)
  await page.getByRole('button', { name: 'Execute query' }).click()
  await seen(page, '.graphiql-response').toMatch(/"totalCount": 77/)
  await seen(page, '.graphiql-response').toMatch(/"rank": 1/)
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.getByRole('link', { name: 'Query', exact: true }).click()
  await expect.poll(() => page.locator('.graphiql-doc-explorer').innerText()).toMatch(/Everyone on the roster/)
  expect({ outside, complaints }).toEqual({ outside: [], complaints: [] })
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
