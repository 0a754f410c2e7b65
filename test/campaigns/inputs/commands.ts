/** Files whose cells, tags or formats are as long as may be, given to the commands. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { csvLine } from '../../../src/csv.js'
import { partsOf, workbookOf, zipOf } from '../../support/workbooks.js'
import { newFolder } from '../served.js'
import { mainOf } from './stage.js'

const COMMAND_MS = 30_000
const CELL = 60_000
const LONG = 200_000

const blanks = `a${' '.repeat(CELL)}a`
const risks = (cell: string) => [
  ['project', 'reference', 'title', 'status', 'likelihood', 'impact', 'dueOn'],
  ['P', '1', 'x', cell, cell, '1', cell],
]
const issues = (cell: string) => [
  ['project', 'reference', 'title', 'severity', 'status'],
  ['P', '1', 'x', cell, cell],
]
const sheet = (rows: readonly (readonly string[])[]) => rows.map((row) => csvLine([...row])).join('')

/** A workbook with a header and this row. */
const book = (row: string, replaced: Record<string, string> = {}) => {
  const header = ['project', 'reference', 'title'].map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`)
  return zipOf(partsOf(`<row>${header.join('')}</row><row>${row}</row>`, replaced))
}
const styles = (format: string) =>
  `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`
const formatted = (format: string) => book('<c s="1"><v>1</v></c>'.repeat(3), { 'xl/styles.xml': styles(format) })

const FILES: readonly (readonly [name: string, noun: string, file: string, content: () => string | Buffer])[] = [
  ['risks with a cell of 60 KB of blanks', 'risks', 'a.csv', () => sheet(risks(blanks))],
  ['risks with a number and 60 KB of blanks', 'risks', 'b.csv', () => sheet(risks(`1${blanks}`))],
  ['issues with a number and 60 KB of blanks', 'issues', 'c.csv', () => sheet(issues(`1${blanks}`))],
  ['a workbook with a cell of 30 KB of blanks', 'risks', 'd.xlsx', () => workbookOf(risks(blanks.slice(CELL / 2)))],
  ['a workbook with a tag of 200 KB', 'risks', 'e.xlsx', () => book(`<c t='n' ${'a'.repeat(LONG)}><v>1</v></c>`)],
  ['a workbook with a format of 200 KB of brackets', 'risks', 'f.xlsx', () => formatted('['.repeat(LONG))],
  ['a workbook with a format of 200 KB of months', 'risks', 'g.xlsx', () => formatted(`${'m'.repeat(LONG)}h`)],
]

/** How long the import takes to accept or refuse each file. */
export function commandTimes(build: string): string[] {
  const folder = newFolder()
  return FILES.map(([name, noun, file, content]) => {
    writeFileSync(join(folder, file), content())
    const startedAt = performance.now()
    const args = [mainOf(build), 'import', noun, file, '--dry-run', '--create-projects']
    const { status } = spawnSync(process.execPath, args, {
      ...{ cwd: folder, timeout: COMMAND_MS, encoding: 'utf8' },
      // It cannot handle any other signal while a regular expression runs.
      killSignal: 'SIGKILL',
      env: { PATH: process.env['PATH'] },
    })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const end = status === null ? `stopped after ${seconds} s` : `${seconds} s, exit code ${status}`
    return `${name}: ${end}`
  })
}
