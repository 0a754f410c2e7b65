/**
 * The largest legal input of every kind, to every field, argument, filter, header and body member, one after the other,
 * while a watcher in another process measures how long others wait. Prints the longest waits with their requests, then
 * the known attacks. Reports only: it fails for a wrong answer, not for a slow one.
 *
 *   npm run campaign -- inputs [--minutes 3 --seed 1 --only inputs,attacks,... --match '^Accept' --server DIR]
 *
 * `--minutes` bounds the generated calls, and `--match` is a regular expression for the names of calls, attacks and sieges.
 * `--server` is the folder of another build to measure; its `dist/main.js` is served. The parts: inputs, attacks, sieges
 * (each for a third of `--minutes`), asset, fairness, movements, log, bodies, rows, writes, commands.
 */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildClientSchema, getIntrospectionQuery } from 'graphql'
import { ATTACKS, firstPage } from './inputs/attacks.js'
import { commandTimes } from './inputs/commands.js'
import { fairness, largeBodies, largeRows } from './inputs/crowds.js'
import { argumentCalls, fieldCalls, queried } from './inputs/graphqlCalls.js'
import { longWrites } from './inputs/longWrites.js'
import { documentCalls, headerCalls, pathCalls } from './inputs/requestCalls.js'
import { bodyCalls, type Ids, parameterCalls, routesOf } from './inputs/restCalls.js'
import { SEARCHES } from './inputs/searches.js'
import { sieges } from './inputs/sieges.js'
import { type Call, type Outcome, Stage } from './inputs/stage.js'
import { fewMovements, longLog } from './inputs/stalls.js'
import { type Random, randomFrom } from './inputs/values.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string' },
    only: { type: 'string' },
    match: { type: 'string', default: '' },
    server: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
  },
})
/** Commands run in a folder of their own. */
const build = resolve(values.server)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const isChosen = (part: string) => values.only === undefined || values.only.split(',').includes(part)

const pattern = new RegExp(values.match)

const SHOWN = 10
/** The longest waits are measured again, because other load on the machine may have caused them. */
const REPEATED = 3 * SHOWN
const REPEATS = 2
const WRONG_MAX = 20
const OF_ONE_PLACE = 2

interface Measured {
  readonly call: Call
  readonly outcome: Outcome
}

const wrong: string[] = []

async function measured(stage: Stage, call: Call): Promise<Measured> {
  const outcome = await stage.measure(call)
  if (outcome.wrong !== undefined) {
    wrong.push(`${call.name} (${call.as ?? 'no key'}): ${outcome.wrong}`)
    console.log(`WRONG  ${wrong.at(-1)}`)
  }
  return { call, outcome }
}

/** An id of each list. */
async function idsOf(stage: Stage): Promise<Ids> {
  const lists = ['personnel', 'groups', 'projects', 'risks', 'issues']
  const answers = await Promise.all(
    lists.map(async (list) => [list, idIn(await bodyOf(stage, `/v1/${list}?limit=1`))] as const),
  )
  return Object.fromEntries(answers)
}

function idIn(page: unknown): string {
  const { data = [] } = Object(page) as { data?: readonly { id: string }[] }
  return data[0]?.id ?? 'x'
}

async function bodyOf(stage: Stage, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${stage.keyOf('manager')}`, 'content-type': 'application/json' }
  return (await fetch(`${stage.server.origin}${path}`, { ...init, headers })).json()
}

async function callsOn(stage: Stage, random: Random): Promise<Call[]> {
  const body = String(queried(getIntrospectionQuery()).body)
  const { data } = Object(await bodyOf(stage, '/graphql', { method: 'POST', body }))
  const schema = buildClientSchema(data)
  const ids = await idsOf(stage)
  const routes = routesOf(Object(await bodyOf(stage, '/v1/openapi.json')), ids)
  const calls = [
    ...argumentCalls(schema, random),
    ...fieldCalls(schema),
    ...parameterCalls(routes, random),
    ...bodyCalls(routes, schema, random),
    ...headerCalls(ids, random),
    ...pathCalls(random),
    ...documentCalls(random),
  ]
  return shuffled(calls, random).filter(({ name }) => pattern.test(name))
}

function shuffled<T>(all: readonly T[], random: Random): T[] {
  const keyed = all.map((one) => ({ one, at: random(2 ** 30) }))
  return keyed.sort((a, b) => a.at - b.at).map(({ one }) => one)
}

/** A block is at most what others waited for, and at most the CPU time of its thread, which other load leaves alone. */
const blockMs = ({ outcome: { waitedMs, loopMs } }: Measured) => Math.min(waitedMs, loopMs)
const longestFirst = (all: readonly Measured[]) => [...all].sort((a, b) => blockMs(b) - blockMs(a))

/** The longest, but few of one field, route or header, so that one cause does not fill the list. */
function longestOf(all: readonly Measured[], count: number): Measured[] {
  const shown = new Map<string, number>()
  const isShown = ({ call: { name } }: Measured) => {
    const [place = ''] = name.split(/[(:]/)
    shown.set(place, (shown.get(place) ?? 0) + 1)
    return (shown.get(place) ?? 0) <= OF_ONE_PLACE
  }
  return longestFirst(all).filter(isShown).slice(0, count)
}

async function runInputs(): Promise<void> {
  const stage = await Stage.open(build)
  const calls = await callsOn(stage, randomFrom(seed))
  const spareMs = Number(values.minutes) * 15_000
  const endsAt = performance.now() + Number(values.minutes) * 60_000 - spareMs
  const done: Measured[] = []
  for (const call of calls) {
    if (performance.now() > endsAt || wrong.length >= WRONG_MAX || !stage.isRunning) break
    done.push(await measured(stage, call))
  }
  const again: Measured[] = []
  for (const first of longestOf(done, REPEATED)) {
    if (stage.isRunning) again.push(performance.now() < endsAt + spareMs ? await leastOf(stage, first) : first)
  }
  await stage.close()
  console.log(`\nThe longest blocks of the event loop: ${done.length} of ${calls.length} calls, seed ${seed}\n`)
  console.log(HEADING)
  for (const one of longestOf(again, SHOWN)) console.log(lineOf(one))
}

function lineOf({ call, outcome: { waitedMs, loopMs, answer } }: Measured): string {
  const cells = [call.name, call.as ?? 'none', inMs(waitedMs), inMs(loopMs), answer.status || 'no answer']
  return `| ${cells.join(' | ')} |`
}

async function leastOf(stage: Stage, first: Measured): Promise<Measured> {
  const all = [first]
  for (let i = 0; i < REPEATS; i++) all.push(await measured(stage, first.call))
  return longestFirst(all).at(-1) ?? first
}

const HEADING = '| request | key | others waited | CPU of the loop | status |\n|---|---|---|---|---|'
const inMs = (ms: number) => `${Math.round(ms)} ms`

/** Once more while that is quick, since other load on the machine may have made it wait. */
const ATTACK_MS_MAX = 2_000

async function runAttacks(): Promise<void> {
  const stage = await Stage.open(build)
  console.log(`\n${HEADING}`)
  for (const attack of [...ATTACKS, ...SEARCHES]) {
    if (!pattern.test(attack.name)) continue
    await attack.prepare?.(stage)
    const startedAt = performance.now()
    let { outcome } = await measured(stage, attack)
    for (let i = 0; i < REPEATS && performance.now() - startedAt < ATTACK_MS_MAX; i++) {
      const { outcome: again } = await measured(stage, attack)
      if (again.waitedMs < outcome.waitedMs) outcome = again
    }
    console.log(lineOf({ call: attack, outcome }))
  }
  await stage.close()
}

async function runOn(heading: string, args: readonly string[], run: (stage: Stage) => Promise<string[]>) {
  const stage = await Stage.open(build, args)
  const lines = await run(stage)
  await stage.close()
  console.log(`\n${heading}\n\n${lines.map((line) => `- ${line}`).join('\n')}`)
}

const UNLIMITED = ['--rate-limit', '0']

if (isChosen('inputs')) await runInputs()
if (isChosen('attacks')) await runAttacks()
if (isChosen('sieges')) {
  const lines = await sieges(build, Number(values.minutes) * 20_000, new RegExp(values.match))
  console.log(`\nOne key, a heap of 512 MB\n\n${lines.map((line) => `- ${line}`).join('\n')}`)
}
if (isChosen('asset')) await runOn('The first page and script of GraphiQL', UNLIMITED, firstPage)
if (isChosen('fairness')) await runOn('20 connections of movements since 1970', [], fairness)
if (isChosen('movements')) await runOn('Five movements on three connections', UNLIMITED, fewMovements)
if (isChosen('log')) await runOn('A long write-ahead log', UNLIMITED, longLog)
if (isChosen('bodies')) await runOn('Three connections of bodies of 16 MB', UNLIMITED, largeBodies)
if (isChosen('rows')) await runOn('Rows as large as may be', UNLIMITED, largeRows)
if (isChosen('writes')) await runOn('Changes of very many rows', UNLIMITED, longWrites(build))
if (isChosen('commands')) console.log(`\nThe command line\n\n- ${commandTimes(build).join('\n- ')}`)
console.log(`\nwrong answers           ${wrong.length}`)
process.exit(wrong.length === 0 ? 0 : 1)
