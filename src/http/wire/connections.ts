import type { ServerResponse } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { LIMITS } from '../../limits.js'

/** Bytes of pipelined requests on one connection; beyond that it is closed. */
const PIPELINED_BYTES_MAX = 262_144

export interface ConnectionLimits {
  readonly connectionsMax: number
  /** From one IPv4 address or one IPv6 /64; 0 for no limit besides `connectionsMax`. */
  readonly connectionsPerAddressMax: number
  /** How long a peer may read nothing of a pending response. */
  readonly unreadMs: number
  /** Networks that are exempt from the limit by address, such as loopback, where proxies connect from. */
  readonly isExempt: (network: string) => boolean
}

/** An open connection and its pending responses. */
export class Connection {
  readonly socket: Socket
  readonly network: string | undefined
  /** The pending responses in order; once all are sent, the last one stays. */
  private pending: readonly ServerResponse[] = []
  /** When it was last busy, in the time of `performance.now()`. */
  activeAt = performance.now()
  private queuedFrom = 0
  private taken = 0
  private sweepsWithoutProgress = 0

  constructor(socket: Socket, network: string | undefined) {
    this.socket = socket
    this.network = network
  }

  /** Queues a response behind the unsent ones, and returns the last of those. */
  queue(response: ServerResponse): { readonly last: ServerResponse | undefined; readonly isTooLong: boolean } {
    const before = this.pending.filter((one) => !one.writableFinished)
    this.pending = [...before, response]
    this.activeAt = performance.now()
    // From here on, pipelined bytes accumulate in memory.
    if (before.length === 1) this.queuedFrom = this.socket.bytesRead
    const isTooLong =
      before.length > 1 &&
      (before.length >= LIMITS.pipelinedMax || this.socket.bytesRead - this.queuedFrom > PIPELINED_BYTES_MAX)
    return { last: before.at(-1), isTooLong }
  }

  get latest(): ServerResponse | undefined {
    return this.pending.at(-1)
  }

  /** Whether no response is pending; an incomplete request does not make a connection busy. */
  get isIdle(): boolean {
    return this.pending.every((response) => response.writableFinished)
  }

  /** For how many sweeps in a row the kernel has accepted no bytes, because the peer does not read. */
  sweepsStalled(): number {
    const unsent = unsentBytes(this.socket)
    const taken = this.socket.bytesWritten - unsent
    // Counted in sweeps, not in time: a pause of the whole process must not count against the peer.
    this.sweepsWithoutProgress = unsent > 0 && taken === this.taken ? this.sweepsWithoutProgress + 1 : 0
    this.taken = taken
    return this.sweepsWithoutProgress
  }
}

/** Bytes that the kernel has not accepted yet: the only figure that changes during a single large write. */
function unsentBytes(socket: Socket): number {
  // Not in Node's types, but `socket.setTimeout` itself uses it (lib/net.js).
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? 0
}

/**
 * Limits open connections, in total and for each address. A new connection above a limit replaces the one that has been
 * idle longest; if none is idle, the new one is closed. Node's own `server.maxConnections` cannot do this: it drops the
 * new connection before it emits `connection`.
 */
export class Connections {
  private readonly limits: ConnectionLimits
  private readonly open = new Map<Duplex, Connection>()

  constructor(limits: ConnectionLimits) {
    this.limits = limits
  }

  of(socket: Duplex): Connection | undefined {
    return this.open.get(socket)
  }

  get size(): number {
    return this.open.size
  }

  get isSending(): boolean {
    for (const { socket } of this.open.values()) if (socket.writableLength > 0) return true
    return false
  }

  /** Admits a new connection, or closes it and returns undefined. */
  admit(socket: Socket): Connection | undefined {
    const network = socket.remoteAddress === undefined ? undefined : networkOf(socket.remoteAddress)
    const { connectionsMax, connectionsPerAddressMax: perAddressMax, isExempt } = this.limits
    const isCounted = perAddressMax > 0 && network !== undefined && !isExempt(network)
    const all = [...this.open.values()]
    const neighbours = isCounted ? all.filter((one) => one.network === network) : []
    const hasPlace =
      (!isCounted || neighbours.length < perAddressMax || this.evictFrom(neighbours)) &&
      (this.open.size < connectionsMax || this.evictFrom(all))
    if (!hasPlace) {
      socket.destroy()
      return undefined
    }
    const connection = new Connection(socket, network)
    this.open.set(socket, connection)
    socket.once('close', () => this.open.delete(socket))
    return connection
  }

  /** Resets connections whose peer has stopped reading, and updates `activeAt` of the busy ones. */
  sweep(everyMs: number): void {
    const now = performance.now()
    for (const connection of this.open.values()) {
      if (!connection.isIdle) connection.activeAt = now
      // RST, not FIN: after a normal close the kernel would keep the unread bytes.
      if (connection.sweepsStalled() * everyMs >= this.limits.unreadMs) connection.socket.resetAndDestroy()
    }
  }

  /** Closes the connection that has been idle longest; false if none is idle. */
  private evictFrom(connections: readonly Connection[]): boolean {
    let longestIdle: Connection | undefined
    for (const one of connections) {
      if (one.isIdle && one.activeAt < (longestIdle?.activeAt ?? Number.POSITIVE_INFINITY)) longestIdle = one
    }
    if (!longestIdle) return false
    this.open.delete(longestIdle.socket)
    longestIdle.socket.destroy()
    return true
  }
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
/** An IPv6 address has 8 groups of 16 bits; the first 4 are the /64. */
const NETWORK_GROUPS = 4
const GROUPS = 8

/** The unit of the limit by address: an IPv4 address, IPv4-mapped ones included, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const [, ipv4] = MAPPED_IPV4.exec(address) ?? []
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address
  const [unscoped = ''] = address.split('%')
  const missing = GROUPS - unscoped.split(':').filter(Boolean).length
  const groups = unscoped
    .replace('::', `:${'0:'.repeat(missing)}`)
    .split(':')
    .filter(Boolean)
  return groups.slice(0, NETWORK_GROUPS).join(':')
}

/** `0:0:0:0` is the /64 of `::1`; it holds no other address that a peer can have. */
export function isLoopback(network: string): boolean {
  return network === '0:0:0:0' || network.startsWith('127.')
}
