import { setImmediate } from 'node:timers/promises'
import { and, eq, gt } from 'drizzle-orm'
import type { Ledger } from '../../history/ledger.js'
import type { PersonRow } from '../../personnel/people.js'
import { BATCH_RECORDS, type ImportRun } from '../run.js'
import { closableOf } from './missingEntries.js'
import { writersOfSource } from './sources.js'

/**
 * Tracks the people of a complete list, to find those who are missing. Someone is missing only if they came from the
 * same source: it has written them before, and they have an externalId if the list gives externalIds, or none if not.
 */
export class MissingPeople {
  private readonly run: ImportRun
  /** The people of the list, and whether it gives their externalId. */
  private readonly come: Map<string, boolean>
  private readonly added = new Set<string>()

  constructor(run: ImportRun) {
    this.run = run
    this.come = run.options.others?.people ?? new Map()
  }

  note(personId: string, { isNew, hasExternalId }: { isNew: boolean; hasExternalId: boolean }): void {
    this.come.set(personId, hasExternalId)
    if (isNew) this.added.add(personId)
  }

  /** Sets those who are missing INACTIVE, unless there are too many. */
  async deactivate(ledger: Ledger<PersonRow>): Promise<void> {
    const { run } = this
    if (!run.isSound || run.options.others?.isLast === false) return
    if (this.come.size === 0) return this.refuse('The list is empty, so nobody was set INACTIVE.')
    const { missing, live } = await this.compare()
    const most = closableOf(live, run.options.closeLimit)
    if (missing.length > most) {
      const found = `${missing.length} of ${live} active people are missing; at most ${most} are set INACTIVE at once.`
      const advice = `Is the list complete? If so, allow it with ${run.options.wording.closeLimit} ${missing.length}.`
      return this.refuse(`${found} ${advice}`)
    }
    for (let start = 0; start < missing.length; start += BATCH_RECORDS) {
      for (const row of missing.slice(start, start + BATCH_RECORDS)) {
        ledger.enter(row, { ...row, status: 'INACTIVE' })
        run.count('closed')
      }
      await ledger.store()
      await setImmediate()
    }
  }

  private refuse(detail: string): void {
    this.run.unclosed.push({ index: undefined, field: '', detail })
  }

  /** Compares the list with the active people of its source. */
  private async compare(): Promise<{ missing: PersonRow[]; live: number }> {
    const { db, t } = this.run.write
    const kinds = new Set(this.come.values())
    const writers = await writersOfSource(this.run.write)
    const missing: PersonRow[] = []
    const counts = { listed: 0, foreign: 0 }
    let last = ''
    for (;;) {
      const isNext = and(gt(t.person.id, last), eq(t.person.status, 'ACTIVE'))
      const page = await db.select().from(t.person).where(isNext).orderBy(t.person.id).limit(BATCH_RECORDS)
      const absent = page.filter(({ id }) => !this.come.has(id))
      const ofKind = absent.filter(({ externalId }) => kinds.has(externalId !== null))
      const written = await this.writtenBy(writers, ofKind)
      missing.push(...ofKind.filter(({ id }) => written.has(id)))
      counts.listed += page.filter(({ id }) => this.come.has(id) && !this.added.has(id)).length
      counts.foreign += absent.length - written.size
      last = page.at(-1)?.id ?? ''
      if (page.length < BATCH_RECORDS) break
      await setImmediate()
    }
    if (counts.foreign > 0) this.nameForeign(counts.foreign)
    return { missing, live: counts.listed + missing.length }
  }

  /** The ids of those whose own fields these writers have written; lists of groups write `groups` only. */
  private async writtenBy(writers: readonly string[], people: readonly PersonRow[]): Promise<Set<string>> {
    if (people.length === 0) return new Set()
    const { among, db, t } = this.run.write
    const { by, entityId, fields } = t.change
    const ids = people.map(({ id }) => id)
    const rows = await db
      .select({ id: entityId, fields })
      .from(t.change)
      .where(and(among(entityId, ids), among(by, writers)))
    const own = rows.filter((row) => Object.keys(JSON.parse(row.fields)).some((name) => name !== 'groups'))
    return new Set(own.map(({ id }) => id))
  }

  private nameForeign(count: number): void {
    const who = count === 1 ? 'One active person is' : `${count} active people are`
    const detail = `${who} not in the list, and left as they are: this source has never written them.`
    this.run.warnings.push({ index: undefined, field: '', detail })
  }
}
