/** The contestants, and how each is started. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MAIN, serve } from '../../campaigns/served.js'
import { type Filled, storeOf } from './data.js'
import { ON_SERVER_CORE, type Running, startScript } from './processes.js'
import { APOLLO_CLIENT, APOLLO_ROUTER, type Client } from './workloads/requests.js'
import { type Api, isOpenTo, type Work } from './workloads/workloads.js'

export interface Contestant {
  readonly id: string
  readonly name: string
  readonly api: Api
  /** The client whose requests it gets; plain ones if absent. */
  readonly client?: Client
  /** Whether the contestant takes part in a workload. */
  readonly does: (work: Work) => boolean
  /** Whether it sends a response that it keeps in memory. */
  readonly isFromMemory?: boolean
  /** `answer` is the expected response, for the contestant that serves it from memory. */
  readonly start: (filled: Filled, answer: string) => Promise<Running>
}

const EQUAL_FOOTING = ['--rate-limit', '0', '--log-level', 'silent']
/** The limiter counts and the log is written, but no request is rejected. */
const AS_DELIVERED = ['--rate-limit', '10000000']

const CACHE_FLAG = '--response-cache-megabytes'
/** Whether this build has a response cache; if not, every response is uncached. */
export const hasResponseCache = execFileSync(process.execPath, [MAIN, 'serve', '--help'], {
  encoding: 'utf8',
}).includes(CACHE_FLAG)
/** Our settings without the response cache. */
export const UNCACHED = [...EQUAL_FOOTING, ...(hasResponseCache ? [CACHE_FLAG, '0'] : [])]

const everything: Contestant['does'] = () => true
const onlyReads = ({ writeShare }: Work) => writeShare === 0
const onlyW1 = ({ name }: Work) => name === 'W1'

const onlyOfGraphql = (work: Work) => !isOpenTo(work, 'rest')

function script(id: string, name: string, api: Api, does = everything): Contestant {
  const start = (filled: Filled) => startScript(scriptOf(id), storeOf(filled.folder))
  return { id, name, api, does, start }
}

function limit(id: string, name: string, api: Api): Contestant {
  const start = ({ folder }: Filled, answer: string) => {
    const file = join(folder, `${id}.json`)
    writeFileSync(file, answer)
    return startScript(scriptOf('limit'), file)
  }
  return { id, name, api, does: onlyReads, isFromMemory: true, start }
}

function scriptOf(id: string): string {
  return fileURLToPath(new URL(`contestants/${id}.mjs`, import.meta.url))
}

/** Starts our server on a store with these settings. */
export async function startOurs(
  { folder }: Filled,
  settings: readonly string[],
  under = ON_SERVER_CORE,
): Promise<Running> {
  const served = await serve(folder, settings, under)
  return {
    pid: served.pid,
    port: Number(new URL(served.origin).port),
    end: async () => {
      await served.end('SIGKILL')
    },
  }
}

function ours(id: string, name: string, api: Api, settings: readonly string[], does = everything): Contestant {
  const isFromMemory = settings !== UNCACHED
  return { id, name, api, does, isFromMemory, start: (filled) => startOurs(filled, settings) }
}

/** Ours with the requests of one client or router, cached and uncached. */
function requestedBy(id: string, name: string, client: Client): Contestant[] {
  const cached = ours(`ours${id}`, `ours, GraphQL, requested by ${name}`, 'graphql', EQUAL_FOOTING, onlyW1)
  const first = ours(`ours${id}First`, `${cached.name}, uncached`, 'graphql', UNCACHED, onlyW1)
  return [cached, ...(hasResponseCache ? [first] : [])].map((one) => ({ ...one, client }))
}

// Without a response cache, cached and uncached are the same, and are measured once.
const uncached = hasResponseCache
  ? [
      ours('oursRestFirst', 'ours, REST, uncached', 'rest', UNCACHED),
      ours('oursGraphqlFirst', 'ours, GraphQL, uncached', 'graphql', UNCACHED),
    ]
  : []

export const CONTESTANTS: readonly Contestant[] = [
  limit('limit', 'a Buffer in memory on node:http (the limit)', 'rest'),
  limit('limitPost', 'the same to the POST of a GraphQL query', 'graphql'),
  script('handWritten', 'node:http, prepared SQL, JSON.stringify by hand', 'rest'),
  script('fastify', 'Fastify with response schemas', 'rest'),
  script('mercurius', 'mercurius with JIT', 'graphql'),
  // With synchronous prepared statements, loaders cost more than they save; both are shown for nested selections.
  script('mercuriusLoaders', 'mercurius with JIT and loaders', 'graphql', onlyOfGraphql),
  script('apollo', 'Apollo Server', 'graphql'),
  script('yoga', 'Yoga and Pothos, untuned', 'graphql'),
  ours('oursRest', 'ours, REST', 'rest', EQUAL_FOOTING),
  ours('oursGraphql', 'ours, GraphQL', 'graphql', EQUAL_FOOTING),
  ...uncached,
  ...requestedBy('ApolloClient', 'Apollo Client', APOLLO_CLIENT),
  ...requestedBy('ApolloRouter', 'Apollo Router', APOLLO_ROUTER),
  ours('oursDelivered', 'ours, REST, with log and rate limit', 'rest', AS_DELIVERED, onlyW1),
]
