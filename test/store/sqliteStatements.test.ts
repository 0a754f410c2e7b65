import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { StatementCache } from '../../src/store/sqlite/statements.js'

function openKept() {
  const connection = openDatabase(':memory:')
  connection.exec('create table note (text)')
  const made: string[] = []
  const counting = {
    prepare(sql: string) {
      made.push(sql)
      return connection.prepare(sql)
    },
  }
  return { statements: new StatementCache(counting), made }
}

test('a statement is prepared once, and returns rows in the form its user sets, whatever was set before', () => {
  const { statements, made } = openKept()
  statements.prepare('insert into note values (?)').run('one')
  statements.prepare('insert into note values (?)').run('two')
  expect(statements.prepare('select text from note').raw().all()).toEqual([['one'], ['two']])
  expect(statements.prepare('select text from note').all()).toEqual([{ text: 'one' }, { text: 'two' }])
  expect(made).toEqual(['insert into note values (?)', 'select text from note'])
})

test('of very many, those that were used least lately are forgotten', () => {
  const { statements, made } = openKept()
  for (let i = 0; i < 500; i++) {
    statements.prepare('select 0')
    statements.prepare(`select 1, ${i}`)
  }
  made.length = 0
  statements.prepare('select 0')
  statements.prepare('select 1, 499')
  statements.prepare('select 1, 0')
  expect(made).toEqual(['select 1, 0'])
})

test('a very long one is not kept, since callers could make very many of them', () => {
  const { statements, made } = openKept()
  const long = `select '${'x'.repeat(10_000)}'`
  for (let i = 0; i < 2; i++) statements.prepare(long)
  expect(made.length).toBe(2)
})

test('a statement that changes with the tables goes on being right', () => {
  const { statements } = openKept()
  statements.prepare('insert into note values (?)').run('one')
  expect(statements.prepare('select * from note').all()).toEqual([{ text: 'one' }])
  statements.prepare('alter table note add column more').run()
  expect(statements.prepare('select * from note').all()).toEqual([{ text: 'one', more: null }])
})
