/** Keeps the contracts and a filled store of this version, for later versions to be compared with and upgraded from. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { VERSION } from '../../src/about.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { Client } from '../campaigns/client.js'
import { MAIN, newFolder, spawnServer } from '../campaigns/served.js'
import { giveToPostgres, newServer } from '../postgres/server.js'
import { LISTS } from './releases.js'

const kept = fileURLToPath(new URL(`./${VERSION}/`, import.meta.url))
mkdirSync(kept, { recursive: true })
for (const name of ['schema.graphql', 'api.graphql', 'openapi.json']) {
  copyFileSync(fileURLToPath(new URL(`../../schema/${name}`, import.meta.url)), join(kept, name))
}

const folder = newFolder()
const server = spawnServer(folder, ['--demo'])
const [origin, key] = await new Promise<string[]>((resolve) => {
  let printed = ''
  server.stderr?.on('data', (chunk) => {
    printed += chunk
    const [, at = '', secret = ''] = /(http:\/\/[\d.:]+)[\s\S]*(ops_\w+)/.exec(printed) ?? []
    if (secret !== '') resolve([at, secret])
  })
})
const client = new Client(origin ?? '', key, 1)
const lists: Record<string, unknown> = {}
for (const path of LISTS) lists[path] = JSON.parse((await client.request(path)).text).data
writeFileSync(join(kept, 'lists.json.gz'), gzipSync(JSON.stringify(lists), { level: 9 }))
client.close()
server.kill('SIGTERM')
await once(server, 'close')

const file = join(folder, 'data/demo.db')
const connection = openDatabase(file)
connection.pragma('journal_mode = delete')
connection.exec('vacuum')
connection.close()
writeFileSync(join(kept, 'store.db.gz'), gzipSync(readFileSync(file), { level: 9 }))

const postgres = await newServer()
const url = postgres.url('postgres')
execFileSync(process.execPath, [MAIN, 'copy', '--from', `file:${file}`, '--to', url])
const dump = join(folder, 'store.sql')
giveToPostgres(folder)
postgres.program('pg_dump', ['--inserts', '--no-owner', '--file', dump, url])
// The commands of psql are no SQL.
const text = readFileSync(dump, 'utf8').replace(/^\\.*$/gm, '')
writeFileSync(join(kept, 'store.sql.gz'), gzipSync(text, { level: 9 }))
await postgres.remove()
process.exit(0)
