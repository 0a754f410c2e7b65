import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { App } from './app.js'
import { headersTooLarge } from './incoming.js'
import { bareProblem } from './problems.js'

/** How exactly the times of the limits are kept. */
const TIMEOUT_CHECK_MS = 1_000

/** A server of node:http around the app: its limits, and our words for what it refuses by itself. */
export function createHttpServer(app: App): Server {
  const owed: Owed = new WeakMap()
  const server = createServer(
    {
      maxHeaderSize: LIMITS.headersBytesMax,
      headersTimeout: LIMITS.headersMs,
      requestTimeout: LIMITS.requestMs,
      keepAliveTimeout: LIMITS.idleMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Refused by the app, in words.
      requireHostHeader: false,
    },
    oneByOne(app.listener, owed),
  )
  server.maxConnections = LIMITS.connectionsMax
  // Beyond its own count Node would drop headers without a word; their size is bounded in any case.
  server.maxHeadersCount = 0
  const sockets = new Set<Socket>()
  socketsOf.set(server, sockets)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    letLinger(socket, owed)
  })
  const latest = (socket: Duplex) => owed.get(socket)?.at(-1)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseAfter(latest(socket), socket, unreadable(error.code))
  })
  server.on('connect', (_, socket) => {
    refuseAfter(latest(socket), socket, new Fault('METHOD_NOT_ALLOWED', 'This is no proxy.'))
  })
  // Whatever else is expected of us is answered as if it had not been said.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** The connections that each server has open. */
const socketsOf = new WeakMap<Server, ReadonlySet<Socket>>()

/** The answers that a connection waits for, in their order, and the last one that it was given. */
type Owed = WeakMap<Duplex, readonly ServerResponse[]>

/** Requests that are sent without waiting for answers take their turns, so that nobody else waits for all of them. */
function oneByOne(listener: App['listener'], owed: Owed): RequestListener {
  return (request, response) => {
    const { socket } = request
    const before = owed.get(socket)?.filter((one) => !one.writableFinished) ?? []
    owed.set(socket, [...before, response])
    if (before.length >= LIMITS.pipelinedMax) socket.destroy()
    if (socket.destroyed) return
    const last = before.at(-1)
    if (last) last.once('close', () => socket.destroyed || listener(request, response))
    else void listener(request, response)
  }
}

/**
 * Whoever is answered before it has sent everything must be able to read the answer: a connection that is closed while
 * more comes in is reset, and what was sent on it is lost (RFC 9112, 9.6).
 */
function letLinger(socket: Socket, owed: Owed): void {
  const destroySoon = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const isHeardOut = owed.get(socket)?.at(-1)?.req.complete ?? true
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
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false
  })
  // To Node a connection is idle once its answer is written, though most of it may wait for whoever reads it slowly.
  const isSending = () => [...(socketsOf.get(server) ?? [])].some(({ writableLength }) => writableLength > 0)
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
