import { onTestFinished } from 'vitest'
import type { AppOptions } from '../../src/http/app.js'
import { migratePostgres } from '../../src/store/postgres/migrations.js'
import { newServer } from '../postgres/server.js'
import { hangUp, rowsOf } from '../postgres/sync.js'
import { openGateway } from '../support/harness.js'
import { postgresStore } from '../support/stores.js'
import { newProxy } from './proxy.js'

const DATABASE = 'operations'

/** A new server with a migrated database, and a proxy to it. */
export async function openServer() {
  const server = await newServer({ isDurable: true })
  onTestFinished(() => server.remove())
  rowsOf(server.url('postgres'), `create database ${DATABASE}`)
  hangUp(server.url('postgres'))
  await migratePostgres(server.url(DATABASE))
  const proxy = await newProxy(server.port)
  onTestFinished(() => proxy.close())
  return { server, proxy, database: DATABASE }
}

/** A service whose connection to the database can be broken. */
export async function openBehindProxy(options: Partial<AppOptions> = {}) {
  const stage = await openServer()
  const url = stage.server.url(stage.database)
  const own = postgresStore(stage.proxy.url(stage.database), () => hangUp(url))
  return { ...stage, gateway: openGateway(options, onTestFinished, own) }
}
