import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/store/postgres/store.js'
import { newFolder } from '../postgres/server.js'
import { remember } from '../store/backup/putBack.js'
import { READY } from '../support/service.js'
import { openBehindProxy } from './stage.js'

test('after a failover to a standby that lacks the last writes, nothing of the lost history is shown or accepted', async () => {
  const { server, proxy, gateway, database } = await openBehindProxy()
  const standby = await server.standby()
  onTestFinished(() => standby.remove())
  const { storeOthers, expectForgotten } = await remember(gateway, async () => {
    await server.caughtUp()
    await standby.disconnect()
  })
  await server.stop('immediate')
  await standby.promote()
  const store = openPostgres(standby.url(database))
  await storeOthers(store)
  await store.close()
  proxy.target = standby.port
  await expectForgotten()
})

test('a database that is restored under a running copy is read anew', async () => {
  const { server, gateway, database } = await openBehindProxy()
  const url = server.url(database)
  const dump = join(newFolder(), 'operations.dump')
  const { storeOthers, expectForgotten } = await remember(gateway, () =>
    server.program('pg_dump', ['--format=custom', `--file=${dump}`, url]),
  )
  server.program('pg_restore', ['--clean', '--if-exists', '--single-transaction', `--dbname=${url}`, dump])
  const store = openPostgres(url)
  await storeOthers(store)
  await store.close()
  await expectForgotten()
  const { body } = await gateway.with(undefined).get('/readyz')
  expect(body).toEqual(READY)
})
