import type { ServerResponse } from 'node:http'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'

/** There is no room just now; no fault of the store, and nothing that the log must explain. */
export class Overloaded extends Fault {
  constructor(sentence: string) {
    super('UNAVAILABLE', `${sentence} Try again in a moment.`)
  }
}

/**
 * One budget for bodies that are held and answers that are being sent, of which one key may take a share.
 *
 * A body counts as it arrives, until its request is answered; an answer until the kernel has taken all of it, or the
 * connection is gone. A buffer that several answers share (a cached response, a page) is in memory once, so it counts
 * once, for the key that had it first. Below `inFlightFromBytes` nothing is counted: health checks, refusals and small
 * answers always go out, and the number of connections bounds them.
 */
export class BytesInFlight {
  private readonly bytesMax: number
  private readonly ofKeys = new Map<string, number>()
  private readonly sent = new Map<Buffer, Sent>()
  private bytes = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Counts so many more, unless there is no room. Whatever comes alone has room: it would never have more. */
  take(bytes: number, keyId: string | undefined): boolean {
    if (!fits(this.bytes, bytes, this.bytesMax)) return false
    if (keyId !== undefined) {
      const own = this.ofKeys.get(keyId) ?? 0
      if (!fits(own, bytes, this.bytesMax * LIMITS.inFlightShareMax)) return false
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

  /** Counts an answer until its response is closed, sent or not; false when there is no room for it. */
  send(response: ServerResponse, body: Buffer, keyId: string | undefined): boolean {
    // Of a connection that is gone, nothing more is heard.
    if (body.length < LIMITS.inFlightFromBytes || response.destroyed) return true
    const known = this.sent.get(body)
    if (!known && !this.take(body.length, keyId)) return false
    const sent = known ?? { keyId, responses: 0 }
    sent.responses += 1
    this.sent.set(body, sent)
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      sent.responses -= 1
      if (sent.responses > 0) return
      this.sent.delete(body)
      this.release(body.length, sent.keyId)
    }
    response.once('close', over)
    // A pipelined response that waits for its turn has no socket yet, and would not hear of its end.
    if (!response.socket) response.req.socket.once('close', over)
    return true
  }
}

/** A buffer that is being sent: for which key it counts, and in how many responses it is. */
interface Sent {
  readonly keyId: string | undefined
  responses: number
}

function fits(taken: number, more: number, most: number): boolean {
  return taken === 0 || taken + more <= most
}
