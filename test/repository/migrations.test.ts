import { expect, test } from 'vitest'
import { migrationsOf } from '../../src/store/migrationJournal.js'

/** The last migration of the first release: servers of it and of later ones may run beside newer ones. */
const RELEASED = { sqlite: '0012_least_version', postgres: '0009_least_version' } as const

/** What an older server does not notice: a column is nullable or has a default. */
const ADDS = /^(create table|create (unique )?index|alter table \S+ add (column )?(?!.*\bnot null\b(?!.*\bdefault\b)))/i
const CLOSES = /^update revision set least_version = '\d+\.\d+\.\d+'/i

function isKind(statement: string): 'adds' | 'closes' | 'changes' {
  const text = statement
    .replaceAll(/^--.*$/gm, '')
    .trim()
    .replaceAll(/[`"]/g, '')
    .replaceAll(/\s+/g, ' ')
  if (CLOSES.test(text)) return 'closes'
  // `not null default 0` and `default 0 not null` are the same.
  const hasDefault = /\bdefault\b/i.test(text)
  return ADDS.test(hasDefault ? text.replace(/\bnot null\b/i, '') : text) ? 'adds' : 'changes'
}

test.each(['sqlite', 'postgres'] as const)(
  'each migration of %s since the first release only adds, or closes the store to older servers',
  (engine) => {
    const since = migrationsOf(engine).filter(({ tag }) => tag > RELEASED[engine])
    const unsafe = since.filter(({ statements }) => {
      const kinds = [...statements].map(isKind)
      return kinds.includes('changes') && !kinds.includes('closes')
    })
    expect(unsafe.map(({ tag }) => tag)).toEqual([])
  },
)

test.each([
  ['ALTER TABLE `person` ADD `nickname` text;', 'adds'],
  ["ALTER TABLE `person` ADD `kind` text DEFAULT 'x' NOT NULL;", 'adds'],
  ['ALTER TABLE "person" ADD COLUMN "kind" text NOT NULL;', 'changes'],
  ['CREATE INDEX `by_kind` ON `person` (`kind`);', 'adds'],
  ['DROP INDEX "by_kind";', 'changes'],
  ["UPDATE revision SET least_version = '0.3.0';", 'closes'],
])('%s: %s', (statement, kind) => expect(isKind(statement)).toBe(kind))
