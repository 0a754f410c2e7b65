import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Client } from '../campaigns/client.js'
import { engine } from '../support/engine.js'
import { mint } from '../support/inProcess.js'
import { newFolder, serve } from '../support/process.js'

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))

/** A build of the next version, with one more migration. */
function nextVersion(...statements: string[]): string {
  const folder = newFolder()
  for (const part of ['dist', 'drizzle', 'schema', 'src/demo']) {
    cpSync(join(PACKAGE, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'))
  const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '99.0.0' }))
  const migrations = join(folder, 'drizzle', engine)
  const journal = JSON.parse(readFileSync(join(migrations, 'meta/_journal.json'), 'utf8'))
  journal.entries.push({ ...journal.entries.at(-1), idx: journal.entries.length, tag: '9999_next' })
  writeFileSync(join(migrations, 'meta/_journal.json'), JSON.stringify(journal))
  appendFileSync(join(migrations, '9999_next.sql'), statements.join('--> statement-breakpoint\n'))
  return join(folder, 'dist/main.js')
}

const ADDITIVE = ['alter table person add column nickname text', 'create table later (id text primary key)']

interface Written {
  readonly statuses: number[]
  readonly ids: string[]
}

/** Adds people and reads lists, one request after the other, until it is over. */
async function work(client: Client, name: string, isOver: () => boolean, written: Written): Promise<void> {
  for (let number = 0; !isOver(); number++) {
    const body = JSON.stringify({ name: `${name} ${number}`, externalId: `${name}-${number}` })
    const added = await client.request('/v1/personnel', { method: 'POST', body })
    written.statuses.push(added.status)
    if (added.status === 201) written.ids.push(JSON.parse(added.text).id)
    written.statuses.push((await client.request('/v1/personnel?limit=5')).status)
  }
}

/** The ids of all people in the feed. */
async function followed(client: Client): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { text } = await client.request(`/v1/changes?entity=PERSON&limit=500${cursor}`)
    const { data, page } = JSON.parse(text)
    ids.push(...data.map(({ entityId }: { entityId: string }) => entityId))
    if (!page.more) return ids
    cursor = `&cursor=${page.next}`
  }
}

test('a server goes on writing while a newer one migrates the store, if the migration only adds', async () => {
  const folder = newFolder()
  const { key } = await mint(folder, '--name', 'both', '--scope', 'personnel.manage')
  const old = await serve(folder)
  const written: Written = { statuses: [], ids: [] }
  let isOver = false
  const clients = [old.origin, old.origin].map((origin) => new Client(origin, key, 1))
  const works = clients.map((client, index) => work(client, `old${index}`, () => isOver, written))
  const next = await serve(folder, [], { main: nextVersion(...ADDITIVE) })
  const newer = new Client(next.origin, key, 1)
  works.push(work(newer, 'new', () => isOver, written))
  const again = await serve(folder)
  const restarted = new Client(again.origin, key, 1)
  works.push(work(restarted, 'again', () => isOver, written))
  const enough = written.statuses.length + 200
  while (written.statuses.length < enough) await new Promise((resolve) => setTimeout(resolve, 20))
  isOver = true
  await Promise.all(works)
  expect(written.statuses.filter((status) => status !== 201 && status !== 200)).toEqual([])
  for (const client of [...clients, newer]) {
    const { data } = JSON.parse((await client.request('/v1/personnel')).text)
    expect(data.map(({ id }: { id: string }) => id).sort()).toEqual([...written.ids].sort())
    expect((await followed(client)).sort()).toEqual([...written.ids].sort())
  }
  for (const client of [...clients, newer, restarted]) client.close()
})

test('a server refuses to write once a newer one has closed the store to it, and goes on reading', async () => {
  const folder = newFolder()
  const { key } = await mint(folder, '--name', 'both', '--scope', 'personnel.manage')
  const old = new Client((await serve(folder)).origin, key, 1)
  const add = (client: Client, externalId: string) =>
    client.request('/v1/personnel', { method: 'POST', body: JSON.stringify({ name: 'Ada', externalId }) })
  expect((await add(old, 'before')).status).toBe(201)
  const closing = "update revision set least_version = '99.0.0'"
  const newer = new Client((await serve(folder, [], { main: nextVersion(closing) })).origin, key, 1)
  expect((await add(newer, 'newer')).status).toBe(201)
  const refused = await add(old, 'after')
  expect([refused.status, JSON.parse(refused.text).detail]).toEqual([
    503,
    expect.stringMatching(/^Only version 99\.0\.0 and later may write to the store, and this is .* Upgrade it/),
  ])
  const { data } = JSON.parse((await old.request('/v1/personnel')).text)
  expect(data).toHaveLength(2)
  const ready = await old.request('/readyz')
  expect([ready.status, JSON.parse(ready.text)]).toMatchObject([
    200,
    { writes: false, reason: expect.stringContaining('99.0.0') },
  ])
  for (const client of [old, newer]) client.close()
})
