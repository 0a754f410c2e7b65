import { readFileSync } from 'node:fs'

/** The page for those who bring in what they have. */
export const page = readFileSync(new URL('../../docs/feeding.md', import.meta.url), 'utf8')

/** The section under a heading, up to the next heading of its level or above; a single # is a comment. */
export function under(heading: string): string {
  const start = page.indexOf(`\n${heading}\n`)
  if (start === -1) throw new Error(`There is no heading ${heading}.`)
  const from = start + heading.length + 2
  const level = heading.indexOf(' ')
  const end = page.slice(from).search(new RegExp(`^#{2,${level}} `, 'm'))
  return end === -1 ? page.slice(from) : page.slice(from, from + end)
}

/** The code blocks of a language, in a section or the whole page. */
export function blocks(language: string, part = page): string[] {
  const fences = part.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
  return Array.from(fences, ([, block = '']) => block)
}
