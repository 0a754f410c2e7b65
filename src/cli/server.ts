import { randomUUID } from 'node:crypto'
import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { VERSION } from '../about.js'
import type { Config } from '../config.js'
import { Fault } from '../errors.js'
import { type App, createApp } from '../http/app.js'
import { createLog } from '../http/log.js'
import { problemParts } from '../http/problems.js'
import { LIMITS } from '../limits.js'
import { openStore } from '../store/open.js'
import { CannotListen, say, storeName } from './command.js'
import { demoBanner, prepareDemo } from './demo.js'

/** Serves until it is told to stop. */
export async function serve(config: Config, isDemo: boolean, clock: () => Date): Promise<void> {
  const stop = stopSignal()
  const store = await openStore(config.database, config)
  try {
    const demoKey = isDemo ? await prepareDemo(store, clock) : undefined
    const log = createLog(config.logLevel, process.stdout)
    const isLocal = ['127.0.0.1', 'localhost', '::1'].includes(config.host)
    // Loaded only where it is wanted.
    const { createMetrics } = config.metricsPort === undefined ? {} : await import('../http/metrics.js')
    const metrics = createMetrics?.(store)
    const app = createApp({
      store,
      log,
      clock,
      ...config,
      ratePerMinute: config.rateLimit,
      demoKey: isLocal ? demoKey : undefined,
      ...(metrics && { onFinished: metrics.onFinished }),
    })
    const server = serverOf(app)
    const origin = await listen(server, config.host, config.port)
    const watched = metrics && createServer(metrics.listener)
    if (watched) say(`Metrics at ${await listen(watched, config.host, config.metricsPort ?? 0)}/metrics`)
    if (demoKey) say(demoBanner(origin + config.basePath, demoKey, config.graphiql))
    else
      say(
        `Operations Gateway ${VERSION} serves ${storeName(config)} at ${origin}${config.basePath}/ (Ctrl-C stops it).`,
      )
    log.info({ signal: await stop }, 'stopping')
    watched?.close()
    watched?.closeAllConnections()
    await finish(server)
  } finally {
    await store.close()
  }
}

function serverOf(app: App): Server {
  const server = createServer(
    {
      maxHeaderSize: LIMITS.headersBytesMax,
      headersTimeout: LIMITS.headersMs,
      requestTimeout: LIMITS.requestMs,
      keepAliveTimeout: LIMITS.idleMs,
      // How exactly the times above are kept.
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    app.listener,
  )
  server.maxConnections = LIMITS.connectionsMax
  server.on('clientError', refuseUnreadable)
  // Whatever else is expected of us is answered as if it had not been said.
  server.on('checkExpectation', app.listener)
  return server
}

const TIMEOUT_CHECK_MS = 1_000

/** What is no HTTP is refused by Node before any of our code sees it; the answer shall be in our words all the same. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return
  const requestId = randomUUID()
  const { status, headers, body } = problemParts(unreadable(error.code), requestId)
  const lines = Object.entries({
    ...headers,
    'request-id': requestId,
    'cache-control': 'no-store',
    connection: 'close',
  })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const reason = STATUS_CODES[status] ?? ''
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

function unreadable(code: string | undefined): Fault {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Fault(
        'REQUEST_TIMEOUT',
        `The headers must arrive within ${LIMITS.headersMs} ms, and all of it within ${LIMITS.requestMs} ms.`,
      )
    case 'HPE_HEADER_OVERFLOW':
      return new Fault('HEADERS_TOO_LARGE', `The headers are larger than ${LIMITS.headersBytesMax} bytes.`)
    default:
      return new Fault('BAD_REQUEST', 'This cannot be read as an HTTP/1.1 request.')
  }
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)))
    server.listen(port, host, () => {
      const { port: taken } = server.address() as AddressInfo
      const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
      resolve(`http://${shown}:${taken}`)
    })
  })
}

function cannotListen({ code, message }: NodeJS.ErrnoException, host: string, port: number): Error {
  if (code === 'EADDRINUSE') {
    return new CannotListen(`Port ${port} is in use on ${host}. Stop what uses it, or choose another with --port.`)
  }
  if (code === 'EACCES')
    return new CannotListen(`Port ${port} needs more rights than this user has. Choose one above 1023 with --port.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CannotListen(`${host} is no address of this machine. Choose another with --host.`)
  }
  return new CannotListen(`Cannot listen on ${host}:${port}: ${message}`)
}

/** Resolves when it is time to stop. From now on, so that a signal which comes before anything listens counts too. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // Not `once`: a second signal would otherwise end the process in the middle of the answers it still owes.
    process.on('SIGTERM', resolve)
    process.on('SIGINT', resolve)
  })
}

/** Lets running requests finish, for a while. */
function finish(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Connections that fall idle while the last answers go out would otherwise be kept alive.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const limit = setTimeout(() => server.closeAllConnections(), LIMITS.shutdownMs)
    server.close(() => {
      clearInterval(sweep)
      clearTimeout(limit)
      resolve()
    })
  })
}
