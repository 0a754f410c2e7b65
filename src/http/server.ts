import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { App } from './app.js'
import { type Connection, type ConnectionLimits, Connections, isLoopback } from './wire/connections.js'
import { bareProblem } from './wire/problems.js'
import { headersTooLarge } from './wire/request.js'

/** How long a stopping server waits for one more request on a connection. */
const LAST_REQUEST_MS = 500
/** How long a connection is read after a response that was sent before the end of the request body. */
const LINGER_MS = 2_000

/** The interval of the checks, and so the precision of the time limits. */
const CHECK_MS = 1_000

export type HttpServerOptions = Partial<ConnectionLimits>

/** The node:http server around the app: sets its limits, and sends problem details for what Node itself refuses. */
export function createHttpServer(app: App, options: HttpServerOptions = {}): Server {
  const connections = new Connections({ ...LIMITS, isExempt: isLoopback, ...options })
  const server = createServer(
    {
      maxHeaderSize: LIMITS.headersBytesMax,
      headersTimeout: LIMITS.headersMs,
      requestTimeout: LIMITS.requestMs,
      keepAliveTimeout: LIMITS.idleMs,
      connectionsCheckingInterval: CHECK_MS,
      // The app refuses a missing Host itself, with problem details.
      requireHostHeader: false,
    },
    oneByOne(app.listener, connections),
  )
  // No limit by count: above one, Node drops headers silently. `maxHeaderSize` bounds them anyway.
  server.maxHeadersCount = 0
  connectionsOf.set(server, connections)
  server.on('connection', (socket) => {
    const connection = connections.admit(socket)
    if (connection) letLinger(connection)
  })
  const everyMs = Math.min(CHECK_MS, (options.unreadMs ?? LIMITS.unreadMs) / 2)
  server.on('listening', () => {
    // One timer for all connections, instead of one for each request.
    const timer = setInterval(() => connections.sweep(everyMs), everyMs).unref()
    server.once('close', () => clearInterval(timer))
  })
  const latest = (socket: Duplex) => connections.of(socket)?.latest
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseAfter(latest(socket), socket, unreadable(error.code))
  })
  server.on('connect', (_, socket) => {
    refuseAfter(latest(socket), socket, new Fault('METHOD_NOT_ALLOWED', 'This server is not a proxy.'))
  })
  server.on('checkContinue', oneByOne(app.checkContinue, connections))
  // `Expect` with any other value than `100-continue` is ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** The number of open connections. */
export function connectionsTo(server: Server): number {
  return connectionsOf.get(server)?.size ?? 0
}

/** The open connections of each server, for `drain`. */
const connectionsOf = new WeakMap<Server, Connections>()

/** Runs pipelined requests one at a time, so that one connection cannot occupy the server with many at once. */
function oneByOne(listener: App['listener'], connections: Connections): RequestListener {
  return (request, response) => {
    const { socket } = request
    const connection = connections.of(socket)
    // Evicted in favour of another connection.
    if (!connection) return void socket.destroy()
    const { last, isTooLong } = connection.queue(response)
    if (isTooLong) socket.destroy()
    if (socket.destroyed) return
    if (last) last.once('close', () => socket.destroyed || listener(request, response))
    else void listener(request, response)
  }
}

/** Delays the close while a request arrives: RST would discard an early response (RFC 9112, 9.6). */
function letLinger(connection: Connection): void {
  const { socket } = connection
  const destroySoon = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const isHeardOut = connection.latest?.req.complete ?? true
    if (isHeardOut) return destroySoon()
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}

/** Refuses what follows the latest request, once its response is sent. After `Connection: close` it is ignored. */
function refuseAfter(latest: ServerResponse | undefined, socket: Duplex, fault: Fault): void {
  if (latest?.shouldKeepAlive === false && latest.req.complete) return
  if (latest && !latest.req.complete) {
    // The response to this request has begun: an error about its body can no longer be sent.
    if (latest.headersSent) socket.destroy()
    else refuse(socket, fault)
  } else if (latest && !latest.writableFinished) latest.once('close', () => refuse(socket, fault))
  else refuse(socket, fault)
}

function refuse(socket: Duplex, fault: Fault): void {
  if (!socket.writable) return
  const { status, headers, body } = bareProblem(fault)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
}

/** The Fault for an error of Node's HTTP parser, by its code. */
function unreadable(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Fault('BAD_REQUEST', 'This cannot be read as an HTTP/1.1 request.')
  }
  const { headersMs, requestMs } = LIMITS
  const sentence = `The headers must arrive within ${headersMs} ms, and the whole request within ${requestMs} ms.`
  return new Fault('REQUEST_TIMEOUT', sentence)
}

/**
 * Waits up to `shutdownMs` for running requests. The app, which is closed, sends `Connection: close` in the next response of
 * a kept-alive connection: closing it without notice may cut off a request that is already on its way.
 */
export function drain(server: Server): Promise<void> {
  // Node counts a connection as idle once its response is written, though a slow client may not have read it yet.
  const isSending = () => connectionsOf.get(server)?.isSending ?? false
  return new Promise((resolve) => {
    const sweep = setInterval(() => isSending() || server.closeIdleConnections(), LAST_REQUEST_MS)
    const limit = setTimeout(() => server.closeAllConnections(), LIMITS.shutdownMs)
    // Not `http.Server.close`, which closes idle connections immediately.
    NetServer.prototype.close.call(server, () => {
      clearInterval(sweep)
      clearTimeout(limit)
      resolve()
    })
  })
}
