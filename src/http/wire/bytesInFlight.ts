import type { ServerResponse } from 'node:http'
import { Overloaded } from '../../errors.js'

/** The share of the budget that one key may use. */
const KEY_SHARE = 0.25
/** Smaller bodies and responses are not counted as in flight. */
export const COUNTED_FROM_BYTES = 32_768

/**
 * One memory budget for request bodies and for responses that are being sent; each key may use a share of it.
 *
 * A body counts as it arrives, and a long response before it is built, until the response is ready; then it counts until the kernel has accepted it all, or
 * the connection is closed. A buffer that several responses share (a cached response, a page) is in memory once, so it
 * counts once, for the key that received it first. Below `COUNTED_FROM_BYTES` nothing is counted: health checks, errors
 * and small responses are always sent, and the limit of connections bounds them.
 */
export class BytesInFlight {
  private readonly bytesMax: number
  private readonly ofKeys = new Map<string, number>()
  private readonly sent = new Map<Buffer, Sent>()
  private bytes = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  get inUse(): number {
    return this.bytes
  }

  /** Counts more bytes; false if there is no room. With nothing else in flight any size fits, or it never would. */
  take(bytes: number, keyId: string | undefined): boolean {
    if (!fits(this.bytes, bytes, this.bytesMax)) return false
    if (keyId !== undefined) {
      const own = this.ofKeys.get(keyId) ?? 0
      if (!fits(own, bytes, this.bytesMax * KEY_SHARE)) return false
      this.ofKeys.set(keyId, own + bytes)
    }
    this.bytes += bytes
    return true
  }

  release(bytes: number, keyId: string | undefined): void {
    this.bytes -= bytes
    if (keyId === undefined) return
    const own = (this.ofKeys.get(keyId) ?? 0) - bytes
    if (own > 0) this.ofKeys.set(keyId, own)
    else this.ofKeys.delete(keyId)
  }

  /** Counts a response body until the response closes, sent or not; false if there is no room. */
  send(response: ServerResponse, body: Buffer, keyId: string | undefined): boolean {
    // A destroyed response emits no further `close`.
    if (body.length < COUNTED_FROM_BYTES || response.destroyed) return true
    const sent = this.sent.get(body) ?? { keyId, responses: new Set() }
    if (sent.responses.size === 0 && !this.take(body.length, keyId)) return false
    sent.responses.add(response)
    this.sent.set(body, sent)
    const over = () => {
      if (!sent.responses.delete(response) || sent.responses.size > 0) return
      this.sent.delete(body)
      this.release(body.length, sent.keyId)
    }
    response.once('close', over)
    // A pipelined response has no socket until its turn, so it would not emit `close` when the connection closes.
    if (!response.socket) response.req.socket.once('close', over)
    return true
  }
}

/** A buffer that is being sent: the key that it counts for, and the responses that share it. */
interface Sent {
  readonly keyId: string | undefined
  readonly responses: Set<ServerResponse>
}

export function noRoom(sentence: string): Overloaded {
  return new Overloaded(`${sentence}: too many bytes are being received and sent, by this key or by all keys.`)
}

function fits(taken: number, more: number, most: number): boolean {
  return taken === 0 || taken + more <= most
}
