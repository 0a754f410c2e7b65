import type { ServerResponse } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { LIMITS } from '../limits.js'

export interface ConnectionLimits {
  readonly connectionsMax: number
  /** From one address, or from one /64 of IPv6; 0 for as many as there may be in all. */
  readonly connectionsPerAddressMax: number
  /** How long a peer may take nothing of an answer. */
  readonly unreadMs: number
  /** Whose connections are not counted by address: proxies come from loopback. */
  readonly isExempt: (network: string) => boolean
}

/** An open connection, and what it waits for. */
export class Connection {
  readonly socket: Socket
  readonly network: string | undefined
  /** The responses that it waits for, in their order, and the last one that it was given. */
  private owed: readonly ServerResponse[] = []
  /** When it was last known to be busy, by `performance.now()`. */
  activeAt = performance.now()
  private queuedFrom = 0
  private taken = 0
  private sweepsWithoutProgress = 0

  constructor(socket: Socket, network: string | undefined) {
    this.socket = socket
    this.network = network
  }

  /** Adds a response behind those that are not yet sent, of which it returns the last. */
  queue(response: ServerResponse): { readonly last: ServerResponse | undefined; readonly isTooLong: boolean } {
    const before = this.owed.filter((one) => !one.writableFinished)
    this.owed = [...before, response]
    this.activeAt = performance.now()
    // From here on, whatever is read waits in memory.
    if (before.length === 1) this.queuedFrom = this.socket.bytesRead
    const isTooLong =
      before.length > 1 &&
      (before.length >= LIMITS.pipelinedMax || this.socket.bytesRead - this.queuedFrom > LIMITS.pipelinedBytesMax)
    return { last: before.at(-1), isTooLong }
  }

  get latest(): ServerResponse | undefined {
    return this.owed.at(-1)
  }

  /** Nothing that it has asked for is still to be sent; half a request counts for nothing. */
  get isIdle(): boolean {
    return this.owed.every((response) => response.writableFinished)
  }

  /** How many sweeps in a row the kernel could take nothing more, because the peer reads nothing. */
  sweepsStalled(): number {
    const unsent = unsentBytes(this.socket)
    const taken = this.socket.bytesWritten - unsent
    // Counted in sweeps, not in time: after a pause of the whole process nobody is late.
    this.sweepsWithoutProgress = unsent > 0 && taken === this.taken ? this.sweepsWithoutProgress + 1 : 0
    this.taken = taken
    return this.sweepsWithoutProgress
  }
}

/** What the kernel has not taken yet: the one figure that moves while a single large write is under way. */
function unsentBytes(socket: Socket): number {
  // Not in Node's types, though `socket.setTimeout` itself goes by it (lib/net.js).
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? 0
}

/**
 * Who may be connected: so many in all, and so many from one address. A new connection beyond that takes the place of
 * the longest idle one; where none is idle, it is closed. Node's own `server.maxConnections` drops the new one before
 * any of our code could choose.
 */
export class Connections {
  private readonly limits: ConnectionLimits
  private readonly open = new Map<Duplex, Connection>()
  private readonly byNetwork = new Map<string, Set<Connection>>()

  constructor(limits: ConnectionLimits) {
    this.limits = limits
  }

  of(socket: Duplex): Connection | undefined {
    return this.open.get(socket)
  }

  get isSending(): boolean {
    for (const { socket } of this.open.values()) if (socket.writableLength > 0) return true
    return false
  }

  /** Counts a new connection, or closes it and returns undefined. */
  admit(socket: Socket): Connection | undefined {
    const network = socket.remoteAddress === undefined ? undefined : networkOf(socket.remoteAddress)
    const { connectionsMax, connectionsPerAddressMax: perAddressMax, isExempt } = this.limits
    const isCounted = perAddressMax > 0 && network !== undefined && !isExempt(network)
    const neighbours = isCounted ? (this.byNetwork.get(network) ?? new Set<Connection>()) : undefined
    const hasPlace =
      (!neighbours || neighbours.size < perAddressMax || this.evictFrom(neighbours)) &&
      (this.open.size < connectionsMax || this.evictFrom(this.open.values()))
    if (!hasPlace) {
      socket.destroy()
      return undefined
    }
    const connection = new Connection(socket, isCounted ? network : undefined)
    this.open.set(socket, connection)
    if (neighbours && network !== undefined) this.byNetwork.set(network, neighbours.add(connection))
    socket.once('close', () => this.remove(connection))
    return connection
  }

  /** Cuts whoever has taken nothing of its answer for too long, and notes who is busy. */
  sweep(everyMs: number): void {
    const now = performance.now()
    for (const connection of this.open.values()) {
      if (!connection.isIdle) connection.activeAt = now
      // A reset, since a close would leave the unread rest with the kernel.
      if (connection.sweepsStalled() * everyMs >= this.limits.unreadMs) connection.socket.resetAndDestroy()
    }
  }

  /** Closes the longest idle one of these, if one is idle. */
  private evictFrom(connections: Iterable<Connection>): boolean {
    let longestIdle: Connection | undefined
    for (const one of connections) {
      if (one.isIdle && one.activeAt < (longestIdle?.activeAt ?? Number.POSITIVE_INFINITY)) longestIdle = one
    }
    if (!longestIdle) return false
    this.remove(longestIdle)
    longestIdle.socket.destroy()
    return true
  }

  private remove(connection: Connection): void {
    const { socket, network } = connection
    this.open.delete(socket)
    const neighbours = network === undefined ? undefined : this.byNetwork.get(network)
    neighbours?.delete(connection)
    if (network !== undefined && neighbours?.size === 0) this.byNetwork.delete(network)
  }
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
/** Sixteen bits each. */
const NETWORK_GROUPS = 4
const GROUPS = 8

/** What counts as one address: an IPv4 address, also where IPv6 shows it; of IPv6 the /64 that one host is given. */
export function networkOf(address: string): string {
  const [, ipv4] = MAPPED_IPV4.exec(address) ?? []
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = Array.from({ length: Math.max(0, GROUPS - before.length - after.length) }, () => '0')
  const groups = tail === undefined ? before : [...before, ...zeros, ...after]
  return groups.slice(0, NETWORK_GROUPS).join(':')
}

/** `::1` is alone in its /64, beside what is never a peer's address. */
export function isLoopback(network: string): boolean {
  return network === '0:0:0:0' || network.startsWith('127.')
}
