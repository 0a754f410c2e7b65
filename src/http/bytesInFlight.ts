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
 * One budget for bodies that are held and answers that are being sent.
 *
 * A body counts as it arrives, until its request is answered; an answer until the kernel has taken all of it, or the
 * connection is gone. A buffer that several answers share (a cached response, a page) is in memory once, so it counts
 * once. Below `inFlightFromBytes` nothing is counted: health checks, refusals and small answers always go out, and the
 * number of connections bounds them.
 */
export class BytesInFlight {
  private readonly bytesMax: number
  private readonly senders = new Map<Buffer, number>()
  private counted = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** What is counted at present. */
  get bytes(): number {
    return this.counted
  }

  /** Counts so many more, unless there is no room. Whatever comes alone has room: it would never have more. */
  take(bytes: number): boolean {
    if (this.counted > 0 && this.counted + bytes > this.bytesMax) return false
    this.counted += bytes
    return true
  }

  release(bytes: number): void {
    this.counted -= bytes
  }

  /** Counts an answer until its response is closed, sent or not; false when there is no room for it. */
  send(response: ServerResponse, body: Buffer): boolean {
    // Of a connection that is gone, nothing more is heard.
    if (body.length < LIMITS.inFlightFromBytes || response.destroyed) return true
    const senders = this.senders.get(body) ?? 0
    if (senders === 0 && !this.take(body.length)) return false
    this.senders.set(body, senders + 1)
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      this.forget(body)
    }
    response.once('close', over)
    // A pipelined response that waits for its turn has no socket yet, and would not hear of its end.
    if (!response.socket) response.req.socket.once('close', over)
    return true
  }

  private forget(body: Buffer): void {
    const others = (this.senders.get(body) ?? 1) - 1
    if (others > 0) return void this.senders.set(body, others)
    this.senders.delete(body)
    this.release(body.length)
  }
}
