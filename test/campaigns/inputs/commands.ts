/** Files whose cells, tags or formats are as long as may be, given to the commands. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { csvLine } from '../../../src/ingest/files/csv.js'
import { partsOf, workbookOf, zipOf } from '../../support/workbooks.js'
import { newFolder } from '../served.js'
import { mainOf } from './stage.js'

const COMMAND_MS = 60_000
const CELL = 60_000
const LONG = 1_000_000

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

const ROWS = '<row r="1"><c r="A1" t="inlineStr"><is><t>title</t></is></c></row>'
const styles = (format: string) =>
  `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`
const formatted = (format: string) =>
  zipOf(partsOf(`${ROWS}<row r="2"><c r="A2" s="1"><v>1</v></c></row>`, { 'xl/styles.xml': styles(format) }))

const FILES: readonly (readonly [name: string, noun: string, file: string, content: () => string | Buffer])[] = [
  ['risks with a cell of 60 KB of blanks', 'risks', 'a.csv', () => sheet(risks(blanks))],
  ['risks with a number and 60 KB of blanks', 'risks', 'b.csv', () => sheet(risks(`1${blanks}`))],
  ['issues with a cell of 60 KB of blanks', 'issues', 'c.csv', () => sheet(issues(`1${blanks}`))],
  ['a workbook with a cell of 30 KB of blanks', 'risks', 'd.xlsx', () => workbookOf(risks(blanks.slice(CELL / 2)))],
  [
    'a workbook with a tag of 1 MB',
    'risks',
    'e.xlsx',
    () => zipOf(partsOf(`<row r="1" ${'a'.repeat(LONG)}>${ROWS}</row>`)),
  ],
  [
    'a workbook with a tag of 1 MB of blanks',
    'risks',
    'f.xlsx',
    () => zipOf(partsOf(`${ROWS}<row r="2"><c r${' '.repeat(LONG)}>1</c></row>`)),
  ],
  ['a workbook with a format of 1 MB of brackets', 'risks', 'g.xlsx', () => formatted('['.repeat(LONG))],
  ['a workbook with a format of 1 MB of months', 'risks', 'h.xlsx', () => formatted(`${'m'.repeat(LONG)}h`)],
]

/** How long the import takes to accept or refuse each file. */
export function commandTimes(build: string): string[] {
  const folder = newFolder()
  return FILES.map(([name, noun, file, content]) => {
    writeFileSync(join(folder, file), content())
    const startedAt = performance.now()
    const args = [mainOf(build), 'import', noun, file, '--dry-run', '--create-projects']
    const { status, stderr } = spawnSync(process.execPath, args, {
      ...{ cwd: folder, timeout: COMMAND_MS, encoding: 'utf8' },
      env: { PATH: process.env['PATH'] },
    })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const end = status === null ? `stopped after ${seconds} s` : `${seconds} s, exit code ${status}`
    return `${name}: ${end} ${(stderr ?? '').trim().split('\n').at(-1)?.slice(0, 100) ?? ''}`
  })
}
