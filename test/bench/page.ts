/**
 * How soon the overview can be used on the generated company: from the navigation until the register has rows and a
 * cell of the matrix can be clicked, until what moved is shown too, and from a click on a cell until its risks are shown.
 *
 *   npm run bench -- page [VISITS]
 */
import { loadavg } from 'node:os'
import { type Browser, chromium, type Page } from 'playwright-core'
import { CHROMIUM, QUIET, TAB_KEY_NAME } from '../browser/chromium.js'
import { serve } from '../campaigns/served.js'
import { COMPANY, fill } from './speed/data.js'

const visits = Number(process.argv[2] ?? 5)

/** Times in ms since the navigation, and of each request. */
interface Visit {
  readonly usable: number
  readonly whole: number
  readonly cell: number
  readonly requests: string
}

/** Runs in the page before its own scripts: notes when something is on the screen. */
function watch([name = '', key = '']: readonly string[]): void {
  sessionStorage.setItem(name, key)
  const times: Record<string, number> = {}
  Object.assign(window, { times })
  const seen = { usable: ['#register div.title a', '#matrix td.cell button'], whole: ['#moved .counts', '#trend svg'] }
  const look = () => {
    for (const [step, selectors] of Object.entries(seen)) {
      if (times[step] || !selectors.every((one) => document.querySelector(one))) continue
      times[step] = 1
      // A task after the next frame runs once it is painted.
      requestAnimationFrame(() => setTimeout(() => Object.assign(times, { [step]: performance.now() })))
    }
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
}

/** Clicks on a cell, and returns how long it takes until the register shows its risks. */
function clickCell(): Promise<number> {
  const cell = () => document.querySelector<HTMLElement>('#cell-5-5')
  const before = document.querySelector('#register .more')?.textContent
  const start = performance.now()
  cell()?.click()
  return new Promise((resolve) => {
    const look = () => {
      if (cell()?.ariaPressed !== 'true' || document.querySelector('#register .more')?.textContent === before) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)))
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { childList: true, subtree: true })
  })
}

async function measure(page: Page, go: () => Promise<unknown>): Promise<Visit> {
  await go()
  const times = await page.waitForFunction(() => {
    const { times } = window as unknown as { times: Record<string, number> }
    return (times['usable'] ?? 0) > 1 && (times['whole'] ?? 0) > 1 && times
  })
  const { usable = 0, whole = 0 } = (await times.jsonValue()) || {}
  const requests = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => !name.includes('/assets/'))
      .map((one) => {
        const { name, startTime, responseEnd, decodedBodySize } = one as PerformanceResourceTiming
        const [what = name] = /(?<=query\+)\w+|\/v1\/\w+$/.exec(name) ?? []
        return `${what} ${Math.round(startTime)}-${Math.round(responseEnd)} (${Math.round(decodedBodySize / 1024)} KB)`
      })
      .join(', '),
  )
  return { usable, whole, cell: await page.evaluate(clickCell), requests }
}

/** A page of its own, with an empty cache. */
async function newPage(browser: Browser, key: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  // tsx marks functions with this helper of its own.
  await page.addInitScript('globalThis.__name = (one) => one')
  await page.addInitScript(watch, [TAB_KEY_NAME, key])
  return page
}

function report(what: string, all: readonly Visit[]): void {
  const line = (name: 'usable' | 'whole' | 'cell') => {
    const sorted = all.map((one) => Math.round(one[name])).sort((a, b) => a - b)
    return `${sorted[0]} best, ${sorted[Math.floor(sorted.length / 2)]} median of ${sorted.length}`
  }
  console.log(`${what} (ms): usable ${line('usable')}; whole ${line('whole')}; a cell ${line('cell')}`)
  console.log(`  requests of the last: ${all.at(-1)?.requests}`)
}

const { folder, key } = fill(COMPANY)
const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: QUIET })
console.log(`load ${loadavg()[0]?.toFixed(1)}`)
const [first, changed, again]: Visit[][] = [[], [], []]
for (let visit = 0; visit < visits; visit++) {
  const server = await serve(folder, [])
  const address = `${server.origin}/`
  const page = await newPage(browser, key)
  first?.push(await measure(page, () => page.goto(address)))
  const body = JSON.stringify({ name: 'New', externalId: crypto.randomUUID() })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  await fetch(`${server.origin}/v1/personnel`, { method: 'POST', headers, body })
  changed?.push(await measure(page, () => page.goto(address)))
  again?.push(await measure(page, () => page.goto(address)))
  await page.context().close()
  await server.end('SIGTERM')
}
report('First visit, the service just started', first ?? [])
report('A later visit, after a change', changed ?? [])
report('A later visit, nothing changed', again ?? [])
await browser.close()
process.exit(0)
