import { describe, expect, test } from 'vitest'
import { openapi } from '../../src/http/openapi/document.js'
import { newFolder, serve } from '../support/process.js'
import { violations } from './axe.js'
import { CHROMIUM, open } from './chromium.js'

const { paths } = openapi() as { paths: Record<string, Record<string, { operationId: string }>> }
const OPERATIONS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
)

describe.skipIf(!CHROMIUM)('the reference of the REST API', { timeout: 180_000 }, () => {
  test('has every route with its words, a curl line and, to read, a request that runs', async () => {
    const { origin } = await serve(newFolder(), ['--demo', '--base-path', '/ops'])
    const { page, outside, complaints } = await open(origin)
    await page.goto(`${origin}/ops/v1`)
    await page.getByText('This tab has a key').waitFor()
    const articles = await page.evaluate(() =>
      Array.from(document.querySelectorAll('article'), (article) => ({
        operationId: article.getAttribute('aria-labelledby'),
        text: article.textContent ?? '',
        forms: article.querySelectorAll('form').length,
      })),
    )
    expect(articles.length).toBe(OPERATIONS.length)
    for (const { path, method, operationId } of OPERATIONS) {
      const article = articles.find((one) => one.operationId === operationId)
      expect(article?.text).toContain(`${method} ${path}`)
      expect(article?.text).toContain(`"${origin}/ops${path}`)
      expect(article?.forms).toBe(method === 'GET' ? 1 : 0)
    }
    const form = page.locator('form[data-run="listRisks"]')
    await form.getByRole('button', { name: 'Run' }).click()
    await expect.poll(() => form.locator('output').innerText()).toMatch(/^200\s+\{\s+"data"/)
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await form.getByRole('button', { name: 'Run' }).click()
    await page.getByText('Paste a key first').waitFor()
    expect({ outside, complaints }).toEqual({ outside: [], complaints: [] })
  })

  test('axe-core finds nothing wrong, in dark on a phone either', async () => {
    const { origin } = await serve(newFolder(), ['--demo'])
    const { page } = await open(origin, { colorScheme: 'dark', viewport: { width: 320, height: 700 } })
    await page.goto(`${origin}/v1`)
    await page.getByText('This tab has a key').waitFor()
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  })
})
