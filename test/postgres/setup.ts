import pg from 'pg'
import { migratePostgres } from '../../src/store/postgres/migrations.js'
import { newServer, type Server } from './server.js'

/** The database that every test's own is copied from. */
export const TEMPLATE = 'operations_template'

let server: Server | undefined

/** Provides a server for the tests: that of TEST_DATABASE_URL, or a new one. */
export async function setup(): Promise<void> {
  if (!process.env['TEST_DATABASE_URL']) {
    server = await newServer()
    process.env['TEST_DATABASE_URL'] = server.url('postgres')
  }
  await asAdmin(async (admin) => {
    await admin.query(`drop database if exists ${TEMPLATE}`)
    await admin.query(`create database ${TEMPLATE}`)
  })
  await migratePostgres(Object.assign(new URL(process.env['TEST_DATABASE_URL']), { pathname: `/${TEMPLATE}` }).href)
}

export async function teardown(): Promise<void> {
  if (server) return server.remove()
  await asAdmin(async (admin) => {
    const left = "select datname from pg_database where datname like 'operations\\_t%'"
    const { rows } = await admin.query<{ datname: string }>(left)
    for (const { datname } of rows) await admin.query(`drop database ${datname} with (force)`)
  })
}

async function asAdmin(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] })
  await admin.connect()
  await work(admin)
  await admin.end()
}
