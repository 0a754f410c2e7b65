import type { PersonRow } from '../../personnel/people.js'
import { fold } from '../../text.js'
import { type ImportRun, type SourceRecord, textOf } from '../run.js'

export type AddressMoves = ReturnType<typeof addressMoves>

/** The e-mail addresses that a list gives to other people than those who have them: only the end of the list counts. */
export function addressMoves({ write }: ImportRun) {
  /** The address that the list gives to each person, by user id or externalId; undefined if it says nothing of addresses. */
  const next = new Map<string, string | undefined>()
  /** People whose address was taken away before they got their next one. */
  const freed = new Map<string, PersonRow>()
  return {
    read(records: readonly SourceRecord[]): void {
      for (const { values } of records) {
        const { id, externalId, email } = values
        const address = email === undefined ? undefined : fold(textOf(email))
        if (id) next.set(`id ${textOf(id)}`, address)
        if (externalId) next.set(`externalId ${textOf(externalId)}`, address)
      }
    },

    /** Whether the list names someone by their ids. */
    isListed({ id, externalId }: PersonRow): boolean {
      return next.has(`id ${id}`) || next.has(`externalId ${externalId}`)
    },

    /** Whether the list gives another address to someone whom the sheet still identifies. */
    isLeaving({ id, externalId, emailFolded }: PersonRow): boolean {
      const address = next.get(`id ${id}`) ?? next.get(`externalId ${externalId}`)
      return externalId !== null && address !== undefined && address !== emailFolded
    },

    /** Takes addresses from their holders, so that others can be stored with them. */
    async free(holders: readonly PersonRow[]): Promise<void> {
      const { updateAll, t } = write
      for (const holder of holders) freed.set(holder.id, holder)
      const without = holders.map((holder) => ({ ...holder, email: null, emailFolded: null }))
      await updateAll(t.person, without)
    },

    /** A person as they were before the list: the history tells which address they had. */
    before(row: PersonRow): PersonRow {
      const { email, emailFolded } = freed.get(row.id) ?? row
      return { ...row, email, emailFolded }
    },
  }
}
