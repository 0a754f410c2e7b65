import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMMAND } from '../../src/about.js'

const ROOT = new URL('../../', import.meta.url)

/** What tells people how to call the command. */
const FILES = ['docs', 'src', 'drizzle', 'schema', 'test/samples']
  .flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => /\.(md|ts|json|graphql)$/.test(file))
  .concat('README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'Containerfile')

/** Each line of a text that calls the command in another way than by its name on the PATH. */
function otherCalls(text: string): string[] {
  const isOther = /\b(npx|npm (exec|x)|pnpm|yarn|bunx) (\S+ )*?operations(?![\w.-])|\bnode\b \S*dist\/main\.js/
  return text.split('\n').filter((line) => isOther.test(line) && !/\b(Do not|outside of)\b/.test(line))
}

test('every document, hint and unit calls the command by its name on the PATH, which fails where it is missing', () => {
  const { bin } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { bin: object }
  expect(Object.keys(bin)).toEqual([COMMAND])
  const found = FILES.flatMap((file) =>
    otherCalls(readFileSync(new URL(file, ROOT), 'utf8')).map((line) => `${file}: ${line}`),
  )
  expect(found).toEqual([])
})
