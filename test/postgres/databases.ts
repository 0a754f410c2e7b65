import { COUNTER_COLUMNS } from '../../src/store/changeCounters.js'
import { TEMPLATE } from './setup.js'
import { hangUp, rowsOf, valuesOf } from './sync.js'

function server(): string {
  return process.env['TEST_DATABASE_URL'] ?? ''
}

function urlOf(database: string): string {
  return Object.assign(new URL(server()), { pathname: `/${database}` }).href
}

/** Migrated databases with nothing in them, ready to be used again. */
const stock: string[] = []
let made = 0

/** A migrated database with nothing in it. */
export function takeDatabase(): string {
  return stock.pop() ?? newDatabase(TEMPLATE)
}

/** A database that not even a migration has seen. */
export function newDatabase(template = 'template1'): string {
  made += 1
  const name = `operations_test_${process.pid}_${made}`
  rowsOf(server(), `create database ${name} template ${template}`)
  return urlOf(name)
}

/** The statements that copy a database, by its address: its rows do not change. */
const copies = new Map<string, string>()

/** A database with the rows of another one, whose rows do not change. */
export function copyDatabase(from: string): string {
  const statements = copies.get(from) ?? [...TABLES, 'revision'].map((table) => copyOfTable(from, table)).join('')
  copies.set(from, statements)
  const url = takeDatabase()
  rowsOf(url, `${statements} select setval('change_id_seq', max(id)) from change`)
  return url
}

function copyOfTable(from: string, table: string): string {
  const rows = String(valuesOf(from, `select coalesce(json_agg(r), '[]')::text from ${table} r`)[0]?.[0])
  const copied = `json_populate_recordset(null::${table}, '${rows.replaceAll("'", "''")}')`
  return `delete from ${table}; insert into ${table} select * from ${copied};`
}

/** Emptying a database takes a fraction of the time that making one does. Its connection stays open for the next test. */
export function giveBack(url: string): void {
  // Given back twice, it would be used by two tests at once.
  if (stock.includes(url)) throw new Error(`${url} was given back before.`)
  try {
    rowsOf(url, EMPTIED)
    stock.push(url)
  } catch {
    // A test has broken it on purpose.
    dropDatabase(url)
    hangUp(url)
  }
}

export function dropDatabase(url: string): void {
  rowsOf(server(), `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
}

/** A table comes after those that it refers to. */
const TABLES =
  'kept_answer api_key change import_run source_map person groups membership project risk_tally risk issue'.split(' ')

/** Fails for a database that a later version has migrated, or whose counters a test has removed: it is not used again. */
const OURS = `
  select 1 / (select (count(*) = 0)::int from schema_migration where tag like '9%');
  select 1 / (select count(*) from revision);`

const EMPTIED = `
  rollback;
  ${OURS}
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
  ${TABLES.toReversed()
    .map((table) => `delete from ${table};`)
    .join('\n')}
  alter sequence change_id_seq restart;
  update revision set ${COUNTER_COLUMNS.map((counter) => `${counter} = 1`).join(', ')}`
