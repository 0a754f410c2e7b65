import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { reportOf } from '../../src/cli/import/report.js'
import type { Write } from '../../src/store/store.js'
import { runHere } from '../support/inProcess.js'
import { environmentOf, type Finished, newFolder, storeOf } from '../support/process.js'
import { createMigrated, sqliteStore, type TestStore } from '../support/stores.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

const LONG_AGO = new Date('2026-01-05T08:00:00.000Z')

type Report = ReturnType<typeof reportOf>

export interface Change {
  readonly action: string
  readonly entity: string
  readonly by: string
  readonly fields: Readonly<Record<string, readonly [unknown, unknown]>>
}

/** A folder with an empty store, where sheets are imported as a user would. */
export interface Desk {
  readonly folder: string
  readonly own: TestStore
  /** Writes a file and returns its name. */
  put(name: string, content: string | Uint8Array): string
  /** Fills the store before an import. */
  write(work: (write: Write) => Promise<unknown>): Promise<void>
  importSheet(...args: string[]): Promise<Finished>
  /** The same with --json: the exit code, and the document. */
  report(...args: string[]): Promise<{ code: number | null; stderr: string; report: Report }>
  /** Each row as an array of the selected values. */
  rows(sql: string): unknown[][]
  /** The first column of each row. */
  list(sql: string): unknown[]
  /** The history, oldest first. */
  changes(): Change[]
  /** The ids of entities whose timestamps differ from their first and last history row. */
  wronglyTimestamped(): unknown[]
  /** Every row of every table. */
  dump: TestStore['dump']
}

const WRONGLY_TIMESTAMPED = `with
  entity as (${['person', 'groups', 'project', 'risk', 'issue']
    .map((table) => `select id, created_at, updated_at from ${table}`)
    .join(' union all ')}),
  recorded as (select entity_id, min(recorded_at) as first, max(recorded_at) as last from change group by entity_id)
  select id from entity left join recorded on entity_id = id 
    where created_at is distinct from first or updated_at is distinct from last`

/** The store of the folder, or the one in this file. */
export function openDesk(store?: string): Desk {
  const folder = newFolder()
  const own = store === undefined ? storeOf(folder) : sqliteStore(store)
  if (own.url.startsWith('file:')) createMigrated(own.file)
  const list = (sql: string) => own.values(sql).map(([first]) => first)
  const importSheet = async (...args: string[]) => {
    const done = await runHere(folder, ['import', ...args, '--database', own.url])
    // Its id is random, and test/ingest/importRuns.test.ts is about it.
    return { ...done, stderr: done.stderr.replaceAll(/^ {2}This is imp_.*\n/gm, '') }
  }
  return {
    folder,
    own,
    importSheet,
    put(name, content) {
      writeFileSync(join(folder, name), content)
      return name
    },
    async write(work) {
      const opened = own.open()
      await opened.write({ by: 'cli', at: () => LONG_AGO }, work)
      await opened.close()
    },
    async report(...args) {
      const { code, stdout, stderr } = await importSheet(...args, '--json')
      if (stdout === '') throw new Error(`There is no document: ${stderr}`)
      return { code, stderr, report: JSON.parse(stdout) }
    },
    rows: own.values,
    list,
    changes() {
      const rows = own.rows('select action, entity, written_by as "by", fields from change order by id')
      return rows.map((row) => ({ ...row, fields: JSON.parse(String(row['fields'])) }) as unknown as Change)
    },
    wronglyTimestamped: () => list(WRONGLY_TIMESTAMPED),
    dump: own.dump,
  }
}

/** Starts an import in the background, with an open standard input. */
export function startImport(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, 'import', ...args], { cwd: folder, env: environmentOf(folder) })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const output = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  const ended = output.then(([[code], stdout, stderr]): Finished => ({ code, stdout, stderr }))
  return { child, ended }
}

/** A sheet of lines. */
export function lines(...all: string[]): string {
  return `${all.join('\n')}\n`
}
