import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { BUSY, toFault, UNREACHABLE } from './faults.js'
import { type Hosts, SELECT_STATE, stateIn } from './postgresHosts.js'

/** How long a server may take to close its end of a connection. */
const GOODBYE_MS = 500
const CONNECT_LEAST_MS = 1_500

interface ConnectionsOptions {
  readonly max: number
  readonly isReadOnly: boolean
  /** How long one statement may take. */
  readonly statementMs?: number
  /** Whether statements are sent without a wait for the answers to those before them. */
  readonly isPipelined?: boolean
}

/** The connections of one kind, all to the host that is in use. */
export class Connections {
  private readonly hosts: Hosts
  private readonly options: ConnectionsOptions
  private readonly statementMs: number
  private readonly sockets = new Set<Socket>()
  /** By the place of the host. */
  private readonly pools = new Map<number, pg.Pool>()
  private readonly shared = new WeakSet<object>()

  constructor(hosts: Hosts, options: ConnectionsOptions) {
    this.hosts = hosts
    this.options = options
    this.statementMs = options.statementMs ?? LIMITS.storeStatementMs
  }

  /** A connection of the host in use, or of the next that can be reached and is of the wanted kind. */
  async lend(withinMs: number): Promise<pg.PoolClient> {
    const giveUpAt = performance.now() + withinMs
    for (let tried = 1; ; tried++) {
      const place = this.hosts.current
      try {
        return await lentBy(this.poolOf(place), giveUpAt)
      } catch (error) {
        if (isFull(error) || tried >= this.hosts.urls.length) throw unconnected(error)
        this.hosts.leave(place)
      }
    }
  }

  /** The server's own limit of a statement comes first, unless nothing is heard of the server any more. */
  get answerMs(): number {
    return this.statementMs + LIMITS.storeAnswerMs
  }

  /** Of the host that is in use. */
  get place(): number {
    return this.hosts.current
  }

  get isPipelined(): boolean {
    return this.options.isPipelined === true
  }

  /** Whether a pooler may give each transaction another session of the server, which then must be left as it is. */
  isShared(client: pg.PoolClient): boolean {
    return this.shared.has(client)
  }

  /** Lends none of the connections any more that are there now: one has fallen silent, so the way to all may be gone. */
  distrust(): void {
    for (const pool of this.pools.values()) void pool.end()
    this.pools.clear()
  }

  async close(): Promise<void> {
    const ended = Promise.all([...this.pools.values()].map((pool) => pool.end()))
    await Promise.race([ended, sleep(GOODBYE_MS, undefined, { ref: false })])
    for (const socket of this.sockets) socket.destroy()
  }

  private poolOf(place: number): pg.Pool {
    const pool = this.pools.get(place) ?? this.newPool(place)
    this.pools.set(place, pool)
    return pool
  }

  private newPool(place: number): pg.Pool {
    const pool = new pg.Pool({
      connectionString: this.hosts.urls[place],
      max: this.options.max,
      pipeline: this.isPipelined,
      connectionTimeoutMillis: Math.max(CONNECT_LEAST_MS, LIMITS.storeConnectMs / this.hosts.urls.length),
      idleTimeoutMillis: LIMITS.storeIdleMs,
      // With it goes what it has kept planned, for whoever asked then and as large as the tables were.
      maxLifetimeSeconds: LIMITS.storeConnectionMs / 1_000,
      // libuv sends ten probes, one a second, after this.
      keepAlive: true,
      keepAliveInitialDelayMillis: LIMITS.storeKeepAliveMs,
      stream: () => this.newSocket(),
      types: { getTypeParser },
      fallback_application_name: 'operations',
      onConnect: (client) => this.prepare(client),
    })
    // One that dies while nobody uses it has left the pool already, and the next who needs one gets a fresh one.
    pool.on('error', () => undefined)
    return pool
  }

  private newSocket(): Socket {
    const socket = new Socket()
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket))
    // A host that is gone never closes its end.
    socket.once('finish', () => setTimeout(() => socket.destroy(), GOODBYE_MS).unref())
    return socket
  }

  private async prepare(client: pg.ClientBase): Promise<void> {
    // What happens to a connection is told by the query on it; without a listener it would end the process.
    client.on('error', () => undefined)
    const given = 'processID' in client ? Number(client.processID) : 0
    const text = `${SELECT_STATE}; ${settingsOf(this.options.isReadOnly, this.statementMs, given)}`
    const asked = { text, rowMode: 'array' as const, query_timeout: LIMITS.storeConnectMs }
    // Two statements without parameters have two results, which the types do not know.
    const [state, settings] = [await client.query<unknown[]>(asked)].flat()
    this.hosts.require(stateIn(state?.rows[0]))
    if (settings?.rows.length === 0) this.shared.add(client)
  }
}

/**
 * Sets what holds for the session, but not behind a pooler: it makes up the process id that it gives its client, and
 * may give the session to others. A client that has vanished is noticed by the server too, so that its locks go.
 */
function settingsOf(isReadOnly: boolean, statementMs: number, processId: number): string {
  const settings = {
    ...(isReadOnly && { default_transaction_read_only: 'on' }),
    client_connection_check_interval: LIMITS.storeGoneCheckMs,
    statement_timeout: statementMs,
    lock_timeout: LIMITS.storeBusyMs,
    idle_in_transaction_session_timeout: LIMITS.storeIdleInWriteMs,
    tcp_user_timeout: LIMITS.storeIdleInWriteMs,
    tcp_keepalives_idle: LIMITS.storeKeepAliveMs / 1_000,
    tcp_keepalives_interval: 1,
    tcp_keepalives_count: 10,
  }
  const values = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`)
  // Those that the server has: the check of the connection came with version 14, and not for every system.
  return `select set_config(name, value, false) from (values ${values.join(', ')}) as given (name, value)
    join pg_settings using (name) where pg_backend_pid() = ${processId}
    and (name <> 'client_connection_check_interval' or version() like '%linux%')`
}

/** The driver gives bigints as text; ours are counts and ids, which a number holds. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser

/** A connection of the pool; one that comes too late goes back to it. */
function lentBy(pool: pg.Pool, giveUpAt: number): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const giveUp = () => {
      isLate = true
      reject(new Error(`${FULL} of the request`))
    }
    const timer = setTimeout(giveUp, giveUpAt - performance.now())
    pool.connect().then(
      (client) => {
        clearTimeout(timer)
        if (isLate) client.release()
        else resolve(client)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** What the pool says when it has waited for a connection. */
const FULL = 'timeout exceeded'

function isFull(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(FULL)
}

function unconnected(error: unknown): unknown {
  const fault = toFault(error)
  return fault instanceof Fault ? fault : new Fault('UNAVAILABLE', isFull(error) ? BUSY : UNREACHABLE, { cause: error })
}
