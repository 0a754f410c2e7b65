import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { migratePostgres } from '../../src/store/postgres/migrations.js'
import { giveToPostgres, newFolder, newServer, type Standby } from '../postgres/server.js'
import { hangUp } from '../postgres/sync.js'
import { openGateway } from '../support/harness.js'
import { newFolder as newHome, operations } from '../support/process.js'
import { READY_TO_READ } from '../support/service.js'
import { postgresStore } from '../support/stores.js'
import { openServer } from './stage.js'

const KEYS_CREATE = ['keys', 'create', '--name', 'new', '--scope', 'personnel.manage']

async function openStandby() {
  const stage = await openServer()
  const standby = await stage.server.standby()
  onTestFinished(() => standby.remove())
  return { ...stage, standby }
}

/** The address of both, the standby first. */
function bothOf(standby: Standby, port: number, database: string): string {
  const hosts = `127.0.0.1:${standby.port},127.0.0.1:${port}`
  return `postgres://operations@${hosts}/${database}?target_session_attrs=read-write`
}

function gatewayOn(url: string) {
  return openGateway(
    {},
    onTestFinished,
    postgresStore(url, () => undefined),
  )
}

test('a hot standby is read, and writes are refused in a sentence, also by commands', async () => {
  const { server, standby, database } = await openStandby()
  const primary = gatewayOn(server.url(database))
  const key = await primary.as('personnel.manage')
  expect((await key.post('/v1/personnel', { name: 'Ada', externalId: 'a' })).status).toBe(201)
  await server.caughtUp()

  const gateway = gatewayOn(standby.url(database))
  const caller = gateway.with(key.authorization)
  expect((await caller.get('/v1/personnel')).body.data).toHaveLength(1)
  const refused = await caller.post('/v1/personnel', { name: 'Bea', externalId: 'b' })
  expect(refused).toMatchProblem(503, 'UNAVAILABLE')
  expect(refused.body.detail).toBe('The store cannot be written.')
  const mutation = await caller.graphql('mutation { addPerson(input: { name: "B", externalId: "b" }) { id } }')
  expect(mutation.body.errors).toMatchObject([
    { message: 'The store cannot be written.', extensions: { code: 'UNAVAILABLE' } },
  ])
  expect((await gateway.with(undefined).get('/readyz')).body).toEqual(READY_TO_READ)

  const env = { DATABASE_URL: standby.url(database) }
  expect(await operations(newHome(), KEYS_CREATE, { env })).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'The store cannot be written.\n',
  })
  expect((await operations(newHome(), ['keys', 'list'], { env })).code).toBe(0)
})

test('of several hosts the one is used that takes writes, also after it has changed', async () => {
  const { server, standby, database } = await openStandby()
  const url = bothOf(standby, server.port, database)
  const gateway = gatewayOn(url)
  const caller = await gateway.as('personnel.manage')
  expect((await caller.post('/v1/personnel', { name: 'Ada', externalId: 'a' })).status).toBe(201)
  const env = { DATABASE_URL: url }
  expect((await operations(newHome(), KEYS_CREATE, { env })).code).toBe(0)
  await server.caughtUp()
  await server.stop('immediate')
  expect(await caller.get('/v1/personnel')).toMatchProblem(503, 'UNAVAILABLE')
  expect(await operations(newHome(), KEYS_CREATE, { env })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^postgres:\/\/operations@127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/operations cannot be used: /,
    ),
  })
  await standby.promote()
  await expect.poll(async () => (await caller.get('/v1/personnel?limit=2')).status, { timeout: 15_000 }).toBe(200)
  expect((await caller.post('/v1/personnel', { name: 'Bea', externalId: 'b' })).status).toBe(201)
})

/** A self-made certificate for 127.0.0.1, and that of its CA. */
function newCertificate(folder: string): { certificate: string; key: string; root: string } {
  const path = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore', cwd: folder })
  const fresh = ['-newkey', 'rsa:2048', '-nodes', '-sha256', '-days', '2']
  openssl('req', '-x509', ...fresh, '-subj', '/CN=Test CA', '-keyout', path('root.key'), '-out', path('root.pem'))
  const signed = ['-CA', path('root.pem'), '-CAkey', path('root.key'), '-addext', 'subjectAltName=IP:127.0.0.1']
  openssl('req', '-x509', ...fresh, '-subj', '/CN=db', ...signed, '-keyout', path('db.key'), '-out', path('db.pem'))
  for (const name of ['db.key', 'db.pem']) giveToPostgres(path(name))
  chmodSync(path('db.key'), 0o600)
  return { certificate: path('db.pem'), key: path('db.key'), root: path('root.pem') }
}

test('TLS checks who signed the certificate and whose it is', async () => {
  const folder = newFolder()
  const { certificate, key, root } = newCertificate(folder)
  const settings = { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key }
  const server = await newServer({ settings })
  onTestFinished(() => server.remove())
  const plain = server.url('postgres')
  onTestFinished(() => hangUp(plain))
  await migratePostgres(`${plain}?sslmode=verify-full&sslrootcert=${root}`)
  for (const mode of ['verify-full', 'verify-ca', 'require']) {
    const gateway = gatewayOn(`${plain}?sslmode=${mode}&sslrootcert=${root}`)
    const caller = await gateway.as('personnel.manage')
    expect((await caller.get('/v1/personnel')).status).toBe(200)
    const isEncrypted = 'select ssl from pg_stat_ssl join pg_stat_activity using (pid) where pid <> pg_backend_pid()'
    const own = postgresStore(plain)
    expect(own.values(`${isEncrypted} and application_name = 'operations'`).flat()).not.toContain(false)
  }
  const refused = async (url: string) =>
    (await operations(newHome(), ['migrate'], { env: { DATABASE_URL: url } })).stderr
  expect(await refused(`${plain}?sslmode=require`)).toMatch(/cannot be used: .*certificate/)
  const elsewhere = plain.replace('127.0.0.1', 'localhost')
  expect(await refused(`${elsewhere}?sslmode=verify-full&sslrootcert=${root}`)).toMatch(/does not match certificate/)
  expect(await refused(`${plain}?sslmode=verify-full&sslrootcert=/none.pem`)).toMatch(/cannot be used: .*\/none\.pem/)
})
