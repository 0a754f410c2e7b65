import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { lazily } from '../caches.js'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { createGate } from './gate.js'
import { logOutcome, outcomeOf, type Received, received } from './observe/exchange.js'
import type { AppOptions } from './options.js'
import { createRouter, PROTOCOLS } from './protocols.js'
import { noRoom } from './wire/bytesInFlight.js'
import { namesTag } from './wire/content.js'
import { clientAddress } from './wire/forwarded.js'
import { bareProblem } from './wire/problems.js'
import { FetchRequest, type HttpResponse, NodeRequest, refusalOf, sendToNode, targetOf } from './wire/request.js'
import { createResponseHeaders } from './wire/responseHeaders.js'

export type { AppOptions }

/** The service as a fetch handler and as a request listener for node:http. */
export interface App {
  fetch(request: Request): Promise<Response>
  listener(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** The listener for `checkContinue`: sends `100 Continue` only after the key and the headers have been checked. */
  checkContinue(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** For the metrics. */
  readonly gauges: () => { cacheBytes: number; inFlightBytes: number; waitingPolls: number }
  /** From now on /readyz is 503, and all else is served as before: the server will stop. */
  endReadiness(): void
  /** Ends the requests that wait for a change, and waits for running ones; those that come later do not wait. */
  close(): Promise<void>
}

export function createApp(options: AppOptions, protocols = PROTOCOLS): App {
  const { log, basePath, trustedProxies } = options
  const gate = createGate(options)
  const { inFlight, readiness, waiting, cacheBytes } = gate
  const headers = createResponseHeaders(options.corsOrigins)
  const router = createRouter(gate, protocols)
  let running = 0
  let onIdle = () => {}

  const fresh = async (exchange: Received): Promise<HttpResponse> => {
    // Node emits `request` before it parses the body: yield one microtask, so a body in the same segment is readable.
    await undefined
    const response = headers.preflight(exchange.request) ?? (await router.handle(exchange))
    gate.chargeRefusal(exchange)
    gate.chargeWork(exchange)
    readiness.see(exchange.record.refusal)
    // Not for `If-None-Match: *`, which a client can send without having the response.
    if (response.status === 304 && namesTag(exchange.request.header('if-none-match'), response.headers['etag'])) {
      gate.refundUnchanged(exchange)
    }
    return response
  }

  /** `sending` is undefined for fetch, where the end of sending is not known. */
  const respondTo = async (exchange: Received, sending?: ServerResponse): Promise<HttpResponse> => {
    const { record } = exchange
    running += 1
    try {
      // What it took while it was read and built; what is sent is counted anew.
      let response = await fresh(exchange).finally(() => {
        for (const release of exchange.onReady) release()
      })
      if (sending && response.body && !inFlight.send(sending, response.body, record.keyId)) {
        const there = record.isChange ? 'The change is done, but there' : 'There'
        response = await router.refuse(exchange, noRoom(`${there} is no room to send the response`))
      }
      const outcome = outcomeOf(exchange, response)
      options.onFinished?.(exchange, outcome)
      logOutcome(log, options.slowMs, exchange, outcome)
      return { ...response, headers: headers.complete(exchange.request, response.headers, exchange.headers) }
    } finally {
      running -= 1
      if (running === 0) onIdle()
    }
  }

  const close = lazily(async () => {
    readiness.stop()
    waiting.stop()
    if (running === 0) return
    const idle = new Promise<void>((resolve) => {
      onIdle = resolve
    })
    await Promise.race([idle, sleep(LIMITS.shutdownMs, undefined, { ref: false })])
  })

  const serve = async (request: IncomingMessage, response: ServerResponse, beforeBody?: () => void): Promise<void> => {
    try {
      const target = targetOf(request, basePath)
      const refusal = refusalOf(request, target)
      if (refusal) return refuse(response, refusal)
      const httpRequest = new NodeRequest(request, target, beforeBody)
      const exchange = received(httpRequest, clientAddress(request, trustedProxies), options)
      const answered = await respondTo(exchange, response)
      // Otherwise the connection would keep the server of a host open.
      if (waiting.isStopped) response.shouldKeepAlive = false
      sendToNode(response, answered)
    } catch (error) {
      refuse(response, lastResort(log, error))
    }
  }

  return {
    async fetch(request) {
      // A fetch Request has no client address; limits by address are left to the embedding application.
      const respond = async () => respondTo(received(new FetchRequest(request), undefined, options))
      const { status, headers, body } = await respond().catch((error) => bareProblem(lastResort(log, error)))
      return new Response(body && new Uint8Array(body), { status, headers })
    },
    gauges: () => ({ cacheBytes: cacheBytes(), inFlightBytes: inFlight.inUse, waitingPolls: waiting.size }),
    endReadiness: readiness.stop,
    close,
    listener: (request, response) => serve(request, response),
    // Sent only after the key, Content-Type and Content-Length have been checked.
    checkContinue: (request, response) => serve(request, response, () => response.writeContinue()),
  }
}

/** Turns an uncaught error, such as one thrown by a logger or a metric, into a 500. */
function lastResort(log: Logger, error: unknown): Fault {
  try {
    log.error({ err: error }, 'request failed')
  } catch {
    // The logger may be what failed.
  }
  return new Fault('INTERNAL', 'Something went wrong on our side.', { cause: error })
}

function refuse(response: ServerResponse, fault: Fault): void {
  if (response.writableEnded) return
  // Part of the response is sent: close the connection, so that the client sees that it is incomplete.
  if (response.headersSent) return void response.destroy()
  const { status, headers, body } = bareProblem(fault)
  // After a malformed request, the start of the next one is uncertain.
  response.shouldKeepAlive = false
  response.writeHead(status, headers).end(body)
}
