import { describe, expect, test } from 'vitest'
import { damageTable, overwritePage, rootOf } from '../store/backup/copies.js'
import { engine } from '../support/engine.js'
import { newFolder, serve } from '../support/process.js'
import { callerOf, prepareStore, READY } from '../support/service.js'

const PEOPLE = 2_000
const SENTENCE =
  'The store ./data/operations.db is damaged. Stop every server of it, run `operations check`, and restore a backup.'

const damageRows = (file: string) => damageTable(file, 'person')
const damageRoot = (file: string) => overwritePage(file, rootOf(file, 'person'))
const TITLE = {
  method: 'PATCH',
  headers: { 'content-type': 'application/merge-patch+json' },
  body: JSON.stringify({ title: 'Lead' }),
}

// PostgreSQL looks after its own pages.
describe.runIf(engine === 'sqlite')('a page that is damaged while the store is served', () => {
  test.each([
    ['on the event loop', damageRows, (id: string) => `/v1/personnel/${id}`, {}],
    ['in a read worker', damageRows, () => '/v1/personnel', {}],
    ['to learn how long a list is', damageRoot, () => '/v1/personnel', {}],
    ['by a write', damageRows, (id: string) => `/v1/personnel/${id}`, TITLE],
  ])('makes the server unready once it is read %s, and the probe says what to do', async (_, damage, pathOf, init) => {
    const folder = newFolder()
    const { own, key } = await prepareStore(folder, PEOPLE)
    const [[middle] = []] = own.values(`select id from person order by rowid limit 1 offset ${PEOPLE / 2}`)
    const server = await serve(folder, ['--rate-limit', '0'])
    const { client, readiness } = callerOf(server.origin, key)
    damage(own.file)
    expect(await readiness()).toEqual(READY)
    const { status, text } = await client.request(pathOf(String(middle)), init)
    expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 503, detail: 'The store is damaged.' })
    expect(await readiness()).toMatchObject({ status: 503, code: 'UNAVAILABLE', detail: SENTENCE })
    const { stdout } = await server.stop('SIGTERM')
    expect(stdout.split('\n').filter((line) => line.includes(`"msg":"${SENTENCE}"`))).toHaveLength(1)
  })
})
