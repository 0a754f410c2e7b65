import { readFileSync } from 'node:fs'

/** A page for those who bring in what they have, or take it out. */
export function pageOf(name: string): string {
  return readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')
}

/** The code blocks of a language. */
export function blocks(language: string, part: string): string[] {
  const fences = part.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
  return Array.from(fences, ([, block = '']) => block)
}
