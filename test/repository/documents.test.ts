import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FILES = ['.ci', 'docs', 'src', 'test']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => !file.includes('node_modules'))
  .concat(readdirSync(ROOT))

/** What was true of an earlier version stays as it was written. */
const DOCUMENTS = FILES.filter((file) => file.endsWith('.md') && !/^(CHANGELOG\.md$|test\/)/.test(file))

/** As GitHub makes them of headings. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

function anchorsIn(document: string): string[] {
  const headings = readFileSync(join(ROOT, document), 'utf8').matchAll(/^#+ (.*)$/gm)
  return Array.from(headings, ([, heading = '']) => anchorOf(heading))
}

/** Whether this is one of our sources, by its path or by the end of it; what is built or generated is not there yet. */
const isSource = (name: string) =>
  name.startsWith('dist/') || FILES.some((file) => file === name || file.endsWith(`/${name}`))

test.each(DOCUMENTS)('%s names files that are there, and links to places that are there', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const sources = Array.from(text.matchAll(/`((?:[\w-]+\/)*[\w.-]+\.(?:ts|mjs))`/g), ([, name = '']) => name)
  const links = Array.from(
    text.matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g),
    ([link, path = '', anchor = '']) => {
      const target = path === '' ? document : join(dirname(document), path)
      const isThere = existsSync(join(ROOT, target)) && (anchor === '' || anchorsIn(target).includes(anchor))
      return isThere ? [] : [link]
    },
  )
  expect([...sources.filter((name) => !isSource(name)), ...links.flat()]).toEqual([])
})
