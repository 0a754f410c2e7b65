import { Overloaded } from '../errors.js'
import { LIMITS } from '../limits.js'

/** For queues of writes and connections, which are mostly long for milliseconds only. */
export const PATIENCE_MS = 100

export interface Owned {
  /** As in `Readership` and `Authorship`. */
  readonly owner: string
}

interface FairQueueOptions {
  /** Items that may be under way at once. */
  readonly slots: number
  /** Items of one owner that may wait while no other owner waits. */
  readonly placesMax?: number
  /** How long another owner must have waited before `queueShareMax` applies. */
  readonly patienceMs?: number
  /** How long owners keep to their share after another one, without any slot, had to wait that long. */
  readonly lingerMs?: number
  /** By default `performance.now`. */
  readonly nowMs?: () => number
}

const DEFAULTS = { placesMax: Number.POSITIVE_INFINITY, patienceMs: 0, lingerMs: 0, nowMs: () => performance.now() }

interface Line<T> {
  readonly owner: string
  /** In the order of their arrival. */
  items: Set<T>
  underWay: number
  /** Since when it waits for its next turn. */
  waitingSince: number
}

/** Owners take turns. One alone may use every slot; while another waits, at most half, and `queueShareMax` places. */
export class FairQueue<T extends Owned> {
  private readonly options: Required<FairQueueOptions>
  private readonly share: number
  /** The owners that have items, waiting or under way. */
  private readonly lines = new Map<string, Line<T>>()
  /** Those that wait, in the order of their turns. */
  private readonly turns = new Set<Line<T>>()
  /** The owner that had to wait, and until when the others keep to their share. */
  private hampered = { owner: '', until: 0 }
  private waitingItems = 0
  private underWayItems = 0

  constructor(options: FairQueueOptions) {
    this.options = { ...DEFAULTS, ...options }
    this.share = Math.ceil(options.slots / 2)
  }

  get waiting(): number {
    return this.waitingItems
  }

  /** Items that were taken and not finished. */
  get underWay(): number {
    return this.underWayItems
  }

  /** Adds the item behind those of its owner, or throws if the owner has no place left. */
  add(item: T): void {
    const { owner } = item
    const line = this.lines.get(owner) ?? { owner, items: new Set(), underWay: 0, waitingSince: 0 }
    const { size } = line.items
    if (size >= this.options.placesMax) throw new Overloaded(`${size} requests of this key are waiting already.`)
    if (size >= LIMITS.queueShareMax && this.doesAnotherWait(owner, this.options.patienceMs)) {
      throw new Overloaded(`${size} requests of this key are waiting already, and other keys wait too.`)
    }
    line.items.add(item)
    this.waitingItems += 1
    this.enlist(line)
  }

  /** The item whose turn it is, which then is under way; undefined if none waits or there is no free slot. */
  take(): T | undefined {
    const line = this.next()
    const item = line && first(line)
    if (!line || item === undefined) return undefined
    this.recordWait(line)
    line.items.delete(item)
    line.underWay += 1
    this.waitingItems -= 1
    this.underWayItems += 1
    this.turns.delete(line)
    if (line.items.size > 0) this.enlist(line)
    return item
  }

  peek(): T | undefined {
    const line = this.next()
    return line && first(line)
  }

  /** To be called once for each item that was taken. */
  finish({ owner }: T): void {
    const line = this.lines.get(owner)
    if (!line) return
    line.underWay -= 1
    this.underWayItems -= 1
    this.forget(line)
  }

  /** Lets an item that is under way wait once more, before the others of its owner. */
  repeat(item: T): void {
    const line = this.lines.get(item.owner)
    if (!line) return
    line.items = new Set([item, ...line.items])
    this.waitingItems += 1
    this.enlist(line)
  }

  /** Removes an item that waits; false if it does not. */
  remove(item: T): boolean {
    const line = this.lines.get(item.owner)
    if (!line?.items.delete(item)) return false
    this.waitingItems -= 1
    this.forget(line)
    return true
  }

  /** Whether an owner has more than its share of the slots while another one waits. */
  isOverShare(owner: string): boolean {
    return (this.lines.get(owner)?.underWay ?? 0) > this.share && this.doesAnotherWait(owner)
  }

  waitingOf(owner: string): T[] {
    return [...(this.lines.get(owner)?.items ?? [])]
  }

  allWaiting(): T[] {
    return [...this.turns].flatMap(({ items }) => [...items])
  }

  private next(): Line<T> | undefined {
    if (this.underWayItems >= this.options.slots) return undefined
    // At most two owners have their share, so at most two are passed over.
    for (const line of this.turns) if (line.underWay < this.share || !this.mustShare(line)) return line
    return undefined
  }

  private mustShare({ owner }: Line<T>): boolean {
    return this.turns.size > 1 || (this.hampered.owner !== owner && this.options.nowMs() < this.hampered.until)
  }

  private recordWait({ owner, underWay, waitingSince }: Line<T>): void {
    if (this.options.lingerMs === 0 || underWay > 0) return
    const now = this.options.nowMs()
    if (waitingSince + this.options.patienceMs <= now) this.hampered = { owner, until: now + this.options.lingerMs }
  }

  private doesAnotherWait(owner: string, ms = 0): boolean {
    for (const line of this.turns) if (line.owner !== owner) return line.waitingSince + ms <= this.options.nowMs()
    return false
  }

  /** Puts a line that waits behind the others, unless it is among them. */
  private enlist(line: Line<T>): void {
    this.lines.set(line.owner, line)
    if (this.turns.has(line)) return
    line.waitingSince = this.options.nowMs()
    this.turns.add(line)
  }

  private forget(line: Line<T>): void {
    if (line.items.size > 0) return
    this.turns.delete(line)
    if (line.underWay === 0) this.lines.delete(line.owner)
  }
}

function first<T>({ items }: Line<T>): T | undefined {
  for (const item of items) return item
  return undefined
}

interface Place extends Owned {
  enter: () => void
}

export class FairSlots {
  readonly queue: FairQueue<Place>

  constructor(options: FairQueueOptions) {
    this.queue = new FairQueue(options)
  }

  /** Throws if the owner has no place left. `entered` is undefined if it need not wait; `leave` gives up slot or place. */
  enter(owner: string): { readonly entered: Promise<void> | undefined; readonly leave: () => void } {
    const { queue } = this
    let isIn = false
    const place: Place = {
      owner,
      enter: () => {
        isIn = true
      },
    }
    queue.add(place)
    this.admit()
    const waiting = () =>
      new Promise<void>((resolve) => {
        place.enter = resolve
      })
    let hasLeft = false
    const leave = () => {
      if (hasLeft) return
      hasLeft = true
      if (!queue.remove(place)) queue.finish(place)
      this.admit()
    }
    return { entered: isIn ? undefined : waiting(), leave }
  }

  /** Lets all enter that wait, when what they wait for is replaced; these slots are used no more. */
  open(): void {
    for (const place of this.queue.allWaiting()) place.enter()
  }

  private admit(): void {
    for (let next = this.queue.take(); next; next = this.queue.take()) next.enter()
  }
}
