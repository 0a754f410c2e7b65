import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Company, fillCompany } from './fixtures.js'
import { type Caller, type Gateway, openGateway } from './harness.js'

interface Case {
  readonly path: string
  readonly table: string
  /** Single equality filters; ids are taken from the company. */
  readonly filters: (company: Company) => readonly string[]
  /** Filters whose plan may sort, by the nature of the thing. */
  readonly maySort?: readonly string[]
}

const CASES: readonly Case[] = [
  {
    path: '/v1/personnel',
    table: 'person',
    filters: ({ groupIds }) => [
      'status=ACTIVE',
      'status=INACTIVE',
      'email=p0@example.com',
      'externalId=HR-2',
      `group=${groupIds[0]}`,
    ],
    maySort: ['group'],
  },
  { path: '/v1/groups', table: 'groups', filters: () => [] },
  { path: '/v1/projects', table: 'project', filters: () => ['status=ACTIVE'] },
  {
    path: '/v1/risks',
    table: 'risk',
    filters: ({ personIds, projectIds }) => [
      'project=APOLLO',
      `project=${projectIds[1]}`,
      'status=OPEN',
      'status=OCCURRED',
      'status=CLOSED',
      'level=UNASSESSED',
      'level=LOW',
      'level=HIGH',
      'level=CRITICAL',
      'minScore=9',
      'likelihood=3',
      'impact=2',
      `owner=${personIds[1]}`,
      'owner=none',
      'category=supply',
    ],
  },
  {
    path: '/v1/issues',
    table: 'issue',
    filters: ({ personIds }) => [
      'project=APOLLO',
      'severity=HIGH',
      'status=BLOCKED',
      `assignee=${personIds[1]}`,
      'assignee=none',
    ],
  },
]

describe.each(CASES)('$path', ({ path, table, filters, maySort = [] }) => {
  test('is read in order from an index, whole, by page and far into it, plain and with each filter', async () => {
    const gateway = openGateway()
    const company = await gateway.write(fillCompany)
    const caller = await gateway.as('personnel.read', 'projects.read')
    const explain = explainer(gateway)
    for (const filter of ['', ...filters(company)]) {
      const name = filter.split('=')[0] ?? ''
      for (const statement of await listStatements(gateway, caller, `${path}?${filter}`, table)) {
        const plan = explain(statement)
        const bad = plan.filter((step) => isScan(step) || (isSort(step) && !maySort.includes(name)))
        expect({ filter, statement, bad }).toEqual({ filter, statement, bad: [] })
      }
    }
  })
})

test('a nested list is read in order from an index too', async () => {
  const gateway = openGateway()
  const { projectIds } = await gateway.write(fillCompany)
  const caller = await gateway.as('projects.read')
  const explain = explainer(gateway)
  gateway.statements()
  await caller.graphql(`{ project(id: "${projectIds[0]}") { risks { nodes { id } } issues { nodes { id } } } }`)
  const lists = gateway.statements().filter((sql) => /from "(risk|issue)".*limit 51/.test(sql))
  expect(lists).toHaveLength(2)
  for (const list of lists) expect(explain(list).filter((step) => isScan(step) || isSort(step))).toEqual([])
})

/** The statements of the list itself: whole, the first page, and the page after it. */
async function listStatements(gateway: Gateway, caller: Caller, path: string, table: string): Promise<string[]> {
  gateway.statements()
  await caller.get(path)
  const { body } = await caller.get(`${path}&limit=1`)
  if (body.page.next) await caller.get(`${path}&limit=1&cursor=${body.page.next}`)
  const found = gateway.statements().filter((sql) => sql.includes(`from "${table}"`) && sql.includes('order by'))
  expect(found).toHaveLength(body.page.next ? 3 : 2)
  return found
}

function explainer(gateway: Gateway): (sql: string) => string[] {
  const connection = new Database(gateway.file, { readonly: true })
  onTestFinished(() => {
    connection.close()
  })
  return (sql) =>
    connection
      .prepare(`explain query plan ${sql}`)
      .all()
      .map((row) => String((row as { detail: string }).detail))
}

function isScan(step: string): boolean {
  return step.startsWith('SCAN') && !step.includes('USING INDEX') && !step.includes('USING COVERING INDEX')
}

function isSort(step: string): boolean {
  return step.includes('TEMP B-TREE')
}
