import { setImmediate } from 'node:timers/promises'
import type { Verdict } from '../history/ledger.js'
import type { Write } from '../store/store.js'
import { InputCheck } from '../text.js'

/** A record on its way in, under the number that whoever sent it knows it by. */
export interface Incoming {
  readonly index: number
  readonly values: Readonly<Record<string, unknown>>
}

/** What is to be told of one field of one record, or of all of them together. */
export interface Remark {
  readonly index: number | undefined
  readonly field: string
  readonly detail: string
}

export interface Counts {
  created: number
  updated: number
  unchanged: number
  closed: number
}

/** What became of the records; with flaws among them, nothing is to be stored. */
export interface IntakeResult {
  readonly counts: Readonly<Counts>
  readonly flaws: readonly Remark[]
  readonly warnings: readonly Remark[]
  /** The projects whose data came in: their keys, by their ids. */
  readonly projects: ReadonlyMap<string, string>
  /** What was not known and has been made, such as `project APOLLO`. */
  readonly made: readonly string[]
}

/** How the sender is spoken to: an import has lines and flags, a call has pointers and arguments. */
export interface Wording {
  readonly place: (index: number) => string
  readonly createProjects: string
  readonly createGroups: string
  readonly closeLimit: string
}

export interface IntakeOptions {
  /** The project of records that name none. */
  readonly project?: string | undefined
  readonly createProjects?: boolean
  readonly createGroups?: boolean
  /** Look owners and assignees up on the roster; without it nothing that comes back depends on who is there. */
  readonly matchPeople?: boolean
  /** Refuse owners and assignees whom the roster does not know. */
  readonly strictPeople?: boolean
  /** The records are all that there is of a project: close what is not among them. */
  readonly closeMissing?: boolean
  /** How many may be closed at once, instead of a fifth. */
  readonly closeLimit?: number | undefined
  /** Projects that earlier records were about already, by key, with where those were. */
  readonly complete?: ReadonlyMap<string, string>
  readonly wording: Wording
  readonly onProgress?: (records: number) => void
}

/** Takes in the records of one noun, batch by batch. */
export interface Receiver {
  take(batch: readonly Incoming[]): Promise<void>
  finish?(): Promise<void>
}

/** One run of records: what it was told to do, and what has come of it so far. */
export class Intake {
  readonly write: Write
  readonly options: IntakeOptions
  /** How many records there are in all. */
  readonly size: number
  readonly counts: Counts = { created: 0, updated: 0, unchanged: 0, closed: 0 }
  readonly flaws: Remark[] = []
  readonly warnings: Remark[] = []
  readonly projects = new Map<string, string>()
  readonly made: string[] = []
  private readonly claims = new Map<string, Map<string, number>>()

  constructor(write: Write, options: IntakeOptions, size: number) {
    this.write = write
    this.options = options
    this.size = size
  }

  /** Once one record is bad, the others are only looked through for more. */
  get isSound(): boolean {
    return this.flaws.length === 0
  }

  count(verdict: Verdict | 'closed'): void {
    this.counts[verdict] += 1
  }

  /** Takes a record's flaws over; true when there were none. */
  accept(index: number, check: InputCheck): boolean {
    for (const { member, detail } of check.found) this.flaws.push({ index, field: member, detail })
    return check.isSound
  }

  /** The records of a batch as far as their fields can be read, each with the check that the rest of the way adds to. */
  read<V>(
    batch: readonly Incoming[],
    read: (raw: Incoming['values'], check: InputCheck) => V,
  ): { index: number; values: V; check: InputCheck }[] {
    return batch.map(({ index, values: raw }) => {
      const check = new InputCheck()
      return { index, values: read(raw, check), check }
    })
  }

  /** Notes that a record is the one about this key; a second one is told to the check, at the field that says it. */
  claim(index: number, kind: string, key: string, check: InputCheck, field = kind): void {
    const claims = this.claims.get(kind) ?? new Map<string, number>()
    this.claims.set(kind, claims)
    const first = claims.get(key)
    if (first === undefined) claims.set(key, index)
    else if (first !== index && !check.has(field)) {
      check.flaw(field, `This is the same as in ${this.options.wording.place(first)}; there must be one of it.`)
    }
  }
}

/** Small enough that a server answers others between two batches. */
export const BATCH_RECORDS = 500

export async function receiveAll(
  intake: Intake,
  receiver: Receiver,
  records: readonly Incoming[],
): Promise<IntakeResult> {
  for (let start = 0; start < records.length; start += BATCH_RECORDS) {
    await receiver.take(records.slice(start, start + BATCH_RECORDS))
    intake.options.onProgress?.(Math.min(start + BATCH_RECORDS, records.length))
    await setImmediate()
  }
  await receiver.finish?.()
  return intake
}
