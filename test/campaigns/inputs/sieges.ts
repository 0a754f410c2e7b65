/** What one small key can send for a minute to fill the memory, the disk or the event loop of a server with a small heap. */
import { readdirSync, statSync } from 'node:fs'
import { LIMITS } from '../../../src/limits.js'
import { TEXT_MAX } from '../../../src/vocabulary.js'
import type { Sent } from '../../hostile/support/wire.js'
import { median, sleep } from '../client.js'
import { forgetPeak, peakBytes } from './crowds.js'
import { posted, queried } from './graphqlCalls.js'
import { type Answer, type Call, type KeyName, PROJECT, Stage } from './stage.js'
import { times } from './values.js'

const HEAP_MEGABYTES = 512
/** The heap of a server on a small machine. */
export const SMALL_HEAP = ['env', `NODE_OPTIONS=--max-old-space-size=${HEAP_MEGABYTES}`]
const OTHERS_EVERY_MS = 20
/** As a client that honours `Retry-After` would. */
const REFUSED_MS = 200

interface Siege {
  readonly name: string
  readonly as: KeyName
  readonly connections: number
  /** What the store must have first; what it returns is given to each call. */
  readonly prepare?: (stage: Stage) => Promise<string>
  readonly sent: (index: number, prepared: string) => Call['sent']
}

const SCALARS = `id reference title description category likelihood impact score level rank status response mitigation
  cause dueOn residualLikelihood residualImpact residualScore ownerName url raisedOn reviewOn createdAt updatedAt`
const NESTED = `${SCALARS} details { name text } project { id key name description url status createdAt updatedAt }
  owner { id name email title department status createdAt updatedAt }`
const CONDITIONS = ['a', 'b', 'c', 'd']

/** Fragments that expand to almost all the fields that a query may have, under four conditions. */
function expanding(index: number, first: number): Call['sent'] {
  const roots = times(45, (i) => `r${i}: risks(first: ${first}) { ...Page }`).join(' ')
  const skipped = CONDITIONS.map((name) => `title @skip(if: $${name})`).join(' ')
  const query = `query Q${index}(${CONDITIONS.map((name) => `$${name}: Boolean!`).join(' ')}) { ${roots} }
    fragment Page on RiskConnection { nodes { ...Of ${skipped} } edges { node { ...Of } } }
    fragment Of on Risk { ${NESTED} }`
  return () => queried(query, Object.fromEntries(CONDITIONS.map((name, bit) => [name, ((index >> bit) & 1) === 1])))
}

/** Another filter with as many long values as there may be. */
function counted(index: number): Call['sent'] {
  const category = times(LIMITS.filterItemsMax, (i) => `${index} ${i} `.padEnd(TEXT_MAX.category, 'x'))
  return () => queried('query ($v: [String!]) { risks(filter: { category: $v }) { nodes { id } } }', { v: category })
}

const SHOWN_CHARACTERS = 2_000

async function sentWell(stage: Stage, sent: Sent): Promise<string> {
  const { status, text } = await stage.send({ as: 'manager', sent: () => sent })
  if (status >= 300) throw new Error(text.slice(0, SHOWN_CHARACTERS))
  return text
}

const FAT_ROWS = 450
const LONGEST = TEXT_MAX.description
const DETAIL = TEXT_MAX.detailText
const DETAILS = 15

/** Rows as long as may be, in a project among many of ordinary ones. */
async function addFatRows(stage: Stage): Promise<string> {
  const text = 'x'.repeat(LONGEST)
  const details = times(DETAILS, (i) => ({ name: `d${i}`, text: 'x'.repeat(DETAIL) }))
  const risks = times(FAT_ROWS, (i) => ({
    ...{ reference: `F-${i}`, title: 'x', description: text, cause: text, mitigation: text, details },
  }))
  for (let from = 0; from < FAT_ROWS; from += FAT_ROWS / 3) {
    const some = risks.slice(from, from + FAT_ROWS / 3)
    const body = JSON.stringify({ key: PROJECT, name: 'x', mode: 'PARTIAL', risks: some })
    await sentWell(stage, posted(body, '/v1/projects'))
  }
  return ''
}

/** Their long texts under several names. */
function fat(index: number): Call['sent'] {
  const texts = times(4, (i) => `a${i}: description b${i}: cause c${i}: mitigation d${i}: details { name text }`)
  const filter = `{ project: ["${PROJECT}"] }`
  return () => queried(`{ risks(first: ${400 + (index % 50)}, filter: ${filter}) { nodes { id ${texts.join(' ')} } } }`)
}

/** A group whose description is as long as may be. */
async function addLongGroup(stage: Stage): Promise<string> {
  const body = JSON.stringify({ name: 'Long', description: '\ufdfa'.repeat(LONGEST) })
  const text = await sentWell(stage, posted(body, '/v1/groups'))
  return /grp_\w+/.exec(text)?.[0] ?? ''
}

/** Together just less than what was recorded once. */
const SHOWN = 30

function kept(index: number, id: string): Call['sent'] {
  const shown = times(SHOWN, (i) => `a${i}: description`).join(' ')
  const sent = queried(`mutation { changeGroup(id: "${id}", input: {}) { id ${shown} } }`)
  return () => ({ ...sent, headers: { ...sent.headers, 'Idempotency-Key': `kept-${process.pid}-${index}` } })
}

function recorded(index: number, id: string): Call['sent'] {
  const description = (index % 2 === 0 ? '\ufdfa' : '\ufdfb').repeat(LONGEST)
  return () => posted(JSON.stringify({ description }), `/v1/groups/${id}`, 'PATCH')
}

const SIEGES: readonly Siege[] = [
  { name: 'plans of 10,000 fields', as: 'projects', connections: 4, sent: (index) => expanding(index, 1) },
  { name: 'the same, refused by their cost', as: 'projects', connections: 4, sent: (index) => expanding(index, 1_000) },
  { name: 'counts by long filters', as: 'projects', connections: 4, sent: (index) => counted(index) },
  { name: `${FAT_ROWS} rows of 62 KB`, as: 'reader', connections: 8, prepare: addFatRows, sent: (index) => fat(index) },
  { name: 'responses to an Idempotency-Key', as: 'manager', connections: 4, prepare: addLongGroup, sent: kept },
  { name: 'a long text back and forth', as: 'manager', connections: 4, prepare: addLongGroup, sent: recorded },
]

/** Each for so long, on a server of its own; `match` selects some. */
export async function sieges(build: string, forMs: number, match: RegExp): Promise<string[]> {
  const lines: string[] = []
  for (const siege of SIEGES.filter(({ name }) => match.test(name))) lines.push(await besieged(build, siege, forMs))
  return lines
}

async function besieged(build: string, siege: Siege, forMs: number): Promise<string> {
  const stage = await Stage.open(build, [], SMALL_HEAP)
  const prepared = (await siege.prepare?.(stage)) ?? ''
  const storedBefore = storedBytes(stage)
  // Preparing it takes memory too.
  forgetPeak(stage)
  const endsAt = performance.now() + forMs
  const statuses = new Map<number, number>()
  let index = 0
  const attack = async () => {
    while (performance.now() < endsAt && stage.isRunning) {
      const { status } = await stage.send({ as: siege.as, sent: siege.sent(index++, prepared) })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 503 || status === 429) await sleep(REFUSED_MS)
    }
  }
  const others = othersUntil(stage, endsAt)
  await Promise.all(times(siege.connections, attack))
  const figures = [
    stage.isRunning ? 'the server survived' : 'THE SERVER ENDED',
    `others ${latencyOf(await others)}`,
    ...(stage.isRunning ? [`peak ${Math.round(peakBytes(stage) / 1e6)} MB`] : []),
    `stored ${Math.round((storedBytes(stage) - storedBefore) / 1e6)} MB`,
    `the attacker got ${[...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')}`,
  ]
  await stage.close()
  return `${siege.name}, ${Math.round(forMs / 1_000)} s: ${figures.join('; ')}`
}

/** The latency of another key's pages, none of them cached. */
async function othersUntil(stage: Stage, endsAt: number): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let i = 0; performance.now() < endsAt && stage.isRunning; i++) {
    const target = `/v1/personnel?limit=${1 + (i % 50)}&updatedSince=2020-01-01T00:00:00.${String(i % 1_000).padStart(3, '0')}Z`
    answers.push(await stage.send({ as: 'personnel', sent: () => ({ target }) }))
    await sleep(OTHERS_EVERY_MS)
  }
  return answers
}

function latencyOf(answers: readonly Answer[]): string {
  const ms = answers.map((one) => one.ms).sort((one, other) => one - other)
  const p99 = ms[Math.floor(ms.length * 0.99)] ?? 0
  const refused = answers.filter(({ status }) => status !== 200).length
  return `p50 ${Math.round(median(ms))} ms, p99 ${Math.round(p99)} ms, ${refused} of ${ms.length} refused`
}

function storedBytes({ data }: Stage): number {
  return readdirSync(data).reduce((sum, name) => sum + statSync(`${data}/${name}`).size, 0)
}
