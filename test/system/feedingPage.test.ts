import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { blocks, page, under } from '../ingest/feedingPage.js'
import { newFolder } from '../support/process.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** Runs a script of the page, `npx operations` being the built command. */
async function run(folder: string, script: string) {
  const npx = `npx() { shift; "${process.execPath}" "${MAIN}" "$@"; }`
  return promisify(execFile)('sh', ['-ec', `${npx}\n${script}`], { cwd: folder, env: { PATH: process.env['PATH'] } })
}

test('what the page shows happens, with the first sheet and when a store is moved', async () => {
  const folder = newFolder()
  const start = page.slice(0, page.indexOf('\n## '))
  const [sheet = ''] = blocks('csv', start)
  const [command = ''] = blocks('sh', start)
  const [words = ''] = blocks('text', start)
  writeFileSync(join(folder, 'risks.csv'), sheet)
  const sameId = (text: string) => text.replaceAll(/\bimp_\w{26}/g, 'imp_')
  const first = await run(folder, command)
  expect({ ...first, stderr: sameId(first.stderr) }).toEqual({ stdout: '', stderr: sameId(words) })

  const [move = ''] = blocks('sh', under('## Moving to a new store'))
  // Empty files are skipped, since every command takes time.
  const { stderr } = await run(folder, move.replace('groups people projects risks issues', 'projects risks'))
  expect(stderr.split('\n').filter((line) => / unchanged\.$/.test(line))).toEqual([
    'projects.csv: 1 created, 0 unchanged.',
    'risks.csv: 2 created, 0 unchanged.',
  ])
})
