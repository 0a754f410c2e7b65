/** The targets, as ratios within one run, and whether they are reached. */
import { hasResponseCache } from '../contestants.js'
import type { Crowd } from '../measurements/crowd.js'
import type { Growth } from '../measurements/growth.js'
import { type Figures, figureName } from '../measurements/rounds.js'
import type { Startup } from '../measurements/startup.js'

export interface Results {
  readonly works: readonly { readonly name: string; readonly title: string; readonly clients: number }[]
  readonly figures: Figures
  readonly crowd: Crowd | undefined
  readonly startup: Startup | undefined
  readonly growth: readonly Growth[]
}

export interface Verdict {
  readonly what: string
  readonly target: string
  readonly measured: string
  readonly isReached: boolean
}

interface Ratio {
  readonly work: string
  readonly ours: string
  readonly against: string
  /** Another contestant with the same workload; the faster of the two counts. */
  readonly orAgainst?: string
  readonly least: number
}

const OURS_FIRST: Readonly<Record<string, string>> = hasResponseCache
  ? { rest: 'oursRestFirst', graphql: 'oursGraphqlFirst' }
  : { rest: 'oursRest', graphql: 'oursGraphql' }

const repeated = (work: string, rest: number, graphql: number): Ratio[] => [
  { work, ours: 'oursRest', against: 'limit', least: rest },
  { work, ours: 'oursGraphql', against: 'limit', least: graphql },
]

const first = (work: string, rest: number, graphql: number): Ratio[] => [
  { work, ours: OURS_FIRST['rest'] ?? '', against: 'handWritten', least: rest },
  { work, ours: OURS_FIRST['graphql'] ?? '', against: 'mercurius', least: graphql },
]

const ofGraphqlFirst = (work: string, least: number): Ratio => ({
  ...{ work, ours: OURS_FIRST['graphql'] ?? '', against: 'mercurius', orAgainst: 'mercuriusLoaders', least },
})

/** The headers of a client or router make next to no difference. */
const requestedBy = (id: string): Ratio[] => [
  { work: 'W1', ours: `ours${id}`, against: 'oursGraphql', least: 0.9 },
  { work: 'W1', ours: `ours${id}First`, against: 'oursGraphqlFirst', least: 0.9 },
]

const RATIOS: readonly Ratio[] = [
  ...repeated('W1', 0.8, 0.7),
  ...repeated('W2', 0.8, 0.7),
  ...repeated('W3', 0.95, 0.9),
  ...first('W1', 1.2, 1.3),
  ...first('W2', 1.2, 1.7),
  ...first('W3', 2, 1),
  ...requestedBy('ApolloClient'),
  ...requestedBy('ApolloRouter'),
  { work: 'W4, 32 clients', ours: 'oursRest', against: 'handWritten', least: 1.5 },
  { work: 'W4, 1 client', ours: 'oursRest', against: 'handWritten', least: 0.75 },
  { work: 'W5', ours: 'oursRest', against: 'handWritten', least: 3 },
  { work: 'W6', ours: 'oursGraphql', against: 'limitPost', least: 0.7 },
  ...['W6', 'W7', 'W8', 'W9'].map((work) => ofGraphqlFirst(work, 1.5)),
]

const START_MS_MAX = 600
const REST_BYTES_MAX = 120e6
const KEPT_BYTES_MAX = 64e6
const LOADED_BYTES_MAX = 200e6 + KEPT_BYTES_MAX
const GROWTH_MAX = 1.5
const WAITING_MAX = 3
const GAIN_MIN = 1.2

const WORDS: Readonly<Record<string, string>> = {
  oursRest: 'REST',
  oursGraphql: 'GraphQL',
  oursRestFirst: 'REST, uncached,',
  oursGraphqlFirst: 'GraphQL, uncached,',
  oursApolloClient: 'GraphQL, requested by Apollo Client,',
  oursApolloClientFirst: 'GraphQL, requested by Apollo Client, uncached,',
  oursApolloRouter: 'GraphQL, requested by Apollo Router,',
  oursApolloRouterFirst: 'GraphQL, requested by Apollo Router, uncached,',
  limit: 'the limit',
  limitPost: 'the limit of a POST of its size',
  handWritten: 'hand-written',
  mercurius: 'mercurius',
}

export function verdicts({ figures, crowd, startup, growth }: Results): Verdict[] {
  return [
    ...RATIOS.flatMap((ratio) => ratioVerdict(figures, ratio)),
    ...memoryVerdict(figures),
    ...(crowd ? crowdVerdicts(crowd) : []),
    ...(startup ? startVerdicts(startup) : []),
    ...growthVerdicts(growth),
  ]
}

function ratioVerdict(figures: Figures, { work, ours, against, orAgainst, least }: Ratio): Verdict[] {
  const rate = (id: string) => figures.get(figureName(work, id))?.perSecond ?? 0
  const [one, other] = [rate(ours), Math.max(rate(against), orAgainst ? rate(orAgainst) : 0)]
  if (one === 0 || other === 0) return []
  const ratio = one / other
  const what = `${work}: ${WORDS[ours]} against ${WORDS[against]}${orAgainst ? ', with or without loaders' : ''}`
  return [{ what, target: `>= ${least.toFixed(2)}`, measured: ratio.toFixed(2), isReached: ratio >= least }]
}

function memoryVerdict(figures: Figures): Verdict[] {
  const figure = figures.get(figureName('W5', 'oursRest'))
  return figure ? [atMost('W5: memory', figure.residentBytes / 1e6, LOADED_BYTES_MAX / 1e6, 'MB')] : []
}

function crowdVerdicts({ quietP99Ms, crowdedP99Ms, waiting, gain }: Crowd): Verdict[] {
  const p99s = `${crowdedP99Ms.toFixed(2)} against ${quietP99Ms.toFixed(2)} ms`
  return [
    {
      what: 'W10: p99 of a page of 50 while 4 clients read all people, against a quiet server',
      ...{ target: `<= ${WAITING_MAX.toFixed(2)}`, measured: `${waiting.toFixed(2)} (${p99s})` },
      isReached: waiting <= WAITING_MAX,
    },
    {
      what: 'W10: all people for 4 clients, two cores against one',
      ...{ target: `>= ${GAIN_MIN.toFixed(2)}`, measured: gain.toFixed(2), isReached: gain >= GAIN_MIN },
    },
  ]
}

function startVerdicts({ firstAnswerMs, restBytes }: Startup): Verdict[] {
  return [
    atMost('start to first response', firstAnswerMs, START_MS_MAX, 'ms'),
    atMost('memory at rest', restBytes / 1e6, REST_BYTES_MAX / 1e6, 'MB'),
  ]
}

function growthVerdicts(growth: readonly Growth[]): Verdict[] {
  const [least] = growth
  const most = growth.at(-1)
  if (!least || !most || least === most) return []
  return least.costs.map(({ name, microseconds }, column) => {
    const ratio = (most.costs[column]?.microseconds ?? 0) / microseconds
    const what = `${name}: ${most.rows.toLocaleString('en')} rows against ${least.rows.toLocaleString('en')}`
    const target = `<= ${GROWTH_MAX.toFixed(2)}`
    return { what, target, measured: ratio.toFixed(2), isReached: ratio <= GROWTH_MAX }
  })
}

function atMost(what: string, value: number, most: number, unit: string): Verdict {
  return { what, target: `<= ${most} ${unit}`, measured: `${value.toFixed(0)} ${unit}`, isReached: value <= most }
}
