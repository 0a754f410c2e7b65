import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { VERSION } from '../about.js'
import type { Config } from '../config.js'
import { Fault } from '../errors.js'
import { createApp } from '../http/app.js'
import { createLog } from '../http/log.js'
import { problemParts } from '../http/problems.js'
import { LIMITS } from '../limits.js'
import { openStore } from '../store/open.js'
import { CannotListen, say, storeFile } from './command.js'
import { demoBanner, prepareDemo } from './demo.js'

/** Serves until it is told to stop. */
export async function serve(config: Config, isDemo: boolean, clock: () => Date): Promise<void> {
  const store = openStore(config.database, config)
  try {
    const demoKey = isDemo ? await prepareDemo(store, clock) : undefined
    const log = createLog(config.logLevel, process.stdout)
    const isLocal = ['127.0.0.1', 'localhost', '::1'].includes(config.host)
    const app = createApp({ store, log, clock, ...config, demoKey: isLocal ? demoKey : undefined })
    const server = createServer(app.listener)
    server.on('clientError', refuseUnreadable)
    // Whatever else is expected of us is answered as if it had not been said.
    server.on('checkExpectation', app.listener)
    const origin = await listen(server, config)
    const stopped = untilStopped(server, log)
    if (demoKey) say(demoBanner(origin + config.basePath, demoKey, config.graphiql))
    else
      say(
        `Operations Gateway ${VERSION} serves ${storeFile(config)} at ${origin}${config.basePath}/ (Ctrl-C stops it).`,
      )
    await stopped
  } finally {
    await store.close()
  }
}

/** What is no HTTP is refused by Node before any of our code sees it; the answer shall be in our words all the same. */
function refuseUnreadable(_: Error, socket: Duplex): void {
  if (!socket.writable) return
  const fault = new Fault('BAD_REQUEST', 'This cannot be read as an HTTP/1.1 request with at most 16 KB of headers.')
  const requestId = randomUUID()
  const { status, headers, body } = problemParts(fault, requestId)
  const lines = Object.entries({ ...headers, 'request-id': requestId, connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

function listen(server: Server, { host, port }: Config): Promise<string> {
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

/** On SIGTERM or SIGINT, finishes what is running and then resolves. */
function untilStopped(server: Server, log: Logger): Promise<void> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      log.info({ signal }, 'stopping')
      // Connections that fall idle while the last answers go out would otherwise be kept alive.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      const limit = setTimeout(() => server.closeAllConnections(), LIMITS.shutdownMs)
      server.close(() => {
        clearInterval(sweep)
        clearTimeout(limit)
        resolve()
      })
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  })
}
