import { expect, test } from 'vitest'
import { erasePerson } from '../../src/personnel/erasure.js'
import { addPerson } from '../../src/personnel/people.js'
import { inShortWrites } from '../../src/store/shortWrites.js'
import { openGateway } from '../support/harness.js'
import { counts, synced } from '../support/syncing.js'

const RISKS = 601
const BATCH_ROWS = 500
const NAME = 'Quilla Zyxwvut'

test('a long history is blanked in batches, and as if it were in one', async () => {
  const gateway = openGateway()
  const caller = await gateway.as('projects.manage', 'personnel.manage')
  const { id, ada } = await gateway.write(async (write) => ({
    id: (await addPerson(write, { name: NAME, email: 'q@zyx.example' })).id,
    ada: (await addPerson(write, { name: 'Ada', email: 'ada@example.com' })).id,
  }))
  for (const owner of ['Ada', NAME]) {
    const risks = Array.from({ length: RISKS }, (_, index) => ({ reference: `R-${index}`, title: 'Crack', owner }))
    await synced(caller, { key: 'BELL', name: 'Bell', risks })
  }
  gateway.statementsWithValues()
  const erased = await erasePerson(inShortWrites(gateway.store, { by: 'cli', at: () => gateway.clock.now }), id)
  const statements = gateway
    .statementsWithValues()
    .filter(({ sql }) => /^select .+ from "(change|risk|issue)"/.test(sql))
  // The person's own change and one of each risk; with the one that the erasure adds they are three, so that a batch
  // ends amid a risk.
  expect(erased).toMatchObject({ entries: RISKS, history: 1 + RISKS })
  const unbounded = statements.filter(
    ({ sql }) => !/ limit | group by | in \(select value from json_each|= any\(/.test(sql),
  )
  expect(unbounded).toEqual([])
  const limits = statements.flatMap(({ sql, values }) => {
    const [, given = ''] = / limit (\S+)/.exec(sql) ?? []
    return given === '' ? [] : [Number(given.startsWith('$') ? values[Number(given.slice(1)) - 1] : given)]
  })
  expect(Math.max(...limits)).toBe(BATCH_ROWS)
  expect(limits.length).toBeGreaterThan((3 * RISKS) / BATCH_ROWS)

  const { db, t } = gateway.store.read
  const names = new Map<string, unknown[]>()
  for (const { entity, entityId, fields } of await db.select().from(t.change).orderBy(t.change.id)) {
    const { ownerId, ownerName } = JSON.parse(fields)
    if (entity === 'RISK') names.set(entityId, [...(names.get(entityId) ?? []), [ownerId, ownerName]])
  }
  expect([...names.values()]).toEqual(
    Array(RISKS).fill([
      [
        [null, ada],
        [null, 'Ada'],
      ],
      [
        [ada, id],
        ['Ada', '(erased)'],
      ],
      [undefined, ['(erased)', null]],
    ]),
  )
  expect(await synced(caller, { key: 'BELL' })).toMatchObject({ risks: counts(0) })
})
