import type { PersonRow } from '../../personnel/people.js'
import { fold } from '../../text.js'
import type { ImportRun, SourceRecord } from '../run.js'

/** The e-mail addresses that a list gives to other people than those who have them: only the end of the list counts. */
export class AddressMoves {
  readonly #run: ImportRun
  /** The address that the list gives to each person, by user id or externalId; undefined if it says nothing of addresses. */
  readonly #next = new Map<string, string | undefined>()
  /** People whose address was taken away before they got their next one. */
  readonly #freed = new Map<string, PersonRow>()

  constructor(run: ImportRun) {
    this.#run = run
  }

  read(records: readonly SourceRecord[]): void {
    for (const { values } of records) {
      const { id, externalId, email } = values
      const next = email === undefined ? undefined : fold(textOf(email))
      if (id) this.#next.set(`id ${textOf(id)}`, next)
      if (externalId) this.#next.set(`externalId ${textOf(externalId)}`, next)
    }
  }

  /** Whether the list names someone by their ids. */
  isListed({ id, externalId }: PersonRow): boolean {
    return this.#next.has(`id ${id}`) || this.#next.has(`externalId ${externalId}`)
  }

  /** Whether the list gives another address to someone, who can be told apart without one. */
  isLeaving({ id, externalId, emailFolded }: PersonRow): boolean {
    const next = this.#next.get(`id ${id}`) ?? this.#next.get(`externalId ${externalId}`)
    return externalId !== null && next !== undefined && next !== emailFolded
  }

  /** Takes addresses from their holders, so that others can be stored with them. */
  async free(holders: readonly PersonRow[]): Promise<void> {
    const { updateAll, t } = this.#run.write
    for (const holder of holders) this.#freed.set(holder.id, holder)
    await updateAll(
      t.person,
      holders.map((holder) => ({ ...holder, email: null, emailFolded: null })),
    )
  }

  /** A person as they were before the list: the history tells which address they had. */
  before(row: PersonRow): PersonRow {
    const { email = row.email, emailFolded = row.emailFolded } = this.#freed.get(row.id) ?? {}
    return { ...row, email, emailFolded }
  }
}

function textOf(value: unknown): string {
  return String(value ?? '').trim()
}
