import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Store } from '../../store/store.js'
import { OPERATIONS } from '../rest/operations.js'
import type { Outcome, Received } from './exchange.js'

/** How long a scrape waits for the store, so that `/metrics` responds within a second even if the store hangs. */
const HEALTH_WAIT_MS = 500
const DURATION_BUCKETS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** Prometheus metrics: request durations by operation, errors by code, and the state of the store and the process. */
export function createMetrics(store: Store) {
  const registry = new Registry()
  const registers = [registry]
  // Event loop lag, memory, file descriptors and the like.
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'operations_request_duration_seconds',
    help: 'Requests by operation, method and status.',
    labelNames: ['operation', 'method', 'status'],
    buckets: DURATION_BUCKETS_S,
    registers,
  })
  const statements = new Counter({ name: 'operations_statements_total', help: 'SQL statements.', registers })
  const refusals = new Counter({
    name: 'operations_refusals_total',
    help: 'Requests that were refused, in whole or in part, by code.',
    labelNames: ['code'],
    registers,
  })
  const readStore = gaugesOf(store, registers)
  return {
    onFinished(
      { request, record: { operation, refusal, statements: count } }: Received,
      { status, ms }: Outcome,
    ): void {
      requests.observe({ operation: labelOf(operation), method: request.method, status }, ms / 1000)
      statements.inc(count)
      if (refusal) refusals.inc({ code: refusal.code })
    },
    listener(request: IncomingMessage, response: ServerResponse): void {
      const isWanted = request.method === 'GET' && request.url === '/metrics'
      if (!isWanted) return void response.writeHead(404).end()
      readStore()
        .then(() => registry.metrics())
        .then(
          (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
          () => response.writeHead(503).end(),
        )
    },
  }
}

/** Creates the gauges of the store, and returns the function that updates them. */
function gaugesOf(store: Store, registers: Registry[]): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const bytes = gauge('operations_store_bytes', 'The size of the store.')
  const logBytes = gauge('operations_store_log_bytes', 'The size of the write-ahead log (the -wal file).')
  const waiting = gauge('operations_waiting_writes', 'Writes that wait for their turn.')
  const writable = gauge('operations_store_writable', '1 while the store can be written, 0 when it can only be read.')
  return async () => {
    // If the store does not respond, report it as not writable and keep the last values of the other gauges.
    const given = store.health().catch(() => undefined)
    const health = await Promise.race([given, sleep(HEALTH_WAIT_MS, undefined, { ref: false })])
    writable.set(health?.isWritable ? 1 : 0)
    if (!health) return
    bytes.set(health.bytes)
    logBytes.set(health.logBytes)
    waiting.set(health.waitingWrites)
  }
}

// Clients choose the names of GraphQL operations, and each would be a time series: only REST operations have their own.
function labelOf(operation: string | undefined): string {
  if (operation === undefined) return 'none'
  return Object.hasOwn(OPERATIONS, operation) ? operation : 'graphql'
}
