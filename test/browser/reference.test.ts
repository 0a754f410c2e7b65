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
  test('has every route with its words, a curl line and a request that runs, with ids that exist', async () => {
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
      expect(article?.text).toContain(`"${origin}/ops${path.split('{')[0]}`)
      expect(article?.forms).toBe(1)
    }
    const form = page.locator('form[data-run="listRisks"]')
    await form.getByRole('button', { name: 'Run' }).click()
    await expect.poll(() => form.locator('output').innerText()).toMatch(/^200\s+\{\s+"data"/)
    const colours = page
      .locator('.contents .method')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).color))
    expect(new Set(await colours).size).toBe(4)
    // Only what is deleted must be named by the user.
    const paths = () =>
      page.locator('form[data-run] .row input').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
    await expect.poll(async () => (await paths()).filter((path) => path.includes('{')).length).toBe(2)
    const answered = await page.evaluate(async () => {
      const headers = { authorization: `Bearer ${document.body.dataset['demoKey']}` }
      const inputs = [...document.querySelectorAll<HTMLInputElement>('form[data-method="GET"] .row input')]
      return Promise.all(inputs.map(async ({ value }) => (await fetch(`/ops${value}`, { headers })).status))
    })
    expect(new Set(answered)).toEqual(new Set([200]))
    const add = page.locator('form[data-run="addGroup"]')
    await add.getByLabel('Body').fill('{"name": "Night watch"}')
    await add.getByRole('button', { name: 'Run' }).click()
    expect(await add.locator('output').innerText()).toBe('')
    await add.getByLabel(/changes the data/).check()
    await add.getByRole('button', { name: 'Run' }).click()
    await expect.poll(() => add.locator('output').innerText()).toMatch(/^201\s+\{\s+"id": "grp_/)
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
