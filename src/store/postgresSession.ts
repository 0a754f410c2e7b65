import pg from 'pg'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { driverCode, isOfConnection, UNREACHABLE } from './faults.js'
import type { Connections } from './postgresConnections.js'
import { nameOn } from './postgresNames.js'

/** What a statement answers: rows as arrays, or by the names of their columns. */
export interface Answered {
  readonly rows: unknown[][]
  /** Such as COMMIT. */
  readonly command: string
}

export interface Asking {
  /** Whether rows come by the names of their columns. */
  readonly isByName?: boolean
  readonly isSteady?: boolean | undefined
  /** How long the answer may take, with the wait for a connection, before the connection is given up. */
  readonly timeoutMs?: number
}

/** A connection that somebody holds. */
export interface Session {
  run(sql: string, values?: unknown[], how?: Asking): Promise<Answered>
  release(isBroken: boolean): void
}

interface LentSession extends Session {
  /** Whether the server's end is known to be gone. */
  isLost(): boolean
}

export type OnSent = (sql: string, values: readonly unknown[]) => void

/** Nobody waits for a command, or for bulk statements, as they do for an answer. */
export const BULK_MS = LIMITS.storeBulkMs + LIMITS.storeAnswerMs

interface Connecting {
  readonly onSent?: OnSent | undefined
  readonly isNaming?: boolean
  /** How long a connection is waited for. */
  readonly withinMs?: number
}

/** A connection for as long as somebody needs it. */
export async function connected(
  connections: Connections,
  { onSent, isNaming = false, withinMs = 2 * LIMITS.storeConnectMs }: Connecting = {},
): Promise<LentSession> {
  const client = await connections.lend(withinMs)
  const mayName = isNaming && !connections.isShared(client)
  let queue: Promise<unknown> = Promise.resolve()
  const run: Session['run'] = async (text, values, { isByName, isSteady, timeoutMs = connections.answerMs } = {}) => {
    onSent?.(text, values ?? [])
    const name = mayName && isSteady ? nameOn(client, text) : undefined
    return asked(client, { text, values, isByName, name, timeoutMs })
  }
  return {
    // A connection does one thing after the other, also for those who ask for several at once.
    run(...statement) {
      if (connections.isPipelined) {
        gatherPackets(client)
        return run(...statement)
      }
      const turn = queue.then(() => run(...statement))
      queue = turn.catch(() => undefined)
      return turn
    },
    release: (isBroken) => client.release(isBroken),
    isLost: () => client instanceof pg.Client && !client.connection.stream.writable,
  }
}

const gathering = new WeakSet<object>()

/** Sends in one packet what is asked in one turn of the event loop: a packet costs more than the statement in it. */
function gatherPackets(client: pg.PoolClient): void {
  if (!(client instanceof pg.Client) || gathering.has(client)) return
  const { stream } = client.connection
  gathering.add(client)
  stream.cork()
  process.nextTick(() => {
    gathering.delete(client)
    stream.uncork()
  })
}

/** Of the time for a statement, what is not spent on waiting for a connection; at most half of it. */
const ANSWER_LEAST_MS = 1_000

/** Each statement on whichever connection is free. */
export function alone(connections: Connections, onSent?: OnSent): Session['run'] {
  return async (text, values, { timeoutMs = connections.answerMs, ...how } = {}) => {
    const giveUpAt = performance.now() + timeoutMs
    const withinMs = timeoutMs - Math.min(ANSWER_LEAST_MS, timeoutMs / 2)
    const { run, release } = await connected(connections, { onSent, isNaming: true, withinMs })
    try {
      const leftMs = Math.max(1, giveUpAt - performance.now())
      const answered = await run(text, values, { ...how, timeoutMs: leftMs })
      release(false)
      return answered
    } catch (error) {
      release(isOfConnection(error))
      throw error
    }
  }
}

/** Runs work on one connection, in one transaction that only reads: all of its statements see one instant. */
export type AtOnce = <V>(work: (run: Session['run']) => Promise<V>) => Promise<V>

export async function withinOne<V>(
  connections: Connections,
  onSent: OnSent | undefined,
  work: (run: Session['run']) => Promise<V>,
): Promise<V> {
  const withinMs = connections.answerMs - Math.min(ANSWER_LEAST_MS, connections.answerMs / 2)
  const { run, release } = await connected(connections, { onSent, isNaming: true, withinMs })
  try {
    await run('begin isolation level repeatable read read only')
    const done = await work(run)
    await run('commit')
    release(false)
    return done
  } catch (error) {
    // Thrown away: its transaction is in whatever state the error left it.
    release(true)
    throw error
  }
}

/** A connection that is kept for statements goes back to the pool once they pause for so long, or at this age. */
const PAUSE_MS = 1_000
const KEPT_MS = 30_000

/** One connection for short statements that come without end: to lend it for each takes longer than the statement. */
export class KeptConnection {
  private readonly connections: Connections
  private readonly onSent: OnSent | undefined
  private readonly pause: NodeJS.Timeout
  private opening: Promise<LentSession> | undefined
  private session: LentSession | undefined
  private place = 0
  private keptUntil = 0
  private running = 0

  constructor(connections: Connections, onSent?: OnSent) {
    this.connections = connections
    this.onSent = onSent
    this.pause = setTimeout(() => this.giveBack(), PAUSE_MS).unref()
  }

  readonly run: Session['run'] = async (text, values, { timeoutMs = this.connections.answerMs, ...how } = {}) => {
    const giveUpAt = performance.now() + timeoutMs
    this.pause.refresh()
    if (this.session?.isLost()) this.leave(true)
    if (this.place !== this.connections.place || performance.now() > this.keptUntil) this.giveBack()
    this.running += 1
    let session: LentSession | undefined
    try {
      this.opening ??= this.open(timeoutMs - Math.min(ANSWER_LEAST_MS, timeoutMs / 2))
      session = await this.opening
      const leftMs = Math.max(1, giveUpAt - performance.now())
      return await session.run(text, values, { ...how, timeoutMs: leftMs })
    } catch (error) {
      if (session === this.session && isOfConnection(error)) this.leave(true)
      throw error
    } finally {
      this.running -= 1
    }
  }

  /** To the pool, unless somebody is waiting for an answer. */
  giveBack(): void {
    if (this.running === 0) this.leave(false)
  }

  private leave(isBroken: boolean): void {
    const { session } = this
    this.session = undefined
    if (session) this.opening = undefined
    session?.release(isBroken)
  }

  private async open(withinMs: number): Promise<LentSession> {
    try {
      this.session = await connected(this.connections, { onSent: this.onSent, isNaming: true, withinMs })
      this.place = this.connections.place
      this.keptUntil = performance.now() + KEPT_MS
      return this.session
    } catch (error) {
      this.opening = undefined
      throw error
    }
  }
}

interface Question {
  readonly text: string
  readonly values: unknown[] | undefined
  readonly isByName: boolean | undefined
  readonly name?: string | undefined
  readonly timeoutMs: number
}

/** What was kept of a statement no longer fits the tables, or is gone. */
export const STALE = ['0A000', '26000', '42P05']

async function asked(client: pg.PoolClient, question: Question): Promise<Answered> {
  const { text, values, isByName, name, timeoutMs } = question
  try {
    const given = text.startsWith('select') ? values?.map(withoutNul) : values
    const query = { text, ...(given && { values: given }), ...(name && { name }), query_timeout: Math.ceil(timeoutMs) }
    const result = isByName ? await client.query(query) : await client.query<unknown[]>({ ...query, rowMode: 'array' })
    // Several statements without parameters answer each for itself; the last one tells how it ended.
    const { rows, command } = [result].flat().at(-1) ?? result
    return { rows, command }
  } catch (error) {
    // In a transaction it is too late for that: it has failed as a whole.
    const isRepeatable = name !== undefined && client.getTransactionStatus() === 'I'
    if (isRepeatable && STALE.includes(driverCode(error) ?? '')) return asked(client, { ...question, name: undefined })
    if (error instanceof pg.DatabaseError) throw error
    throw new Fault('UNAVAILABLE', UNREACHABLE, { cause: error })
  }
}

// No text here can hold it, and so what is asked for is found by nobody; PostgreSQL would not even look.
function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul)
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{10ffff}') : value
}
