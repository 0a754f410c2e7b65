import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { COMMIT, VERSION } from '../../about.js'
import type { Documents } from '../../config.js'
import { CATALOGUE } from '../../errors.js'
import type { Store } from '../../store/store.js'
import { SECTIONS } from '../../work.js'
import { type Outcome, queryHash, type Received, type RequestRecord } from './exchange.js'

/** How long a scrape waits for the store, so that `/metrics` responds within a second even if the store hangs. */
const HEALTH_WAIT_MS = 500
const DURATION_BUCKETS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
/** Keys that have time series of their own; all others share one. */
const KEYS_MAX = 100
const OTHERS = 'other'

/** Prometheus metrics: what requests do and use, and the state of the store and the process. */
export function createMetrics(store: Store, documents: Documents = new Map()) {
  const stored = new Set([...documents.values()].map(queryHash))
  const registry = new Registry()
  const registers = [registry]
  // Event loop lag, memory, file descriptors and the like.
  collectDefaultMetrics({ register: registry })
  const counter = <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers })
  const gauge = <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers })
  gauge('operations_build_info', 'The version and the commit of the program.', 'version', 'commit').set(
    { version: VERSION, commit: COMMIT },
    1,
  )
  const requests = new Histogram({
    name: 'operations_request_duration_seconds',
    help: 'Requests by operation, method and status.',
    labelNames: ['operation', 'method', 'status'],
    buckets: DURATION_BUCKETS_S,
    registers,
  })
  const statements = counter('operations_statements_total', 'SQL statements.')
  const refusals = counter(
    'operations_refusals_total',
    'Requests that were refused, in whole or in part, by code.',
    'code',
  )
  const work = counter('operations_work_seconds_total', 'Work of requests, by section.', 'section')
  const ofKeys = counter('operations_key_requests_total', 'Requests by key.', 'key')
  const workOfKeys = counter('operations_key_work_seconds_total', 'Work of requests by key.', 'key')
  const hits = counter('operations_cache_hits_total', 'Responses from the cache.')
  const followed = gauge('operations_feed_position', 'The last change that a key has read from the feed.', 'key')
  for (const code of Object.keys(CATALOGUE)) refusals.inc({ code }, 0)
  for (const section of SECTIONS) work.inc({ section }, 0)
  const keys = new Set<string>()
  const keyLabel = (keyId: string) => {
    // People are many, and their subjects may be addresses.
    const [kind = ''] = keyId.split(':', 1)
    if (kind === 'oidc' || kind === 'host') return kind
    if (keys.size < KEYS_MAX) keys.add(keyId)
    return keys.has(keyId) ? keyId : OTHERS
  }
  const state = stateGauges(store, gauge)
  const text = async () => {
    await state.read()
    return registry.metrics()
  }
  return {
    /** Set once there are an app and a server. */
    watch(gauges: () => Gauges): void {
      state.gauges = gauges
    },
    onFinished({ request, record }: Received, { status, ms, endsWith }: Outcome): void {
      const { refusal, keyId } = record
      requests.observe({ operation: labelOf(record, stored), method: request.method, status }, ms / 1_000)
      statements.inc(record.statements)
      if (record.isCached) hits.inc()
      for (const [section, workMs] of record.work.entries) work.inc({ section }, workMs / 1_000)
      if (refusal) refusals.inc({ code: refusal.code })
      if (keyId === undefined) return
      const key = keyLabel(keyId)
      ofKeys.inc({ key })
      workOfKeys.inc({ key }, record.work.totalMs / 1_000)
      // The position of many keys together says nothing.
      if (endsWith !== undefined && key !== OTHERS) followed.set({ key }, endsWith)
    },
    listener(request: IncomingMessage, response: ServerResponse): void {
      const isWanted = request.method === 'GET' && request.url === '/metrics'
      if (!isWanted) return void response.writeHead(404).end()
      text().then(
        (body) => response.writeHead(200, { 'content-type': registry.contentType }).end(body),
        () => response.writeHead(503).end(),
      )
    },
    text,
  }
}

/** Gauges that are read at each scrape, by the member of the health of the store or of the state of the server. */
const GAUGES = {
  bytes: ['operations_store_bytes', 'The size of the store.'],
  logBytes: ['operations_store_log_bytes', 'The size of the write-ahead log (the -wal file).'],
  waitingWrites: ['operations_waiting_writes', 'Writes that wait for their turn.'],
  waitingReads: ['operations_waiting_reads', 'Reads that wait for a read worker or a connection.'],
  busyReaders: ['operations_busy_readers', 'Read workers or connections that are reading.'],
  lastChange: ['operations_last_change', 'The id of the last change in the history.'],
  cacheBytes: ['operations_cache_bytes', 'The size of the response cache.'],
  inFlightBytes: ['operations_in_flight_bytes', 'Bodies being received, and responses being built and sent.'],
  waitingPolls: ['operations_waiting_polls', 'Requests that wait for a change.'],
  connections: ['operations_connections', 'Open connections.'],
} as const

type Gauges = { readonly [Member in keyof typeof GAUGES]?: number }

function stateGauges(store: Store, gauge: (name: string, help: string) => Gauge) {
  const writable = gauge('operations_store_writable', '1 while the store can be written, 0 when it can only be read.')
  const gauges = Object.entries(GAUGES).map(([member, [name, help]]) => [member, gauge(name, help)] as const)
  const set = (values: Readonly<Record<string, unknown>>) => {
    for (const [member, one] of gauges) if (member in values) one.set(Number(values[member]))
  }
  const state = {
    gauges: (): Gauges => ({}),
    async read(): Promise<void> {
      set(state.gauges())
      // If the store does not respond, report it as not writable and keep the last values of the other gauges.
      const given = store.health().catch(() => undefined)
      const health = await Promise.race([given, sleep(HEALTH_WAIT_MS, undefined, { ref: false })])
      writable.set(health?.isWritable ? 1 : 0)
      set({ ...health })
    },
  }
  return state
}

// Clients choose the names of GraphQL operations, and each would be a time series: REST operations have their own, and
// those of documents that the operator has stored.
function labelOf({ operation, query, hash }: RequestRecord, stored: ReadonlySet<string>): string {
  if (operation === undefined) return 'none'
  const document = hash ?? (query && queryHash(query))
  if (document === undefined) return operation
  return stored.has(document) ? `graphql:${operation}` : 'graphql'
}
