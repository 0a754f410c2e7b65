import { expect, test } from 'vitest'
import { cursorAt } from '../../src/store/query/cursors.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { rowsOf } from '../postgres/sync.js'
import { engine } from '../support/engine.js'
import { type Gateway, openFilled } from '../support/harness.js'

const CHANGES = 40_000
const RARE = 200

/** A long history, most of it of risks, so that reading all of it would be the wrong way. */
function fill({ own }: Gateway, [project]: readonly string[]): void {
  const numbers = `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${CHANGES - 1})`
  const kind = (rare: string, common: string) => `case when i % ${RARE} = 0 then ${rare} else ${common} end`
  own.run(`insert into change (recorded_at, effective_on, written_by, action, entity, entity_id, project_id, fields, nonce)
    ${numbers} select '2026-11-02T09:30:00.000Z', '2026-11-02', 'cli', 'UPDATED', ${kind("'GROUP'", "'RISK'")}, 'x',
    ${kind('null', `'${project}'`)}, '{}', i + 1 from n`)
  own.run('analyze')
}

function planOf({ own }: Gateway, { sql, values }: { sql: string; values: readonly unknown[] }): string {
  if (engine === 'postgres') {
    return rowsOf(own.url, `explain ${sql}`, values)
      .map((row) => row['QUERY PLAN'])
      .join('\n')
  }
  const db = openDatabase(own.file, { readonly: true })
  const rows = db.prepare(`explain query plan ${sql}`).all() as { detail: string }[]
  db.close()
  return rows.map(({ detail }) => detail).join('\n')
}

const FILTERS: readonly [filter: string, index: RegExp][] = [
  ['', /change_pkey|INTEGER PRIMARY KEY/],
  ['&entity=group', /change_by_kind/],
  ['&entity=group,person', /change_by_kind/],
  ['&project=APOLLO', /change_by_project/],
  ['&project=APOLLO,OLD&entity=risk,issue', /change_by_project/],
]

test('a page of the feed is read in order from an index, whatever its filter', async () => {
  const { gateway, company } = await openFilled()
  fill(gateway, company.projectIds)
  const caller = await gateway.as('personnel.read', 'projects.read')
  const [middle = []] = gateway.own.values(`select id, nonce from change where nonce = ${CHANGES / 2}`)
  const cursor = cursorAt({ name: 'feed' }, middle.map(Number))
  for (const [filter, index] of FILTERS) {
    gateway.statementsWithValues()
    expect((await caller.get(`/v1/changes?limit=20&cursor=${cursor}${filter}`)).status).toBe(200)
    const [page] = gateway.statementsWithValues().filter(({ sql }) => sql.includes('from "change"'))
    const plan = page ? planOf(gateway, page) : ''
    expect({ filter, plan }).toEqual({ filter, plan: expect.stringMatching(index) })
    expect({ filter, plan }).not.toEqual({
      filter,
      plan: expect.stringMatching(/SCAN change|Seq Scan on change|TEMP B-TREE FOR ORDER BY/),
    })
  }
})
