import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { App } from './app.js'
import { type Connection, type ConnectionLimits, Connections, isLoopback } from './connections.js'
import { headersTooLarge } from './incoming.js'
import { bareProblem } from './problems.js'

/** How exactly the times of the limits are kept. */
const CHECK_MS = 1_000

export type HttpServerOptions = Partial<ConnectionLimits>

/** A server of node:http around the app: its limits, and our words for what it refuses by itself. */
export function createHttpServer(app: App, options: HttpServerOptions = {}): Server {
  const connections = new Connections({ ...LIMITS, isExempt: isLoopback, ...options })
  const server = createServer(
    {
      maxHeaderSize: LIMITS.headersBytesMax,
      headersTimeout: LIMITS.headersMs,
      requestTimeout: LIMITS.requestMs,
      keepAliveTimeout: LIMITS.idleMs,
      connectionsCheckingInterval: CHECK_MS,
      // Refused by the app, in words.
      requireHostHeader: false,
    },
    oneByOne(app.listener, connections),
  )
  // Beyond its own count Node would drop headers without a word; their size is bounded in any case.
  server.maxHeadersCount = 0
  connectionsOf.set(server, connections)
  server.on('connection', (socket) => {
    const connection = connections.admit(socket)
    if (connection) letLinger(connection)
  })
  sweepWhileOpen(server, connections, Math.min(CHECK_MS, (options.unreadMs ?? LIMITS.unreadMs) / 2))
  const latest = (socket: Duplex) => connections.of(socket)?.latest
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseAfter(latest(socket), socket, unreadable(error.code))
  })
  server.on('connect', (_, socket) => {
    refuseAfter(latest(socket), socket, new Fault('METHOD_NOT_ALLOWED', 'This is no proxy.'))
  })
  server.on('checkContinue', oneByOne(app.checkContinue, connections))
  // Whatever else is expected of us is answered as if it had not been said.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** The connections that each server has open. */
const connectionsOf = new WeakMap<Server, Connections>()

/** One timer for all connections, so that a request needs none of its own. */
function sweepWhileOpen(server: Server, connections: Connections, everyMs: number): void {
  server.on('listening', () => {
    const timer = setInterval(() => connections.sweep(everyMs), everyMs).unref()
    server.once('close', () => clearInterval(timer))
  })
}

/** Requests that are sent without waiting for answers take their turns, so that nobody else waits for all of them. */
function oneByOne(listener: App['listener'], connections: Connections): RequestListener {
  return (request, response) => {
    const { socket } = request
    const connection = connections.of(socket)
    // It has just lost its place to another.
    if (!connection) return void socket.destroy()
    const { last, isTooLong } = connection.queue(response)
    if (isTooLong) socket.destroy()
    if (socket.destroyed) return
    if (last) last.once('close', () => socket.destroyed || listener(request, response))
    else void listener(request, response)
  }
}

/**
 * Whoever is answered before it has sent everything must be able to read the answer: a connection that is closed while
 * more comes in is reset, and what was sent on it is lost (RFC 9112, 9.6).
 */
function letLinger(connection: Connection): void {
  const { socket } = connection
  const destroySoon = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const isHeardOut = connection.latest?.req.complete ?? true
    if (isHeardOut) return destroySoon()
    socket.end()
    setTimeout(() => socket.destroy(), LIMITS.lingerMs).unref()
  }
}

/** Refuses what came on a connection after its latest request, unless that was to be the last, or the rest of that. */
function refuseAfter(latest: ServerResponse | undefined, socket: Duplex, fault: Fault): void {
  if (latest?.shouldKeepAlive === false && latest.req.complete) return
  if (latest && !latest.req.complete) {
    // Whoever has its answer, or a part of it, is told nothing more of a body that went wrong.
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

/** What is no HTTP is refused by Node before any of our code sees it. */
function unreadable(code: string | undefined): Fault {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Fault(
        'REQUEST_TIMEOUT',
        `The headers must arrive within ${LIMITS.headersMs} ms, and all of it within ${LIMITS.requestMs} ms.`,
      )
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge()
    default:
      return new Fault('BAD_REQUEST', 'This cannot be read as an HTTP/1.1 request.')
  }
}

/**
 * Lets running requests finish, for a while. A caller that keeps its connection is told with its next answer that it is
 * the last one there: a connection closed without a word may cut a request that is already on its way.
 */
export function drain(server: Server): Promise<void> {
  const toldLast: RequestListener = (_, response) => {
    response.shouldKeepAlive = false
  }
  server.prependListener('request', toldLast).prependListener('checkContinue', toldLast)
  // To Node a connection is idle once its answer is written, though most of it may wait for whoever reads it slowly.
  const isSending = () => connectionsOf.get(server)?.isSending ?? false
  return new Promise((resolve) => {
    const sweep = setInterval(() => isSending() || server.closeIdleConnections(), LIMITS.lastRequestMs)
    const limit = setTimeout(() => server.closeAllConnections(), LIMITS.shutdownMs)
    // Not the close of http.Server, which closes idle connections at once.
    NetServer.prototype.close.call(server, () => {
      clearInterval(sweep)
      clearTimeout(limit)
      resolve()
    })
  })
}
