import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import type { Company } from '../support/fixtures.js'
import { type Caller, type Gateway, openFilled } from '../support/harness.js'

interface Case {
  readonly path: string
  readonly table: string
  /** Single equality filters, each with the index that must serve it; ids come from the company. */
  readonly filters: (company: Company) => Readonly<Record<string, string>>
}

const CASES: readonly Case[] = [
  {
    path: '/v1/personnel',
    table: 'person',
    filters: ({ groupIds }) => ({
      '': 'person_by_status (status=?)',
      'status=ACTIVE': 'person_by_status (status=?)',
      'status=INACTIVE': 'person_by_status (status=?)',
      'status=ACTIVE,INACTIVE': 'person_by_name',
      'order=UPDATED': 'person_by_updated (status=?)',
      'email=p0@example.com': 'person_email (email_folded=?)',
      'externalId=HR-2': 'person_external_id (external_id=?)',
      [`group=${groupIds[0]}`]: 'sqlite_autoindex_person_1 (id=?)',
    }),
  },
  { path: '/v1/groups', table: 'groups', filters: () => ({ '': 'groups_name' }) },
  {
    path: '/v1/projects',
    table: 'project',
    filters: () => ({ '': 'project_key', 'status=ACTIVE': 'project_by_status (status=?)' }),
  },
  {
    path: '/v1/risks',
    table: 'risk',
    filters: ({ personIds, projectIds }) => ({
      '': 'risk_by_live (live=?)',
      'project=APOLLO': 'risk_by_project (project_id=? AND live=?)',
      [`project=${projectIds[1]}`]: 'risk_by_project (project_id=? AND live=?)',
      'status=OPEN': 'risk_by_status (status=? AND live=?)',
      'status=OCCURRED': 'risk_by_status (status=? AND live=?)',
      'status=CLOSED': 'risk_by_status (status=? AND live=?)',
      'level=UNASSESSED': 'risk_by_live (live=? AND standing>? AND standing<?)',
      'level=CRITICAL': 'risk_by_live (live=? AND standing>? AND standing<?)',
      'minScore=9': 'risk_by_live (live=? AND standing<?)',
      'likelihood=3': 'risk_by_likelihood (likelihood=? AND live=?)',
      'impact=2': 'risk_by_impact (impact=? AND live=?)',
      [`owner=${personIds[1]}`]: 'risk_by_owner (owner_id=? AND live=?)',
      'owner=none': 'risk_by_owner (owner_id=? AND live=?)',
      'category=supply': 'risk_by_category (category_folded=? AND live=?)',
      'dueAfter=2026-01-01': 'risk_by_live (live=?)',
      'order=DUE': 'risk_by_due (live=?)',
      'order=DUE&dueAfter=2026-01-01': 'risk_by_due (live=? AND due_key>? AND due_key<?)',
      'order=DUE&dueBefore=2026-08-01': 'risk_by_due (live=? AND due_key<?)',
      'order=UPDATED': 'risk_by_updated (live=?)',
      'order=UPDATED&updatedSince=2026-01-01': 'risk_by_updated (live=? AND updated_at>?)',
    }),
  },
  {
    path: '/v1/issues',
    table: 'issue',
    filters: ({ personIds }) => ({
      '': 'issue_by_live (live=?)',
      'project=APOLLO': 'issue_by_project (project_id=? AND live=?)',
      'severity=HIGH': 'issue_by_live (live=? AND standing=?)',
      'status=BLOCKED': 'issue_by_status (status=? AND live=?)',
      [`assignee=${personIds[1]}`]: 'issue_by_assignee (assignee_id=? AND live=?)',
      'assignee=none': 'issue_by_assignee (assignee_id=? AND live=?)',
      'order=DUE': 'issue_by_due (live=?)',
      'order=UPDATED': 'issue_by_updated (live=?)',
    }),
  },
]

describe.each(CASES)('$path', ({ path, table, filters }) => {
  test('is read in order from the right index: whole, the first page and the next, plain and with each filter', async () => {
    const { gateway, company } = await openFilled()
    const caller = await gateway.as('personnel.read', 'projects.read')
    const explain = explainer(gateway)
    for (const [filter, index] of Object.entries(filters(company))) {
      const statements = await listStatements(gateway, caller, `${path}?${filter}`, table)
      // A group is read through its members, which have no order of their own.
      const maySort = filter.startsWith('group=')
      for (const statement of statements) {
        const plan = explain(statement)
        const bad = plan.filter((step) => isScan(step) || (isSort(step) && !maySort))
        expect({ filter, statement, bad }).toEqual({ filter, statement, bad: [] })
      }
      const [whole = ''] = statements
      expect(explain(whole).find((step) => step.includes(` ${table} `))).toContain(`INDEX ${index}`)
    }
  })
})

test.each([
  ['/v1/personnel', 'person', 'person_by_updated (status=? AND updated_at>?)', 'status=ACTIVE,INACTIVE'],
  ['/v1/groups', 'groups', 'groups_by_updated (updated_at>?)', ''],
  ['/v1/projects', 'project', 'project_by_updated (updated_at>?)', ''],
  ['/v1/risks', 'risk', 'risk_by_updated (live=? AND updated_at>?)', 'status=OPEN,OCCURRED,CLOSED'],
  ['/v1/issues', 'issue', 'issue_by_updated (live=? AND updated_at>?)', 'severity=LOW,HIGH'],
])('what changed in %s is found by an index, also with other filters', async (path, table, index, more) => {
  const { gateway } = await openFilled()
  const caller = await gateway.as('personnel.read', 'projects.read')
  const explain = explainer(gateway)
  for (const filter of ['updatedSince=2026-01-01', `updatedSince=2026-01-01&${more}`]) {
    const [whole = ''] = await listStatements(gateway, caller, `${path}?${filter}`, table)
    expect([filter, explain(whole)]).toEqual([filter, expect.arrayContaining([expect.stringContaining(index)])])
  }
})

test('a nested list is read in order from an index too', async () => {
  const { gateway, company } = await openFilled()
  const caller = await gateway.as('projects.read')
  const explain = explainer(gateway)
  gateway.statements()
  await caller.graphql(`{ project(id: "${company.projectIds[0]}") { risks { nodes { id } } issues { nodes { id } } } }`)
  const lists = gateway.statements().filter((sql) => sql.includes('from "risk"') && sql.includes('from "issue"'))
  expect(lists).toHaveLength(1)
  for (const list of lists) expect(explain(list).filter((step) => isScan(step) || isSort(step))).toEqual([])
})

test.each([
  ['/v1/risks/trend?from=2026-10-01&to=2026-11-01', 'change_by_kind (entity=? AND id>? AND id<?)'],
  [
    '/v1/risks/trend?from=2026-10-01&to=2026-11-01&project=APOLLO',
    'change_by_project (project_id=? AND entity=? AND id>? AND id<?)',
  ],
  ['/v1/movements?since=2026-10-01&until=2026-11-01', 'INTEGER PRIMARY KEY (rowid>?)'],
])('%s reads no change before its first day, and finds where each day ends by one look-up', async (path, index) => {
  const { gateway } = await openFilled()
  const caller = await gateway.as('projects.read')
  gateway.statements()
  await caller.get(path)
  const [view = ''] = gateway.statements().filter((sql) => sql.includes('from "change" c'))
  const steps = explainer(gateway)(view).filter((step) => step.includes(' c ') && !step.includes('change_by_entity'))
  expect([...new Set(steps)].map((step) => step.replace('COVERING ', ''))).toEqual([
    'SEARCH c USING INDEX change_by_time (recorded_at<?)',
    expect.stringContaining(index),
  ])
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
  const connection = openDatabase(gateway.own.file, { readonly: true })
  onTestFinished(() => {
    connection.close()
  })
  return (sql) =>
    connection
      .prepare(`explain query plan ${sql}`)
      .all()
      .map((row) => String((row as { detail: string }).detail))
}

/** `r1` and the like are not tables, but aliases for the rows of a page. */
function isScan(step: string): boolean {
  return (
    step.startsWith('SCAN') &&
    !/^SCAN r\d+(_page)?$/.test(step) &&
    !step.includes('USING INDEX') &&
    !step.includes('USING COVERING INDEX')
  )
}

/** Small relations of an entry, such as the groups of a person, are sorted per entry. */
function isSort(step: string): boolean {
  return step.includes('TEMP B-TREE') && !step.includes('json_group_array(ORDER BY)')
}
