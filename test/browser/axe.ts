import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of WCAG 2.2 AA, and best practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe-core finds in a part of the page; run outside the page's policy, which would not let it in. */
export async function violations(page: Page, within = 'html'): Promise<string[]> {
  await page.evaluate(AXE)
  const found = await page.evaluate(
    async ([values, part]) =>
      (
        await (
          window as unknown as { axe: { run(c: string, o: object): Promise<{ violations: Violation[] }> } }
        ).axe.run(part, { runOnly: { type: 'tag', values } })
      ).violations,
    [TAGS, within] as const,
  )
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}
