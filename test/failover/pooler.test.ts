import { expect, onTestFinished, test } from 'vitest'
import { migratePostgres } from '../../src/store/postgresMigrations.js'
import { openGateway } from '../harness.js'
import { hangUp, rowsOf } from '../postgres/sync.js'
import { newFolder, operations } from '../process.js'
import { postgresStore } from '../stores.js'
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
          // The same statement again and again, which elsewhere is kept under a name.
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
