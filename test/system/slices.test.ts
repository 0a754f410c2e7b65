import { expect, test } from 'vitest'
import type { AppOptions } from '../../src/http/app.js'
import { csvContent, csvText } from '../../src/http/rest/csv.js'
import { requireModestShape } from '../../src/http/wire/jsonShape.js'
import { DetailNames } from '../../src/ingest/files/cells.js'
import { LIMITS } from '../../src/limits.js'
import { personWith } from '../../src/personnel/people.js'
import { DETAILS_MAX } from '../../src/vocabulary.js'
import { openGateway } from '../support/harness.js'
import { PLAIN } from '../support/way.js'

/** More than two slices. */
const PEOPLE = 2 * LIMITS.sliceRows + 10

/** Two services on one store with a long roster: one compiles queries, the other executes everything. */
async function openBoth(options: Partial<AppOptions> = {}) {
  const compiling = openGateway({ responseCacheBytesMax: 0, isCompiled: true, ...options })
  const executing = openGateway({ ...PLAIN, ...options, store: compiling.store })
  await compiling.write(async (write) => {
    const names = Array.from({ length: PEOPLE }, (_, index) => `Person "${(index * 7919) % PEOPLE}",\n${index}`)
    const people = names.map((name, index) => personWith(write, undefined, { name, externalId: `HR-${index}` }))
    await write.insertAll(write.t.person, people)
  })
  const compiled = await compiling.as('personnel.read')
  return { compiled, executed: executing.with(compiled.authorization) }
}

test('a long list is the same, in slices or not, and so is its CSV', async () => {
  const { compiled, executed } = await openBoth()
  const query = '{ personnel { totalCount nodes { id name groups { name } } pageInfo { endCursor } } }'
  const whole = await compiled.graphql(query)
  expect(whole.body.data.personnel.nodes).toHaveLength(PEOPLE)
  expect((await executed.graphql(query)).text).toBe(whole.text)
  // More bytes before the entries than the spare room of a read worker's buffer.
  const counts = Array.from({ length: 40 }, (_, index) => `${'count'.repeat(25)}${index}: totalCount`)
  const long = `{ personnel { ${counts.join(' ')} nodes { id } } }`
  expect((await compiled.graphql(long)).text).toBe((await executed.graphql(long)).text)
  for (const path of ['/v1/personnel', '/v1/personnel?limit=700', '/v1/personnel?search=nobody']) {
    for (const accept of ['application/json', 'text/csv']) {
      const [one, two] = [await compiled.get(path, { accept }), await executed.get(path, { accept })]
      expect([path, one.status, one.text, one.headers.get('link')]).toEqual([
        path,
        200,
        two.text,
        two.headers.get('link'),
      ])
    }
  }
  const { edges } = (await executed.graphql('{ personnel { edges { cursor node { id } } } }')).body.data.personnel
  const [, second] = edges
  const { body } = await executed.graphql(`{ personnel(first: 1, after: "${second.cursor}") { nodes { id } } }`)
  expect(body.data.personnel.nodes).toEqual([edges[2].node])
})

test('a long list is not executed beyond the deadline', async () => {
  const { executed } = await openBoth({ deadlineMs: 1 })
  const { status, body } = await executed.graphql('{ personnel { edges { cursor node { id groups { id } } } } }')
  expect([status, body.errors.length, body.errors[0].extensions.code]).toEqual([503, 1, 'DEADLINE_EXCEEDED'])
  // The deadline counts from the arrival of the request, so it may be over before execution begins.
  expect(body.data ?? { personnel: null }).toEqual({ personnel: null })
})

test('a CSV of few long rows yields to others after each slice of bytes', async () => {
  const text = 'x'.repeat(LIMITS.rowBytesMax)
  let [sinceTurn, most, isOver] = [0, 0, false]
  const entries = Array.from({ length: 40 }, () =>
    Object.defineProperty({ title: text }, 'read', {
      get() {
        sinceTurn += 1
        most = Math.max(most, sinceTurn)
        return ''
      },
    }),
  )
  const onTurn = () => {
    sinceTurn = 0
    if (!isOver) setImmediate(onTurn)
  }
  onTurn()
  const content = await csvContent(['title', 'read'], entries, ',')
  isOver = true
  expect(most).toBeLessThanOrEqual(LIMITS.sliceBytes / LIMITS.rowBytesMax)
  expect(content.bytes.toString()).toBe(csvText(['title', 'read'], entries).replace(/^/, '\ufeff'))
})

test('names of details are gathered only until they are too many for columns', () => {
  const names = new DetailNames()
  for (let row = 0; row < 1_000; row++) {
    names.add({ details: Array.from({ length: DETAILS_MAX }, (_, n) => ({ name: `${row} ${n}`, text: 'x' })) })
  }
  expect(names.all.length).toBeLessThanOrEqual(LIMITS.detailColumnsMax + DETAILS_MAX)
})

test('the shape of a large body is checked in slices, and a flaw in the last one is found', () => {
  const body = (end: string) => Buffer.from(`[${'"A risk", '.repeat(40_000)}${end}]`)
  const slices = Math.floor(body('1').length / LIMITS.sliceBytes)
  expect([...requireModestShape(body('1'))]).toHaveLength(slices)
  expect([...requireModestShape(Buffer.from('{"key": [1]}'))]).toEqual([])
  const deep = '['.repeat(LIMITS.bodyDepthMax)
  expect(() => [...requireModestShape(body(deep))]).toThrow(/nested deeper/)
})
