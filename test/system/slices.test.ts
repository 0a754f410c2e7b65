import { expect, test, vi } from 'vitest'
import { DETAIL_COLUMNS_MAX, DetailNames } from '../../src/csv.js'
import type { AppOptions } from '../../src/http/app.js'
import { requireModestShape } from '../../src/http/body.js'
import { csvContent, csvText, JsonLines, SLICE_ROWS } from '../../src/http/rest/csv.js'
import { SLICE_BYTES } from '../../src/http/wire/slices.js'
import { LIMITS } from '../../src/limits.js'
import { personWith } from '../../src/personnel/people.js'
import { DETAILS_MAX } from '../../src/vocabulary.js'
import { openGateway } from '../support/harness.js'

/** More than two slices. */
const PEOPLE = 2 * SLICE_ROWS + 10

/** A caller of a service with a long roster. */
async function openLong(options: Partial<AppOptions> = {}) {
  const gateway = openGateway({ responseCacheBytesMax: 0, ...options })
  await gateway.write(async (write) => {
    const people = Array.from({ length: PEOPLE }, (_, index) =>
      personWith(write, undefined, { name: nameOf((index * 7919) % PEOPLE), externalId: `HR-${index}` }),
    )
    await write.insertAll(write.t.person, people)
  })
  return gateway.as('personnel.read')
}

/** In their order, with what JSON and CSV escape. */
const nameOf = (index: number) => `Person ${String(index).padStart(6, '0')} "é",\nä`
const NAMES = Array.from({ length: PEOPLE }, (_, index) => nameOf(index))

test('a long list in slices is complete and in order, and so is its CSV', async () => {
  const caller = await openLong()
  const query = '{ personnel { totalCount nodes { name groups { name } } pageInfo { hasNextPage endCursor } } }'
  const nodes = NAMES.map((name) => ({ name, groups: [] }))
  expect((await caller.graphql(query)).body.data.personnel).toEqual({
    totalCount: PEOPLE,
    nodes,
    pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
  })
  // More bytes before the entries than the spare room of a read worker's buffer.
  const counts = Array.from({ length: 40 }, (_, index) => `${'count'.repeat(25)}${index}`)
  const long = `{ personnel { ${counts.map((name) => `${name}: totalCount`).join(' ')} nodes { name } } }`
  expect((await caller.graphql(long)).body.data.personnel).toEqual({
    ...Object.fromEntries(counts.map((name) => [name, PEOPLE])),
    nodes: NAMES.map((name) => ({ name })),
  })
  for (const [path, names] of [
    ['/v1/personnel', NAMES],
    ['/v1/personnel?limit=700', NAMES.slice(0, 700)],
    ['/v1/personnel?search=nobody', []],
  ] as const) {
    const { body, headers } = await caller.get(path)
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(names)
    expect(headers.has('link')).toBe(path.includes('limit'))
    const csv = await caller.get(path, { accept: 'text/csv' })
    expect(csv.text.match(/"Person \d{6} ""é"",\nä"/g) ?? []).toEqual(
      names.map((name) => `"${name.replaceAll('"', '""')}"`),
    )
  }
  const { edges } = (await caller.graphql('{ personnel { edges { cursor node { id } } } }')).body.data.personnel
  const { body } = await caller.graphql(`{ personnel(first: 1, after: "${edges[1].cursor}") { nodes { id } } }`)
  expect(body.data.personnel.nodes).toEqual([edges[2].node])
})

test('a long list is not read beyond the deadline', async () => {
  const caller = await openLong({ deadlineMs: 1 })
  const { status, body } = await caller.graphql('{ personnel { edges { cursor node { id groups { id } } } } }')
  expect([status, body.errors.length, body.errors[0].extensions.code]).toEqual([503, 1, 'DEADLINE_EXCEEDED'])
  expect(body.data).toBeUndefined()
})

test('a CSV of few long rows yields to others after each slice of bytes', async () => {
  const entries = Array.from({ length: 40 }, () => ({ title: 'x'.repeat(LIMITS.rowBytesMax) }))
  const lines = new JsonLines(Buffer.from(entries.map((entry) => JSON.stringify(entry)).join('\n')))
  const parsing = vi.spyOn(JSON, 'parse')
  let [most, isOver] = [0, false]
  const onTurn = () => {
    most = Math.max(most, parsing.mock.calls.length)
    parsing.mockClear()
    if (!isOver) setImmediate(onTurn)
  }
  onTurn()
  const content = await csvContent(['title'], lines, ',')
  isOver = true
  parsing.mockRestore()
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(Math.ceil(SLICE_BYTES / LIMITS.rowBytesMax))
  expect(content.bytes.toString()).toBe(csvText(['title'], entries).replace(/^/, '\ufeff'))
})

test('names of details are gathered only until they are too many for columns', () => {
  const names = new DetailNames()
  for (let row = 0; row < 1_000; row++) {
    names.add({ details: Array.from({ length: DETAILS_MAX }, (_, n) => ({ name: `${row} ${n}`, text: 'x' })) })
  }
  expect(names.all.length).toBeLessThanOrEqual(DETAIL_COLUMNS_MAX + DETAILS_MAX)
})

test('the shape of a large body is checked in slices, and a violation in the last one is found', () => {
  const body = (end: string) => Buffer.from(`[${'"A risk", '.repeat(40_000)}${end}]`)
  const slices = Math.floor(body('1').length / SLICE_BYTES)
  expect([...requireModestShape(body('1'))]).toHaveLength(slices)
  expect([...requireModestShape(Buffer.from('{"key": [1]}'))]).toEqual([])
  const deep = '['.repeat(LIMITS.bodyDepthMax)
  expect(() => [...requireModestShape(body(deep))]).toThrow(/nested deeper/)
})
