import type { PersonRow } from '../../personnel/people.js'
import { fold } from '../../text.js'
import type { ImportRun, SourceRecord } from '../run.js'

/** The e-mail addresses that a list gives to other people than those who have them: only the end of the list counts. */
export class AddressMoves {
  readonly #run: ImportRun
  /** The address that the list gives to each person, by user id or externalId. */
  readonly #next = new Map<string, string>()
  /** People whose address was taken away before they got their next one. */
  readonly #freed = new Map<string, PersonRow>()

  constructor(run: ImportRun) {
    this.#run = run
  }

  read(records: readonly SourceRecord[]): void {
    for (const { values } of records) {
      const { id, externalId, email } = values
      if (email === undefined) continue
      if (id) this.#next.set(`id ${textOf(id)}`, fold(textOf(email)))
      if (externalId) this.#next.set(`externalId ${textOf(externalId)}`, fold(textOf(email)))
    }
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
