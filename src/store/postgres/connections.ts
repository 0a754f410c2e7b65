import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { FairSlots, PATIENCE_MS } from '../fairQueue.js'
import { BUSY, isOfConnection, storeClosed, toFault, UNREACHABLE } from '../faults.js'
import { type Hosts, SELECT_STATE } from './hosts.js'
import { Names, type OnSent, type Run, runOn } from './session.js'

/** How long a key has at most half of the connections after another key had to wait for one. */
const SHARE_MS = 5_000
/** How long opening a connection, or waiting for a free one, may take. */
const CONNECT_MS = 3_000
/** How long past its limit a statement may take before the connection is discarded. */
export const ANSWER_MS = 1_000
/** How long a connection may be silent before TCP probes it. */
const KEEP_ALIVE_MS = 5_000
/** How long a write may pause between two statements before it is rolled back. */
export const IDLE_IN_WRITE_MS = 10_000

/** Time limit for the server to close its end of a connection. */
const GOODBYE_MS = 500
const CONNECT_LEAST_MS = 1_500
/** Part of a statement's time that is reserved for running it, not for the wait for a connection; at most half. */
const ANSWER_LEAST_MS = 1_000

interface ConnectionsOptions {
  readonly max: number
  readonly isReadOnly: boolean
  readonly statementMs: number
  readonly onSent?: OnSent | undefined
}

export interface Session {
  readonly run: Run
  release(isBroken: boolean): void
}

/** Runs work in one read-only transaction, so that all its statements see one snapshot. */
export type AtOnce = <V>(work: (run: Run) => Promise<V>) => Promise<V>

/** A pool of connections for one purpose, to the host in use. */
export class Connections {
  /** Longer than statement_timeout, so it only ends statements when the server is unresponsive. */
  readonly answerMs: number
  private readonly hosts: Hosts
  private readonly options: ConnectionsOptions
  private readonly sockets = new Set<Socket>()
  /** By the index of the host. */
  private readonly pools = new Map<number, pg.Pool>()
  private readonly names = new WeakMap<object, Names>()
  turns: FairSlots
  private isClosed = false

  constructor(hosts: Hosts, options: ConnectionsOptions) {
    this.hosts = hosts
    this.options = options
    this.turns = turnsFor(options.max)
    this.answerMs = options.statementMs + ANSWER_MS
  }

  /** A connection, which owners take in turns. */
  async lend(withinMs: number, owner = ''): Promise<Session> {
    if (this.isClosed) throw storeClosed()
    const { entered, leave } = this.turns.enter(owner)
    try {
      if (entered) await inTime(entered, withinMs)
      const client = await this.connect()
      const { answerMs, names, options } = this
      return {
        run: runOn(client, { answerMs, names: names.get(client), onSent: options.onSent }),
        release(isBroken) {
          client.release(isBroken)
          leave()
        },
      }
    } catch (error) {
      leave()
      throw unconnected(error)
    }
  }

  /** Runs each statement on any free connection. */
  alone(owner?: string): Run {
    return async (text, values, { timeoutMs = this.answerMs, ...how } = {}) => {
      const began = performance.now()
      const giveUpAt = began + timeoutMs
      const { run, release } = await this.lend(waitMsOf(timeoutMs), owner)
      const waitedMs = performance.now() - began
      try {
        const result = await run(text, values, { ...how, timeoutMs: Math.max(1, giveUpAt - performance.now()) })
        release(false)
        return Object.assign(result, { waitedMs })
      } catch (error) {
        release(isOfConnection(error))
        throw error
      }
    }
  }

  atOnce(owner?: string): AtOnce {
    return async (work) => {
      const { run, release } = await this.lend(waitMsOf(this.answerMs), owner)
      try {
        await run('begin isolation level repeatable read read only')
        const done = await work(run)
        await run('commit')
        release(false)
        return done
      } catch (error) {
        // Discard the connection: its transaction may be in any state.
        release(true)
        throw error
      }
    }
  }

  /** To the host in use, or to the next reachable one that meets `target_session_attrs`. */
  private async connect(): Promise<pg.PoolClient> {
    for (let tried = 1; ; tried++) {
      const place = this.hosts.current
      try {
        return await (this.pools.get(place) ?? this.newPool(place)).connect()
      } catch (error) {
        if (isFull(error) || tried >= this.hosts.urls.length) throw error
        this.hosts.leave(place)
      }
    }
  }

  /** Discards all connections: one was unresponsive, so the network path may be broken for all. */
  distrust(): void {
    for (const pool of this.pools.values()) if (!pool.ending) void pool.end()
    this.pools.clear()
    // Whoever waits must not wait for connections that hang.
    this.turns.open()
    this.turns = turnsFor(this.options.max)
  }

  async close(): Promise<void> {
    this.isClosed = true
    const ended = Promise.all([...this.pools.values()].map((pool) => pool.end()))
    await Promise.race([ended, sleep(GOODBYE_MS, undefined, { ref: false })])
    for (const socket of this.sockets) socket.destroy()
  }

  private newPool(place: number): pg.Pool {
    const pool = new pg.Pool({
      connectionString: this.hosts.urls[place],
      max: this.options.max,
      connectionTimeoutMillis: Math.max(CONNECT_LEAST_MS, CONNECT_MS / this.hosts.urls.length),
      idleTimeoutMillis: 60_000,
      // Cached plans end with the connection: they were made for the values and table sizes of that time.
      maxLifetimeSeconds: 900,
      // After this delay libuv sends ten probes, one each second.
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream: () => this.newSocket(),
      types: { getTypeParser },
      fallback_application_name: 'operations',
      onConnect: (client) => this.prepare(client),
    })
    // An idle connection that fails has already left the pool, which opens a new one on demand.
    pool.on('error', () => undefined)
    this.pools.set(place, pool)
    return pool
  }

  private newSocket(): Socket {
    const socket = new Socket()
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket))
    // An unreachable host never closes its end.
    socket.once('finish', () => setTimeout(() => socket.destroy(), GOODBYE_MS).unref())
    return socket
  }

  private async prepare(client: pg.ClientBase): Promise<void> {
    // The query on the connection rejects; an `error` event without a listener would end the process.
    client.on('error', () => undefined)
    const given = 'processID' in client ? Number(client.processID) : 0
    const text = `${SELECT_STATE}; ${settingsOf(this.options, given)}`
    const query = { text, rowMode: 'array' as const, query_timeout: CONNECT_MS }
    // A query of two statements returns an array of results, which the types do not declare.
    const [state, settings] = [await client.query<unknown[]>(query)].flat()
    const [isInRecovery, readOnly] = state?.rows[0] ?? []
    this.hosts.require({ isInRecovery: isInRecovery === true, isReadOnly: readOnly === 'on' })
    // Without settings the session is a pooler's, which may move each transaction to another one.
    if (settings?.rows.length !== 0) this.names.set(client, new Names())
  }
}

/** Sets session parameters, except behind a pooler, which reports a made-up process id and shares sessions among clients. */
function settingsOf({ isReadOnly, statementMs }: ConnectionsOptions, processId: number): string {
  const settings = {
    ...(isReadOnly && { default_transaction_read_only: 'on' }),
    client_connection_check_interval: 2_000,
    statement_timeout: statementMs,
    // Compiling the expressions that build JSON took up to a minute, for statements of milliseconds.
    jit: 'off',
    lock_timeout: LIMITS.storeBusyMs,
    idle_in_transaction_session_timeout: IDLE_IN_WRITE_MS,
    tcp_user_timeout: IDLE_IN_WRITE_MS,
    tcp_keepalives_idle: KEEP_ALIVE_MS / 1_000,
    tcp_keepalives_interval: 1,
    tcp_keepalives_count: 10,
  }
  const values = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`)
  // Only parameters that the server has: client_connection_check_interval needs version 14 and a supported OS.
  return `select set_config(name, value, false) from (values ${values.join(', ')}) as given (name, value)
    join pg_settings using (name) where pg_backend_pid() = ${processId}
    and (name <> 'client_connection_check_interval' or version() like '%linux%')`
}

/** The driver returns bigint as text; ours are counts and ids, which fit a number. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser

function turnsFor(slots: number): FairSlots {
  return new FairSlots({ slots, patienceMs: PATIENCE_MS, lingerMs: SHARE_MS })
}

function waitMsOf(timeoutMs: number): number {
  return timeoutMs - Math.min(ANSWER_LEAST_MS, timeoutMs / 2)
}

async function inTime(entered: Promise<void>, withinMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${FULL} of the request`)), withinMs)
  })
  await Promise.race([entered, late]).finally(() => clearTimeout(timer))
}

/** The start of pg.Pool's timeout message. */
const FULL = 'timeout exceeded'

function isFull(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(FULL)
}

function unconnected(error: unknown): unknown {
  const fault = toFault(error)
  return fault instanceof Fault ? fault : new Fault('UNAVAILABLE', isFull(error) ? BUSY : UNREACHABLE, { cause: error })
}
