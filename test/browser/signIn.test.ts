import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import type { Page, Route } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { AUDIENCE, listening } from '../support/identity.js'
import { violations } from './axe.js'
import { CHROMIUM, open, TAB_KEY_NAME } from './chromium.js'
import { serveRandom } from './company.js'

/** The tokens of the provider are renewed after half of this. */
const LIFE_S = 10
const READING = 'personnel.read projects.read'

/** A running service, and oidc-provider with the service's pages as a public client. */
async function serveWithProvider(scope = READING, audience = AUDIENCE) {
  const grants: string[] = []
  let handle: ReturnType<Provider['callback']> | undefined
  const issuer = await listening((request, response) => {
    if (request.url === '/token' && request.method === 'POST') grants.push('token')
    handle?.(request, response)
  })
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] }
  const jwt = { sign: { alg: 'RS256' } }
  const resource = { scope, audience: AUDIENCE, accessTokenFormat: 'jwt', accessTokenTTL: LIFE_S, jwt }
  const resourceIndicators = { enabled: true, getResourceServerInfo: () => resource }
  const provide = (...origins: string[]) => {
    const addresses = origins.map((origin) => `${origin}/ops/signed-in`)
    const pages = { client_id: 'pages', redirect_uris: addresses, post_logout_redirect_uris: addresses }
    const ofBrowsers = { token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] }
    handle = new Provider(issuer, {
      clients: addresses.length > 0 ? [{ ...pages, ...ofBrowsers }] : [],
      jwks,
      clientBasedCORS: (_: unknown, origin: string) => origins.includes(origin),
      issueRefreshToken: () => true,
      features: { resourceIndicators },
    }).callback()
  }
  provide()
  const { origin, keys } = await serveRandom(7, onTestFinished, [
    ...['--base-path', '/ops', '--oidc-issuer', issuer, '--oidc-audience', audience],
    ...['--oidc-client-id', 'pages', '--oidc-request', `openid ${scope} resource=${AUDIENCE}`],
  ])
  provide(origin)
  const visit = await open(origin)
  // The font of the provider's pages.
  await visit.page.route(/googleapis/, (route) => route.abort())
  return { ...visit, base: `${origin}/ops`, issuer, grants, keys }
}

/** What a person does at the provider. */
async function signInAs(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

function signIn(page: Page) {
  return page.getByRole('button', { name: 'Sign in' }).click()
}

function tokenOf(page: Page): Promise<string | null> {
  return page.evaluate((name) => sessionStorage.getItem(name), TAB_KEY_NAME)
}

/** The provider's pages have no icon, and no font here; GraphiQL asks for the schema before anybody has signed in. */
const isOurs = (complaint: string) => !complaint.startsWith('Failed to load resource')

const shown = (page: Page) => page.locator('#register .more').waitFor()
const why = (page: Page) => page.getByRole('alert')

test.skipIf(!CHROMIUM)('a person signs in, goes on where they were, stays signed in, and signs out', async () => {
  const { page, base, complaints } = await serveWithProvider()
  const filtered = `${base}/?level=CRITICAL,HIGH#register`
  await page.goto(filtered)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(await violations(page)).toEqual([])
  await signIn(page)
  await signInAs(page, 'ada')
  await shown(page)
  expect(page.url()).toBe(filtered)
  expect(await page.locator('.who').innerText()).toMatch(/^Signed in: ada\s+Sign out$/)
  await page.reload()
  await shown(page)
  const first = await tokenOf(page)

  await page.waitForTimeout(LIFE_S * 500)
  await page.getByRole('searchbox').fill('a')
  await expect.poll(() => tokenOf(page)).not.toBe(first)
  await shown(page)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(`${base}/signed-in`)
  await expect.poll(() => why(page).innerText()).toBe('You are signed out.')
  expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({ [TAB_KEY_NAME]: '' })
  await page.goto(filtered)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(complaints.filter(isOurs)).toEqual([])
})

test.skipIf(!CHROMIUM)('Back from the page goes to before signing in, and shows what the person may see', async () => {
  const { page, base } = await serveWithProvider()
  await page.goto(`${base}/v1`)
  await page.goto(`${base}/?search=steel`)
  await signIn(page)
  await signInAs(page, 'ada')
  await page.locator('#register').waitFor()
  for (let step = 0; step < 10 && !page.url().endsWith('/v1'); step++) await page.goBack()
  await expect.poll(() => page.locator('#key-place').innerText()).toMatch(/^You are signed in/)
  // A code that was used is not in the history.
  for (let step = 0; step < 10; step++) {
    expect(page.url()).not.toContain('code=')
    await page.goForward()
  }
})

test.skipIf(!CHROMIUM)('GraphiQL and the reference let people sign in, and use renewed tokens', async () => {
  const { page, base, complaints } = await serveWithProvider()
  await page.goto(`${base}/graphql`)
  await signIn(page)
  await signInAs(page, 'ada')
  const result = page.locator('.graphiql-response')
  // For a moment after another tab was opened, GraphiQL still sends the name of the last one's operation.
  const run = () =>
    expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Execute query' }).click()
        await page.locator('.graphiql-spinner').waitFor({ state: 'detached' })
        return result.innerText()
      })
      .toMatch(/"data"/)
  await run()
  const first = await tokenOf(page)
  await expect.poll(() => tokenOf(page), { timeout: 30_000 }).not.toBe(first)
  const second = (await tokenOf(page)) ?? ''
  await expect.poll(() => page.locator('.graphiql-editors').innerText()).toContain(second.slice(-20))
  await page.locator('.graphiql-editor-tool').click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('"X-Trace": "1", ')
  await expect.poll(() => page.locator('.graphiql-editors').innerText()).toContain('X-Trace')
  await expect.poll(() => tokenOf(page), { timeout: 30_000 }).not.toBe(second)
  await page.getByRole('tab', { name: 'Dashboard' }).click()
  await run()
  await page.goto(`${base}/v1`)
  await page.locator('form[data-run="listRisks"] button').click()
  await expect.poll(() => page.locator('form[data-run="listRisks"] output').innerText()).toMatch(/^200/)
  expect(complaints.filter(isOurs)).toEqual([])
})

test.skipIf(!CHROMIUM)('a provider that is away signs nobody out, and tabs share what it renews', async () => {
  const { page, base } = await serveWithProvider()
  await page.goto(`${base}/`)
  await signIn(page)
  await signInAs(page, 'ada')
  await shown(page)
  const copy = await copyOf(page)
  const away = (route: Route) => route.abort()
  await page.context().route('**/token', away)
  await page.waitForTimeout(LIFE_S * 1_000)
  const before = await tokenOf(page)
  await page.getByRole('searchbox').fill('a')
  await page.locator('html.old').waitFor()
  expect(await page.locator('.notice').innerText()).toMatch(/^Your organisation’s sign-in does not respond\. This is /)
  await page.context().unroute('**/token', away)
  // The provider is asked again only after a while.
  await page.waitForTimeout(10_000)
  await page.getByRole('searchbox').fill('st')
  await expect.poll(() => tokenOf(page)).not.toBe(before)
  await page.locator('html:not(.old)').waitFor()
  await expect.poll(async () => (await tokenOf(copy)) === (await tokenOf(page))).toBe(true)
})

/** A copy of a page, with its session. */
async function copyOf(page: Page): Promise<Page> {
  const [copy] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => void window.open(location.href))])
  await shown(copy)
  return copy
}

test.skipIf(!CHROMIUM)('two tabs take turns to renew, and signing out of one signs out both', async () => {
  const { page, base } = await serveWithProvider()
  await page.goto(`${base}/`)
  await signIn(page)
  await signInAs(page, 'ada')
  await shown(page)
  const copy = await copyOf(page)
  const renewals: Route[] = []
  await page.context().route('**/token', (route) => void renewals.push(route))
  await page.waitForTimeout(LIFE_S * 500)
  for (const tab of [page, copy]) await tab.getByRole('searchbox').fill('a')
  await expect.poll(() => renewals.length).toBe(1)
  await page.waitForTimeout(1_000)
  await renewals[0]?.continue()
  for (const tab of [page, copy]) await tab.locator('main[aria-busy="false"]').waitFor()
  const kept = (tab: Page) => tab.evaluate(() => ({ ...sessionStorage }))
  await expect.poll(async () => kept(copy)).toEqual(await kept(page))
  expect(renewals.length).toBe(1)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await copy.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(await kept(copy)).toEqual({ [TAB_KEY_NAME]: '' })
})

test.skipIf(!CHROMIUM)(
  'a token that is not accepted says why, one that is over does not, and the view stays',
  async () => {
    const { page, base } = await serveWithProvider(READING, 'https://other.example.com')
    await page.goto(`${base}/?search=steel&project-view=CORAL`)
    for (let again = 0; again < 2; again++) {
      await signIn(page)
      if (again === 0) await signInAs(page, 'ada')
      const other =
        /^You have signed in, but .* not accept the token: .* for another audience than https:\/\/other\.example/
      await expect.poll(() => why(page).innerText()).toMatch(other)
    }
    expect(new URL(page.url()).search).toBe('?search=steel&project-view=CORAL')
  },
)

test.skipIf(!CHROMIUM)('the view that was open when a session ends is open after the next one has begun', async () => {
  const { page, base } = await serveWithProvider()
  await page.goto(`${base}/`)
  await signIn(page)
  await signInAs(page, 'ada')
  await shown(page)
  await page.locator('#projects td a').first().click()
  await page.getByRole('dialog').waitFor()
  const address = page.url()
  expect(address).toContain('project-view=')
  await page.evaluate((name) => {
    sessionStorage.setItem(name, 'over')
    const held = JSON.parse(sessionStorage.getItem('operations.signed-in') ?? '{}')
    sessionStorage.setItem('operations.signed-in', JSON.stringify({ client: held.client, endsAt: 0 }))
    dispatchEvent(new Event('online'))
  }, TAB_KEY_NAME)
  await expect.poll(() => why(page).innerText()).toMatch(/^Your sign-in is over\./)
  expect(page.url()).toBe(address)
  await signIn(page)
  await page.getByRole('dialog').waitFor()
  expect(page.url()).toBe(address)
})

test.skipIf(!CHROMIUM)('who refuses consent reads so, and can try again or paste a key', async () => {
  const { page, base, keys } = await serveWithProvider()
  await page.goto(`${base}/?search=steel`)
  await signIn(page)
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect
    .poll(() => why(page).innerText())
    .toMatch(/^You are not signed in\. .* says: End-User aborted interaction/)
  expect(page.url()).toBe(`${base}/signed-in`)
  await page.getByLabel('API key').fill(keys.all)
  await page.getByRole('button', { name: 'Use this key' }).click()
  await page.locator('#register').waitFor()
  expect(page.url()).toBe(`${base}/?search=steel`)
})

test.skipIf(!CHROMIUM)('a response that this tab did not ask for signs nobody in', async () => {
  const { page, base, issuer, grants } = await serveWithProvider()
  await page.goto(base)
  await signIn(page)
  await page.waitForURL(`${issuer}/**`)
  await page.goto(`${base}/signed-in?code=stolen&state=of-another`)
  await expect.poll(() => why(page).innerText()).toMatch(/^This sign-in did not begin in this tab/)
  expect({ token: await tokenOf(page), grants }).toEqual({ token: null, grants: [] })
})

test.skipIf(!CHROMIUM).each<[string, (page: Page) => Promise<unknown>]>([
  [
    'for another sign-in',
    (page) => page.route(/\/auth\?/, (route) => route.continue({ url: withNonce(route.request().url()) })),
  ],
  // Playwright does not route redirects, so the page gets another address before its script runs.
  [
    'of another provider',
    (page) =>
      page.addInitScript(() => {
        const url = new URL(location.href)
        if (url.searchParams.has('iss')) url.searchParams.set('iss', 'https://other.example.com')
        history.replaceState(null, '', url)
      }),
  ],
])('a response %s signs nobody in', async (_, forge) => {
  const { page, base } = await serveWithProvider()
  await page.goto(base)
  await forge(page)
  await signIn(page)
  await signInAs(page, 'ada')
  await expect.poll(() => why(page).innerText()).toMatch(/ says: its response does not belong to this request\.$/)
  expect(await tokenOf(page)).toBe(null)
})

const withNonce = (url: string) => url.replace(/nonce=[^&]+/, 'nonce=of-another')

test.skipIf(!CHROMIUM)('the provider refuses a host that is not registered, on its own page', async () => {
  const { page, base, issuer } = await serveWithProvider()
  await page.goto(base.replace('127.0.0.1', 'localhost'))
  await signIn(page)
  await page.waitForURL(`${issuer}/**`)
  await expect.poll(() => page.locator('body').innerText()).toMatch(/redirect_uri/)
})

test.skipIf(!CHROMIUM)('who has no scope reads what to ask for, and can sign out', async () => {
  const { page, base } = await serveWithProvider('email')
  await page.goto(`${base}/`)
  await signIn(page)
  await signInAs(page, 'ada')
  await expect
    .poll(() => why(page).innerText())
    .toMatch(/`scope` or `scp` has none of personnel\.read, .*Ask the administrator/)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
})
