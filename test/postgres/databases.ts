import { CHANGE_COUNTERS } from '../../src/store/changeCounters.js'
import { TEMPLATE } from './setup.js'
import { hangUp, rowsOf } from './sync.js'

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

/** Emptying a database takes a fraction of the time that making one does. */
export function giveBack(url: string): void {
  try {
    rowsOf(url, EMPTIED)
    stock.push(url)
  } catch {
    // A test has broken it on purpose.
    dropDatabase(url)
  } finally {
    hangUp(url)
  }
}

export function dropDatabase(url: string): void {
  rowsOf(server(), `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
}

const TABLES = 'issue risk risk_tally project membership groups person change api_key kept_answer'.split(' ')

const EMPTIED = `
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
  ${TABLES.map((table) => `delete from ${table};`).join('\n')}
  alter sequence change_id_seq restart;
  update revision set value = 1, ${CHANGE_COUNTERS.map((counter) => `${counter} = 1`).join(', ')}`
