import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMMIT, VERSION } from '../../about.js'
import type { TokenSettings } from '../../auth/tokenSettings.js'
import { type Config, MEGABYTE } from '../../config.js'
import { createApp } from '../../http/app.js'
import { createLog } from '../../http/observe/log.js'
import { connectionsTo, createHttpServer, drain } from '../../http/server.js'
import { LIMITS } from '../../limits.js'
import { resumeWrites } from '../../personnel/removedGroups.js'
import { shownAddress } from '../../store/address.js'
import { openStore } from '../../store/open.js'
import { CommandFailed, say } from '../command.js'
import { demoBanner, prepareDemo } from './demo.js'

interface ServeOptions {
  readonly isDemo: boolean
  readonly oidc: TokenSettings | undefined
  readonly clock: () => Date
  readonly stop: Promise<NodeJS.Signals>
}

/** By then a client that waited for the start has sent its first request. */
const GRAPHQL_LOADED_AFTER_MS = 250

const CLOSING_MS = 1_000

export async function serve(config: Config, { isDemo, oidc, clock, stop }: ServeOptions): Promise<void> {
  const log = createLog(config.logLevel, process.stdout)
  process.once('exit', () => log.flush())
  log.info({ version: VERSION, commit: COMMIT, store: shownAddress(config.database) }, 'starting')
  const onNotice = (sentence: string) => {
    log.warn(sentence)
    // A migration of SQLite holds the event loop, on which lines are written.
    log.flush()
  }
  const store = await openStore(config.database, { ...config, onNotice })
  let stoppedAt: number | undefined
  try {
    const demoKey = isDemo ? await prepareDemo(store, clock) : undefined
    const isLocal = ['127.0.0.1', 'localhost', '::1'].includes(config.host)
    // Loaded only if needed.
    const { createMetrics } = config.metricsPort === undefined ? {} : await import('../../http/observe/metrics.js')
    const metrics = createMetrics?.(store, config.documents)
    const { createTokens } = oidc ? await import('../../auth/tokens.js') : {}
    const tokens = oidc && createTokens?.(oidc, { clock, onNotice })
    // Not awaited: the server starts without its identity provider, and a notice says what is wrong with it.
    void tokens?.provider.read()
    const app = createApp({
      store,
      log,
      clock,
      ...config,
      tokens,
      ratePerMinute: config.rateLimit,
      responseCacheBytesMax: config.responseCacheMegabytes * MEGABYTE,
      inFlightBytesMax: config.inFlightMegabytes * MEGABYTE,
      responseBytesMax: config.responseMegabytes * MEGABYTE,
      demoKey: isLocal ? demoKey : undefined,
      onFinished: metrics?.onFinished,
    })
    const server = createHttpServer(app, { connectionsPerAddressMax: config.connectionsPerAddress })
    metrics?.watch(() => ({ ...app.gauges(), connections: connectionsTo(server) }))
    const origin = await listen(server, config.host, config.port)
    // Prometheus scrapes more often than that, so its connection is kept.
    const watched = metrics && createServer({ keepAliveTimeout: LIMITS.idleMs }, metrics.listener)
    if (watched) say(`Metrics at ${await listen(watched, config.host, config.metricsPort ?? 0)}/metrics`)
    if (demoKey) say(demoBanner(origin + config.basePath, demoKey, config))
    else
      say(
        `Operations Gateway ${VERSION} serves ${shownAddress(config.database)} at ${origin}${config.basePath}/ (Ctrl-C stops it).`,
      )
    resumeWrites(store, clock)
    // Preloaded while idle, so that the first query does not wait for it.
    setTimeout(() => import('../../http/graphql/handler.js').catch(() => undefined), GRAPHQL_LOADED_AFTER_MS).unref()
    log.info({ signal: await stop }, 'stopping')
    app.endReadiness()
    await sleep(config.drainMs)
    stoppedAt = performance.now()
    void app.close()
    watched?.close()
    watched?.closeAllConnections()
    await drain(server)
  } finally {
    // Pending background writes of the store, such as a key's last use, get the rest of the shutdown time.
    const takenMs = stoppedAt === undefined ? 0 : performance.now() - stoppedAt
    await store.close(Math.max(0, LIMITS.shutdownMs - CLOSING_MS - takenMs))
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
    return new CommandFailed(`Port ${port} is in use on ${host}. Stop what uses it, or choose another with --port.`)
  }
  if (code === 'EACCES')
    return new CommandFailed(`This user may not listen on port ${port}. Choose one above 1023 with --port.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CommandFailed(`${host} is not an address of this machine. Choose another with --host.`)
  }
  return new CommandFailed(`Cannot listen on ${host}:${port}: ${message}`)
}
