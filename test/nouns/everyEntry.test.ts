import { expect, test } from 'vitest'
import { SHEETS } from '../../src/nouns.js'
import { HELD_NOUNS, NOUNS } from '../../src/vocabulary.js'
import { erase, imported, openWithQuilla, QUILLA } from './erasing.js'

test.each(HELD_NOUNS)(
  'the history of each %s has all that a record gives, and neither it nor the row has an erased holder',
  async (noun) => {
    const { holder, plural } = NOUNS[noun]
    const { facts } = SHEETS[plural]
    const examples = Object.entries(facts).flatMap(([name, { example }]) => (example === '' ? [] : [[name, example]]))
    const record = { ...Object.fromEntries(examples), details: [{ name: 'Cost', text: 'High' }] }
    const stage = await openWithQuilla()
    const result = await imported(
      stage,
      plural,
      [{ ...record, [holder]: QUILLA.name, [`${holder}Name`]: QUILLA.name }],
      'APOLLO',
    )
    expect(result).toMatchObject({ violations: [], counts: { created: 1 } })

    const entity = (await stage.caller.get(`/v1/${plural}`)).body.data[0]
    expect(entity).toMatchObject({ [`${holder}Id`]: stage.id, [`${holder}Name`]: QUILLA.name })
    const history = async () => (await stage.caller.get(`/v1/${plural}/${entity.id}/history`)).body.data
    const recorded = (await history())[0].fields.map(({ field }: { field: string }) => field)
    const { details: _, ...given } = record
    expect(recorded).toEqual(
      expect.arrayContaining([...Object.keys(given), 'details.Cost', `${holder}Id`, `${holder}Name`]),
    )

    await erase(stage)
    const after = (await stage.caller.get(`/v1/${plural}/${entity.id}`)).body
    expect(after).toMatchObject({ reference: entity.reference, [`${holder}Name`]: null })
    expect(JSON.stringify([after, await history()])).not.toContain('Zyxwvut')
  },
)
