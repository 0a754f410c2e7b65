import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { NAMES_COMPARED_MAX, nearest } from '../../src/text.js'
import { openGateway } from '../support/harness.js'

/** U+FDFA, which becomes 18 characters. */
const LONG = '\ufdfa'
const ALIASES = 40

/** Calls of `normalize` in this test so far: two for each text beyond ASCII that is folded. */
function normalized(): () => number {
  const spy = vi.spyOn(String.prototype, 'normalize')
  onTestFinished(() => spy.mockRestore())
  return () => spy.mock.calls.length
}

const aliases = (field: string) => Array.from({ length: ALIASES }, (_, index) => `a${index}: ${field}`).join(' ')
const query = (fields: string, type = 'String') => `query ($texts: [${type}!]!) { ${fields} }`
const people = (member: string) => `personnel(first: 1, filter: { ${member}: $texts }) { nodes { id } }`
const some = (text: string, count = 1_000) => Array.from({ length: count }, (_, index) => `${text}${index}`)

describe('filters whose texts are long once they are folded', () => {
  test.each([
    ['department', query(people('department'))],
    ['group', query(people('group'), 'ID')],
    ['category', query('risks(filter: { category: $texts }) { totalCount }')],
    ['owner', query('projects { nodes { risks(filter: { owner: $texts }) { nodes { id } } } }', 'ID')],
    ['category of a summary', query('riskMatrix(filter: { category: $texts }) { unassessed }')],
  ])('are refused before anything is read: %s', async (_, asked) => {
    const gateway = openGateway()
    const caller = await gateway.as('personnel.read', 'projects.read')
    await caller.graphql('{ key { name } }')
    gateway.statements()
    const folds = normalized()
    const { body } = await caller.graphql(asked, { texts: some(`@${LONG.repeat(190)}`) })
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining(`more than ${LIMITS.comparedCharactersMax} characters`),
      extensions: { code: 'TOO_COMPLEX' },
    })
    expect(gateway.statements().filter((sql) => /"(person|groups|risk)"/.test(sql))).toEqual([])
    // It stops at the limit, a twelfth of the list.
    expect(folds()).toBeLessThan(1_000)
  })

  test('are added up', async () => {
    const caller = await openGateway().as('personnel.read')
    const halves = `query ($a: [String!]!, $b: [String!]!) {
      a: personnel(filter: { department: $a }) { totalCount } b: personnel(filter: { department: $b }) { totalCount } }`
    const text = 'x'.repeat(190)
    expect((await caller.graphql(halves, { a: some(text), b: some('y') })).body.errors).toBeUndefined()
    const both = await caller.graphql(halves, { a: some(text), b: some(text) })
    expect(both.body.errors[0].extensions.code).toBe('TOO_COMPLEX')
  })

  test('are folded once for all aliases that share them', async () => {
    const gateway = openGateway()
    const caller = await gateway.as('personnel.manage')
    const texts = some('Ärzte ', 50)
    for (const name of texts) await caller.post('/v1/groups', { name })
    for (const [member, type] of [
      ['department', 'String'],
      ['group', 'ID'],
    ] as const) {
      const folds = normalized()
      const { body } = await caller.graphql(query(aliases(people(member)), type), { texts })
      expect(body.errors).toBeUndefined()
      expect(folds()).toBe(2 * texts.length)
      vi.restoreAllMocks()
    }
  })
})

describe('a suggestion', () => {
  test('compares a hundred names at most, and sixty characters of each', () => {
    let taken = 0
    function* names() {
      for (; taken < 1_000; taken++) yield `a${'b'.repeat(taken % 7)}`
    }
    expect(nearest('zzzzzzz', names())).toBeUndefined()
    expect(taken).toBeLessThan(NAMES_COMPARED_MAX)
    const long = 'Crisis team of the harbour '.repeat(7)
    expect(nearest(`X${long.slice(1)}`, ['Riggers', long])).toBe(long)
    expect(nearest(`${long.slice(0, 100)}${'x'.repeat(80)}`, [long.slice(0, 100)])).toBeUndefined()
  })

  test('is found among thousands of long names, by comparing those next to the unknown one', async () => {
    const gateway = openGateway()
    const caller = await gateway.as('personnel.read')
    const tail = 'ö'.repeat(180)
    const numbers = 'with recursive n(i) as (select 1000 union all select i + 1 from n where i < 2999)'
    gateway.own.run(`insert into groups (id, name, name_folded, created_at, updated_at) ${numbers}
      select 'grp_' || i, 'Äc ' || i || '${tail}', 'äc ' || i || '${tail}', '${AT}', '${AT}' from n`)
    const unknown = `äc 201k${tail}`
    const folds = normalized()
    const { body } = await caller.graphql(query(aliases(people('group')), 'ID'), { texts: [unknown] })
    expect(body.errors[0].message).toMatch(/^group: There is no group 'äc 201kö+'\. Did you mean Äc 201\dö/)
    expect(body.errors).toHaveLength(ALIASES)
    expect(folds()).toBeLessThan(4 * NAMES_COMPARED_MAX + 50)
  })
})

const AT = '2026-01-01T00:00:00.000Z'
