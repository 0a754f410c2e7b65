/**
 * What a host pays that executes the schema itself, next to our own server without its response cache.
 *
 *   npm run bench -- hosts [--seconds 3] [--rounds 3]
 */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeHost } from '../package/host.js'
import { COMPANY, fill, storeOf } from './speed/data.js'
import { load, pinning, startScript } from './speed/processes.js'

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } },
})

const FIELDS = 'id title score level owner { id name } project { id key name }'
const QUERIES: Readonly<Record<string, string>> = {
  '50 risks with owner and project': `{ risks(first: 50) { nodes { ${FIELDS} } } }`,
  '1,000 risks with owner and project': `{ risks(first: 1000) { nodes { ${FIELDS} } } }`,
  '32 projects x 20 risks x owner':
    '{ projects(first: 32) { nodes { key name risks(first: 20) { nodes { id title score owner { id name } } } } } }',
}
const HOSTS = ['ours', 'Apollo Server', 'Yoga', 'execute'] as const

const { folder: host } = await makeHost()
const { folder, key } = fill(COMPANY)
const script = join(host, 'server.mjs')
copyFileSync(new URL('hosts/server.mjs', import.meta.url), script)
try {
  const database = `file:${storeOf(folder)}`
  console.log(`8 connections, ${pinning.words}; requests a second, the best of ${options.rounds} rounds; ours = 1.00`)
  for (const [name, query] of Object.entries(QUERIES)) {
    const rates = new Map<string, number>()
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const one of HOSTS) rates.set(one, Math.max(rates.get(one) ?? 0, await rateOf(one, database, query)))
    }
    const ours = rates.get('ours') ?? 0
    const shown = [...rates].map(([one, rate]) => `${one} ${rate.toFixed(0)} (${(rate / ours).toFixed(2)})`)
    console.log(`${name}: ${shown.join(', ')}`)
  }
} finally {
  rmSync(host, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
}

async function rateOf(one: string, database: string, query: string): Promise<number> {
  const server = await startScript(script, JSON.stringify({ host: one, database }))
  const body = JSON.stringify({ query })
  const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n`
  const request = `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  try {
    const { perSecond } = await load({
      ...{ port: server.port, pid: server.pid, clients: 8, warmMs: 1_500, warmAnswers: 200 },
      ...{ measureMs: Number(options.seconds) * 1_000, requestsMax: 100_000, reads: [request] },
      ...{ write: '', unique: '#', writeShare: 0, mix: 'even' },
    })
    return perSecond
  } finally {
    await server.end()
  }
}
