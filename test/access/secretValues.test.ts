import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { DrizzleQueryError } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { createLog } from '../../src/http/observe/log.js'
import { engine } from '../support/engine.js'
import { openGateway } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'

const NEEDLE = /needle/i
const NEW = { name: 'Needle Name', email: 'needle@example.com', title: 'needle title', externalId: 'needle-1' }

const raising = (body: string) =>
  `create function refuse() returns trigger language plpgsql as $$ begin ${body} return new; end $$;
   create trigger refusing before insert on person for each row execute function refuse()`

/** Breaks that make statements fail; PostgreSQL's messages then quote the sent values. */
const BREAKS: [what: string, sql: string][] = [
  ['a column is gone', 'alter table person rename column department to gone'],
  ...(engine === 'sqlite'
    ? [['a trigger refuses', "create trigger refusing before insert on person begin select raise(abort, 'no'); end"]]
    : [
        ['a check fails, whose detail has the row', 'alter table person add check (title is null) not valid'],
        ['a value is of the wrong type', raising('perform new.name::integer;')],
        ['a trigger quotes the row', raising("raise exception 'not %', new.name using detail = new.email;")],
      ]
  ).map(([what = '', sql = '']): [string, string] => [what, sql]),
]

test.each(BREAKS)('where %s, neither the log nor a response nor a command shows the sent values', async (_, sql) => {
  const gateway = openGateway()
  const caller = await gateway.as('personnel.manage')
  // A database without a table is not reused for another test.
  gateway.own.run(`${sql}; drop table issue`)
  const added = await caller.post('/v1/personnel', NEW)
  expect(added).toMatchProblem(500, 'INTERNAL')
  const searched = await caller.get('/v1/personnel?search=needle-search')
  const sent = await caller.graphql('{ personnel(filter: { search: "needle" }) { nodes { department } } }')
  for (const { text } of [added, searched, sent]) expect(text).not.toMatch(NEEDLE)
  const errors = gateway.log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50)
  expect(errors.length).toBeGreaterThan(0)
  for (const { err } of errors) expect(err.stack).toMatch(/\n {4}at /)
  expect(gateway.log.join('')).not.toMatch(NEEDLE)

  const folder = newFolder()
  writeFileSync(join(folder, 'people.csv'), `${Object.keys(NEW).join()}\n${Object.values(NEW).join()}\n`)
  const { code, stdout, stderr } = await runHere(folder, [
    'import',
    'people',
    '--database',
    gateway.own.url,
    'people.csv',
  ])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/Unexpected error: .*\n {4}at /)
  expect(stderr).not.toMatch(NEEDLE)
})

/** The log of an error, as JSON and on a terminal. */
function logged(error: Error, isTTY: boolean): string {
  const stream = new PassThrough()
  // The logger writes to it, and only checks `isTTY`.
  const log = createLog('info', Object.assign(stream as unknown as NodeJS.WriteStream, { isTTY }))
  log.error({ err: error }, 'failed')
  log.flush()
  return String(stream.read())
}

test.each([true, false])(
  'wherever in an error a value is, the log of the server has none of it (terminal: %s)',
  (isTTY) => {
    const refused = () =>
      Object.assign(new Error('invalid input: "needle\n    at needle"'), {
        code: '22P02',
        severity: 'ERROR',
        ...{ detail: 'needle', hint: 'needle', where: 'needle', internalQuery: 'needle', table: 'person' },
      })
    const query = () => new DrizzleQueryError('insert into "person" values ($1)', ['needle'], refused())
    const errors = [
      refused(),
      query(),
      new Error('above', { cause: new Error('between', { cause: query() }) }),
      new AggregateError([query()], 'several'),
    ]
    for (const error of errors) {
      const text = logged(error, isTTY)
      expect(text).not.toMatch(NEEDLE)
      expect(text).toContain('secretValues.test')
    }
    expect(logged(query(), false)).toMatch(/insert into .*SQLSTATE 22P02/)
    expect(logged(Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' }), isTTY)).toContain('no route')
  },
)
