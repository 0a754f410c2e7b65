import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { verifyCopy } from '../../../src/store/sqlite/backup.js'
import { damageIndex, newCopy, within } from './copies.js'

describe('the check of a copy', () => {
  const DAMAGES: readonly (readonly [string, string, RegExp])[] = [
    ['lacks a row', 'delete from membership limit 1', /membership has 499 rows instead of 500/],
    ['has a row too many', 'insert into risk_tally (score, live) values (1, 1)', /risk_tally has 1 rows instead of 0/],
    ['lacks a table', 'drop table membership', /membership has no rows instead of 500/],
    ['has an orphan', "update membership set person_id = 'nobody' where person_id = 'usr_1'", /membership points at/],
    ['has other migrations', "update schema_migration set tag = tag || 'x'", /its migrations are others/],
    ['is of another revision', 'update revision set value = value + 1', /it is of another revision/],
  ]

  test.each(DAMAGES)('refuses one that %s', async (_, statement, sentence) => {
    const { copy, expected } = await newCopy()
    within(copy, (db) => {
      db.pragma('foreign_keys = off')
      db.exec(statement)
    })
    expect(() => verifyCopy(copy, expected)).toThrow(sentence)
  })

  test('accepts a sound one, and refuses it when its bytes have changed', async () => {
    const { copy, expected } = await newCopy()
    expect(() => verifyCopy(copy, expected)).not.toThrow()
    damageIndex(copy)
    expect(() => verifyCopy(copy, expected)).toThrow(/integrity check says/)
    for (const bytes of [readFileSync(copy).subarray(0, 20_000), 'x'.repeat(5_000), '']) {
      writeFileSync(copy, bytes)
      expect(() => verifyCopy(copy, expected)).toThrow(/The copy was thrown away, because it cannot be read/)
    }
  })
})
