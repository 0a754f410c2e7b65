import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { COMMAND } from '../../src/about.js'
import { blocks, pageOf } from '../ingest/pages.js'
import { newFolder } from '../support/process.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** Runs a script of the page, the built command being on the PATH as it is installed. */
async function run(folder: string, script: string) {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  if (!existsSync(join(bin, COMMAND))) symlinkSync(MAIN, join(bin, COMMAND))
  const PATH = [bin, dirname(process.execPath), process.env['PATH']].join(':')
  return promisify(execFile)('sh', ['-ec', script], { cwd: folder, env: { PATH } })
}

test('what the page shows happens, with the first sheet and when a store is moved', async () => {
  const folder = newFolder()
  const page = pageOf('import')
  const start = page.slice(0, page.indexOf('\n## '))
  const [sheet = ''] = blocks('csv', start)
  const [command = ''] = blocks('sh', start)
  const [words = ''] = blocks('text', start)
  writeFileSync(join(folder, 'risks.csv'), sheet)
  const withoutId = (text: string) => text.replaceAll(/imp_\w{26}/g, 'imp_')
  const { stdout, stderr: said } = await run(folder, command)
  expect([stdout, withoutId(said)]).toEqual(['', withoutId(words)])

  const move = blocks('sh', pageOf('export')).find((block) => block.includes('data/new.db')) ?? ''
  // Empty files are skipped, since every command takes time.
  const { stderr } = await run(folder, move.replace('groups people projects risks issues', 'projects risks'))
  expect(stderr.split('\n').filter((line) => / unchanged\.$/.test(line))).toEqual([
    'projects.csv: 1 created, 0 unchanged.',
    'risks.csv: 2 created, 0 unchanged.',
  ])
})
