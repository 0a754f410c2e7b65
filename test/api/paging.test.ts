import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import type { Write } from '../../src/store/store.js'
import { addGroup, addIssue, addProject, addRisk, issue, project, risk } from '../support/fixtures.js'
import {
  type AtEnd,
  type Caller,
  openFilled,
  openGateway,
  sharedByTests,
  type TestResponse,
} from '../support/harness.js'

/** Adds a row to a list: near its beginning, in the middle and near its end by turns. */
type Add = (write: Write, n: number, projectId: string) => Promise<unknown>

const ASSESSED = [5, 3, null].map((each) => ({ likelihood: each, impact: each }))
const SEVERITIES = ['CRITICAL', 'MEDIUM', 'LOW'] as const
const LISTS: { list: string; add: Add }[] = [
  {
    list: 'personnel',
    add: (w, n) => addPerson(w, { name: `${['0', 'c', 'zzz'][n % 3]} ${n}`, externalId: `x-${n}` }),
  },
  { list: 'groups', add: (w, n) => addGroup(w, { name: `${['0', 'c', 'zzz'][n % 3]} ${n}`, description: null }) },
  { list: 'projects', add: (w, n) => addProject(w, project({ key: `${['A', 'K', 'ZZ'][n % 3]}-${n}` })) },
  { list: 'risks', add: (w, n, projectId) => addRisk(w, risk(projectId, { reference: `x-${n}`, ...ASSESSED[n % 3] })) },
  {
    list: 'issues',
    add: (w, n, projectId) =>
      addIssue(w, issue(projectId, { reference: `x-${n}`, severity: SEVERITIES[n % 3] ?? 'LOW' })),
  },
]
const NAMES = LISTS.map(({ list }) => list)

interface Page {
  readonly ids: string[]
  readonly next: string | null
}
type Turn = (caller: Caller, list: string, size: number, next: string | null) => Promise<Page>

const idsOf = (nodes: { id: string }[]) => nodes.map(({ id }) => id)

const APIS: { api: string; turn: Turn }[] = [
  {
    api: 'GraphQL',
    turn: async (caller, list, first, after) => {
      const query = `query ($first: Int, $after: String) { ${list}(first: $first, after: $after) {
        nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      } }`
      const { nodes, edges, pageInfo } = (await caller.graphql(query, { first, after })).body.data[list]
      expect(edges.map(({ node }: { node: object }) => node)).toEqual(nodes)
      const ends = { startCursor: edges.at(0)?.cursor ?? null, endCursor: edges.at(-1)?.cursor ?? null }
      expect(pageInfo).toMatchObject({ hasPreviousPage: after !== null, ...ends })
      return { ids: idsOf(nodes), next: pageInfo.hasNextPage ? pageInfo.endCursor : null }
    },
  },
  {
    api: 'REST',
    turn: async (caller, list, size, next) => {
      const query = new URLSearchParams({ limit: String(size), ...(next !== null && { cursor: next }) })
      const { headers, body } = await caller.get(`/v1/${list}?${query}`)
      const following = body.page.next && new URLSearchParams({ limit: String(size), cursor: body.page.next })
      expect(headers.get('link')).toBe(following && `</v1/${list}?${following}>; rel="next"`)
      return { ids: idsOf(body.data), next: body.page.next }
    },
  },
]

const CASES = APIS.flatMap((api) => LISTS.map((list) => ({ ...api, ...list })))

async function openCompany(atEnd?: AtEnd) {
  const { gateway, company } = await openFilled({}, atEnd)
  return { gateway, company, caller: await gateway.as('personnel.read', 'projects.read') }
}
const sharedCompany = sharedByTests(openCompany)

async function whole(caller: Caller, list: string, query = ''): Promise<string[]> {
  return idsOf((await caller.get(`/v1/${list}${query}`)).body.data)
}

const PAGES_MAX = 100

/** Collects the ids of all pages; `between` runs after each page. */
async function walk(turn: (next: string | null) => Promise<Page>, between = async (_pages: number) => {}) {
  const ids: string[] = []
  let pages = 0
  let next: string | null = null
  do {
    const page: Page = await turn(next)
    ids.push(...page.ids)
    next = page.next
    pages += 1
    // A list that never ends must fail the test, not hang it.
    expect(pages).toBeLessThan(1_000)
    if (pages > PAGES_MAX) throw new Error(`The list has not ended after ${pages} pages.`)
    await between(pages)
  } while (next !== null)
  return { ids, pages }
}

describe('walking a list page by page', () => {
  test.each(CASES)('visits each of $list exactly once and in order, through $api', async ({ list, turn }) => {
    const { caller } = await sharedCompany()
    const ids = await whole(caller, list)
    const total = ids.length
    expect(total).toBeGreaterThan(2)
    for (const size of [1, 2, 3, 7, total - 1, total, total + 1, LIMITS.pageRowsMax]) {
      const walked = await walk((next) => turn(caller, list, size, next))
      expect({ size, ...walked }).toEqual({ size, ids, pages: Math.ceil(total / size) })
    }
  })

  test.each(CASES)('sees each of $list once despite rows added in between, through $api', async (one) => {
    const { gateway, company, caller } = await openCompany()
    const present = await whole(caller, one.list)
    // Only after the first pages: adding rows behind every page would never end.
    const addThree = async (pages: number) => {
      if (pages > 3) return
      await gateway.write(async (write) => {
        for (const n of [0, 1, 2]) await one.add(write, pages * 3 + n, company.projectIds[0] ?? '')
      })
    }
    const { ids } = await walk((next) => one.turn(caller, one.list, 1, next), addThree)
    expect(ids.filter((id) => present.includes(id))).toEqual(present)
    const now = await whole(caller, one.list)
    expect(now).toHaveLength(present.length + 9)
    expect(ids).toEqual(now.filter((id) => ids.includes(id)))
    expect(ids.length).toBeGreaterThan(present.length)
  })

  test.each(APIS)('distinguishes rows with the same name, score or severity, through $api', async ({ turn }) => {
    const gateway = openGateway()
    await gateway.write(async (write) => {
      const projectId = await addProject(write, project())
      for (let i = 0; i < 11; i++) {
        await addPerson(write, { name: i % 2 ? 'Ada' : 'ADA', externalId: `${i}` })
        await addRisk(write, risk(projectId, { reference: `R-${i}` }))
        await addIssue(write, issue(projectId, { reference: `I-${i}` }))
      }
    })
    const caller = await gateway.as('personnel.read', 'projects.read')
    for (const list of ['personnel', 'risks', 'issues']) {
      const { ids } = await walk((next) => turn(caller, list, 2, next))
      expect(new Set(ids).size).toBe(11)
      expect(ids).toEqual([...new Set(ids)].sort())
    }
  })

  test('keeps its filter when the Link of each page is followed', async () => {
    const { caller } = await sharedCompany()
    const filter = '?project=APOLLO&status=open,closed'
    const expected = await whole(caller, 'risks', filter)
    const { ids, pages } = await walk(async (link) => {
      const { headers, body } = await caller.get(link ?? `/v1/risks${filter}&limit=3`)
      return { ids: idsOf(body.data), next: /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null }
    })
    expect({ ids, pages }).toEqual({ ids: expected, pages: Math.ceil(expected.length / 3) })
    expect(pages).toBeGreaterThan(2)
  })
})

const NESTED = [
  { parent: 'group', list: 'members' },
  { parent: 'project', list: 'risks' },
  { parent: 'project', list: 'issues' },
] as const
const ROWS = 61

/** A group and a project with `ROWS` of each, beside others that have as many. */
const crowded = sharedByTests(async (atEnd) => {
  const gateway = openGateway({}, atEnd)
  const ids = await gateway.write(async (write) => {
    const group = await addGroup(write, { name: 'Crowd', description: null })
    const projects = [await addProject(write, project()), await addProject(write, project({ key: 'OTHER' }))]
    await addPerson(write, { name: 'Outsider', externalId: 'none' })
    for (let i = 0; i < ROWS; i++) {
      await addPerson(write, { name: `Person ${i % 9}`, externalId: `HR-${i}`, groupIds: [group] })
      for (const each of projects) {
        await addRisk(write, risk(each, { reference: `R-${i}`, likelihood: 1 + (i % 5) }))
        await addIssue(write, issue(each, { reference: `I-${i}` }))
      }
    }
    return { group, project: projects[0] }
  })
  return { ids, caller: await gateway.as('personnel.read', 'projects.read') }
})

test.each(NESTED)('$list of $parent is a page of 50 by default, and pages to its end', async (one) => {
  const { ids, caller } = await crowded()
  const page = async (args: string) => {
    const selection = `${one.list}${args} { nodes { id } totalCount pageInfo { hasNextPage endCursor } }`
    const { body } = await caller.graphql(`{ ${one.parent}(id: "${ids[one.parent]}") { ${selection} } }`)
    const { nodes, totalCount, pageInfo } = body.data[one.parent][one.list]
    expect(totalCount).toBe(ROWS)
    return { ids: idsOf(nodes), next: pageInfo.hasNextPage ? pageInfo.endCursor : null }
  }
  const first = await page('')
  const second = await page(`(after: "${first.next}")`)
  expect([first.ids.length, second.ids.length, second.next]).toEqual([50, ROWS - 50, null])
  const all = [...first.ids, ...second.ids]
  expect(new Set(all).size).toBe(ROWS)
  for (const size of [7, ROWS, 100]) {
    const walked = await walk((next) => page(`(first: ${size}${next ? `, after: "${next}"` : ''})`))
    expect({ size, ...walked }).toEqual({ size, ids: all, pages: Math.ceil(ROWS / size) })
  }
})

test.each([0, -1, 1001])('a page of %i rows is refused by every list, in both APIs', async (size) => {
  const { caller, company } = await sharedCompany()
  const extensions = { code: 'BAD_REQUEST', errors: [{ parameter: 'first', detail: 'Must be from 1 to 1000.' }] }
  for (const list of NAMES) {
    const { body } = await caller.graphql(`{ ${list}(first: ${size}) { nodes { id } } }`)
    expect(body).toMatchObject({ data: { [list]: null }, errors: [{ path: [list], extensions }] })
    const rest = await caller.get(`/v1/${list}?limit=${size}`)
    expect(rest).toMatchProblem(400, 'BAD_REQUEST')
    expect(rest.body.errors).toEqual([{ parameter: 'limit', detail: 'Must be from 1 to 1000.' }])
  }
  for (const { parent, list } of NESTED) {
    const id = parent === 'group' ? company.groupIds[0] : company.projectIds[0]
    const { body } = await caller.graphql(
      `{ ${parent}(id: "${id}") { id ${list}(first: ${size}) { nodes { id } } } other: ${parent}(id: "${id}") { id } }`,
    )
    expect(body.data).toEqual({ [parent]: null, other: { id } })
    expect(body.errors).toMatchObject([{ path: [parent], extensions }])
  }
})

describe('a cursor that was not given out for the list', () => {
  async function expectRefusal(caller: Caller, list: string, cursor: string) {
    const query = `query ($after: String) { ${list}(first: 2, after: $after) { nodes { id } } }`
    const { data, errors } = (await caller.graphql(query, { after: cursor })).body
    const code = errors?.[0].extensions.code
    expect({ cursor, data, code }).toEqual({ cursor, data: { [list]: null }, code: 'BAD_REQUEST' })
    const rest = await caller.get(`/v1/${list}?${new URLSearchParams({ cursor })}`)
    expect(rest).toMatchProblem(400, 'BAD_REQUEST')
    expect(rest.body.errors).toMatchObject([{ parameter: 'cursor' }])
  }

  async function cursorOf(caller: Caller, list: string): Promise<string> {
    return (await caller.get(`/v1/${list}?limit=1`)).body.page.next
  }

  test.each(NAMES)('is refused by %s when it is one of another list', async (list) => {
    const { caller } = await sharedCompany()
    for (const other of NAMES.filter((each) => each !== list)) {
      await expectRefusal(caller, list, await cursorOf(caller, other))
    }
  })

  test.each(NAMES)('is refused by %s when it is damaged', async (list) => {
    const { caller } = await sharedCompany()
    const cursor = await cursorOf(caller, list)
    const changed = (at: number) => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
    for (let at = 0; at < cursor.length; at += 5) await expectRefusal(caller, list, changed(at))
    for (const each of [cursor.slice(1), cursor.slice(0, -1), cursor.slice(0, 20)])
      await expectRefusal(caller, list, each)
  })

  test.each(NAMES)('is refused by %s when something has been put behind it', async (list) => {
    const { caller } = await sharedCompany()
    const cursor = await cursorOf(caller, list)
    for (const stray of ['A', '!', '=', '\n']) await expectRefusal(caller, list, cursor + stray)
  })

  test.each(NAMES)('is refused by %s when it is made up, even with a checksum that fits', async (list) => {
    const { caller } = await sharedCompany()
    const forged = (content: unknown) => {
      const text = JSON.stringify(content)
      return Buffer.from(`${crc32(text).toString(16).padStart(8, '0')}${text}`).toString('base64url')
    }
    const contents = [
      null,
      7,
      {},
      [],
      'x',
      [list],
      [list, 1],
      [list, null, null],
      [list, {}, [], ''],
      [list, 1, 2, 3, 4],
    ]
    for (const each of ['', 'x', '0', 'null', ...contents.map(forged)]) await expectRefusal(caller, list, each)
  })
})

test.each(NAMES)('the total of %s is counted only if selected', async (list) => {
  const { gateway, caller } = await openCompany()
  const total = (await whole(caller, list)).length
  const counting = async (sent: Promise<TestResponse>) => {
    const { body } = await sent
    // A page also counts its own rows, without reading others.
    return { body, counts: gateway.statements().flatMap((sql) => sql.match(/select count\(\*\) from/gi) ?? []).length }
  }
  gateway.statements()
  const silent = await counting(caller.graphql(`{ ${list}(first: 2) { nodes { id } pageInfo { endCursor } } }`))
  expect(silent.counts).toBe(0)
  const sent = await counting(caller.graphql(`{ ${list}(first: 2) { nodes { id } totalCount } }`))
  expect([sent.counts, sent.body.data[list].totalCount]).toEqual([1, total])
  // A body may contain counts, such as memberCount: the total is one more.
  const plain = await counting(caller.get(`/v1/${list}?limit=2`))
  const counted = await counting(caller.get(`/v1/${list}?limit=2&total=true`))
  expect([plain.body.page.total, counted.body.page.total]).toEqual([null, total])
  expect(counted.counts - plain.counts).toBe(1)
})
