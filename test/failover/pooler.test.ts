import { expect, onTestFinished, test } from 'vitest'
import { migratePostgres } from '../../src/store/postgres/migrations.js'
import { openPostgres } from '../../src/store/postgres/store.js'
import { hangUp, rowsOf } from '../postgres/sync.js'
import { openGateway } from '../support/harness.js'
import { newFolder, operations } from '../support/process.js'
import { postgresStore } from '../support/stores.js'
import { openPgbouncer } from './pgbouncer.js'
import { openServer } from './stage.js'

const COPIES = 3
const ROUNDS = 15

test.each(['transaction', 'session'] as const)(
  'through pgbouncer that pools %ss, copies read and write without a refusal',
  async (mode) => {
    const { server } = await openServer()
    const url = (await openPgbouncer(server.port, mode))('pooled')
    rowsOf(server.url('postgres'), 'create database pooled')
    hangUp(server.url('postgres'))
    await migratePostgres(url)
    const copies = Array.from({ length: COPIES }, () =>
      openGateway(
        {},
        onTestFinished,
        postgresStore(url, () => undefined),
      ),
    )
    const [first] = copies
    const { authorization } = (await first?.as('personnel.manage', 'projects.manage')) ?? {}
    const statuses: number[] = []
    const work = async (copy: number) => {
      const caller = copies[copy]?.with(authorization)
      for (let i = 0; i < ROUNDS; i++) {
        const answers = await Promise.all([
          caller?.post('/v1/personnel', { name: 'Ada', externalId: `${copy}-${i}` }),
          // The same statement repeatedly, which is prepared without a pooler.
          caller?.get(`/v1/personnel?limit=5&externalId=${copy}-${i - 1}`),
          caller?.get('/v1/groups?limit=5'),
          caller?.graphql('{ risks(first: 5) { nodes { id owner { name } } } }'),
        ])
        for (const answer of answers) statuses.push(answer?.status ?? 0)
      }
    }
    await Promise.all(copies.map((_, copy) => work(copy)))
    expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([])
    expect((await first?.with(authorization).get('/v1/personnel?total=true&limit=1'))?.body.page.total).toBe(
      COPIES * ROUNDS,
    )
    const exported = await operations(newFolder(), ['export', 'people'], { env: { DATABASE_URL: url } })
    expect([exported.code, exported.stdout.trim().split('\n').length]).toEqual([0, COPIES * ROUNDS + 1])
  },
)

const LIMITED = `select name, setting from pg_settings where name in ('default_transaction_read_only', 'statement_timeout',
  'lock_timeout', 'jit', 'tcp_user_timeout', 'tcp_keepalives_idle', 'client_connection_check_interval') order by name`

async function limitsBy(url: string): Promise<Record<string, unknown>> {
  const store = openPostgres(url)
  const rows = await store.read.rows({ text: LIMITED, values: [] })
  await store.close()
  return Object.fromEntries(rows)
}

test('a session of its own has limits, and one that is shared is left as it is', async () => {
  const { server, database } = await openServer()
  expect(await limitsBy(server.url(database))).toEqual({
    client_connection_check_interval: '2000',
    default_transaction_read_only: 'on',
    jit: 'off',
    lock_timeout: '5000',
    statement_timeout: '8000',
    tcp_keepalives_idle: '5',
    tcp_user_timeout: '10000',
  })
  const shared = await limitsBy((await openPgbouncer(server.port, 'transaction'))(database))
  expect(shared).toMatchObject({ default_transaction_read_only: 'off', statement_timeout: '0', lock_timeout: '0' })
})
