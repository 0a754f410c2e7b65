/** Measures in rounds: each contestant in turn for each workload, so that drift of the machine affects all alike. */
import { rmSync } from 'node:fs'
import { median } from '../../../campaigns/client.js'
import { CONTESTANTS, type Contestant } from '../contestants.js'
import { copyOf, countPeople, type Filled } from '../data.js'
import type { LoadResult } from '../load.js'
import type { Options } from '../options.js'
import { load, type Running, residentBytes } from '../processes.js'
import { wireOf } from '../workloads/requests.js'
import { addPerson, isOpenTo, UNIQUE, type Work } from '../workloads/workloads.js'
import { type Answers, nameOf } from './equality.js'

/** The medians of one contestant's rounds in one workload. */
export interface Figure {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the server per request. */
  readonly cpuMs: number
  readonly residentBytes: number
}

export type Figures = ReadonlyMap<string, Figure>

export const figureName = (work: string, contestant: string) => `${work}: ${contestant}`

/** Upper bound of requests per measurement. */
const REQUESTS_MAX = 2_000_000
const WARM_SHARE = 0.4

export async function measureAll(
  filled: Filled,
  works: readonly Work[],
  answers: Answers,
  options: Options,
): Promise<Figures> {
  const measured = new Map<string, Figure[]>()
  for (let round = 1; round <= options.rounds; round++) {
    for (const work of works) {
      for (const contestant of inTurn(work)) {
        const figure = await measure(filled, work, contestant, answers, options)
        const name = figureName(work.name, contestant.id)
        measured.set(name, [...(measured.get(name) ?? []), figure])
        console.error(
          `round ${round}  ${work.name.padEnd(16)}${contestant.name.padEnd(50)}${figure.perSecond.toFixed(0)}`,
        )
      }
    }
  }
  return new Map([...measured].map(([name, figures]) => [name, medians(figures)]))
}

/** The contestants of a workload in one round; those that are started more often come again after the others. */
function inTurn(work: Work): Contestant[] {
  const all = CONTESTANTS.filter(({ does, api }) => does(work) && isOpenTo(work, api))
  const fromMemory = all.filter(({ isFromMemory }) => isFromMemory)
  const again = Array<Contestant[]>((work.startsFromMemory ?? 1) - 1).fill(fromMemory)
  return [...all, ...again.flat()]
}

async function measure(
  filled: Filled,
  work: Work,
  contestant: Contestant,
  answers: Answers,
  options: Options,
): Promise<Figure> {
  const { api } = contestant
  const [first] = work.reads
  const answer = first ? (answers.get(nameOf(first, api)) ?? '') : ''
  const stage = work.writeShare > 0 ? copyOf(filled) : filled
  const running = await contestant.start(stage, answer)
  try {
    const result = await loaded(running, work, contestant, filled.key, options)
    const bytes = residentBytes(running.pid)
    if (work.writeShare > 0) requireStored(contestant, work, result.writes, countPeople(stage) - countPeople(filled))
    return { ...result, residentBytes: bytes }
  } finally {
    await running.end()
    if (stage !== filled) rmSync(stage.folder, { recursive: true })
  }
}

function loaded(
  { port, pid }: Running,
  work: Work,
  { api, client }: Contestant,
  key: string,
  { seconds, warmUp }: Options,
): Promise<LoadResult> {
  const measureMs = seconds * 1000
  return load({
    port,
    pid,
    clients: work.clients,
    warmMs: Math.max(measureMs * WARM_SHARE, warmUp.msMin),
    warmAnswers: warmUp.answers,
    measureMs,
    requestsMax: REQUESTS_MAX,
    reads: work.reads.map((request) => wireOf(request, api, key, client)),
    write: wireOf(addPerson, api, key, client),
    unique: UNIQUE,
    writeShare: work.writeShare,
    mix: work.mix,
  })
}

/** Every acknowledged write must be stored; those in flight at the end may be. */
function requireStored({ name }: Contestant, { clients }: Work, answered: number, stored: number): void {
  if (stored >= answered && stored <= answered + clients) return
  throw new Error(`${name} acknowledged ${answered} writes and stored ${stored}.`)
}

function medians(figures: readonly Figure[]): Figure {
  const of = (member: keyof Figure) => median(figures.map((figure) => figure[member]))
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpuMs: of('cpuMs'),
    residentBytes: of('residentBytes'),
  }
}
