import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const DIST = fileURLToPath(new URL('../../dist', import.meta.url))

/** Every module whose declarations a host reads when it imports the package: files of ours, and other packages. */
function reachedFrom(file: string, reached: Set<string> = new Set()): Set<string> {
  if (reached.has(file)) return reached
  reached.add(file)
  const text = readFileSync(join(DIST, file), 'utf8')
  for (const [, specifier = ''] of text.matchAll(/(?:from|import) ?\(?["']([^"']+)["']/g)) {
    if (!specifier.startsWith('.')) reached.add(specifier)
    else reachedFrom(join(dirname(file), specifier.replace(/\.js$/, '.d.ts')), reached)
  }
  return reached
}

test('the declarations of the library reach no package whose declarations a strict host cannot check', () => {
  expect([...reachedFrom('index.d.ts')].filter((one) => !one.endsWith('.d.ts')).sort()).toEqual([
    'graphql',
    'node:http',
    'pino',
  ])
})
