import { setImmediate } from 'node:timers/promises'
import { and, eq, type SQL } from 'drizzle-orm'
import { type PersonRow, personnel } from '../../personnel/people.js'
import type { Write } from '../../store/store.js'
import { fold } from '../../text.js'
import { BATCH_RECORDS } from '../run.js'

type Person = Pick<PersonRow, 'id' | 'name' | 'nameFolded' | 'emailFolded' | 'externalId' | 'erasedAt'>

/** The match of a text: a person on the roster, nobody, or several of the same name. */
type PersonMatch =
  | { readonly person: Person; readonly by: 'id' | 'email' | 'externalId' | 'name' }
  | { readonly person?: undefined; readonly namesakes: number }

/** Finds people by user id, e-mail, externalId, or a name that is unique on the roster. */
export class PersonMatcher {
  private readonly write: Write
  private readonly known = new Map<string, PersonMatch>()

  constructor(write: Write) {
    this.write = write
  }

  /** Looks up the texts that are not known yet, in batches: the members of groups may be everyone. */
  async find(texts: Iterable<string>): Promise<void> {
    const unknown = [...new Set(texts)].filter((one) => !this.known.has(one))
    for (let start = 0; start < unknown.length; start += BATCH_RECORDS) {
      if (start > 0) await setImmediate()
      await this.findBatch(unknown.slice(start, start + BATCH_RECORDS))
    }
  }

  private async findBatch(unknown: readonly string[]): Promise<void> {
    const { t, among } = this.write
    const { id, emailFolded, externalId, nameFolded, status } = personnel.table(t)
    const folded = unknown.map(fold)
    const byId = indexed(await this.having(among(id, unknown)), (person) => person.id)
    const byEmail = indexed(await this.having(among(emailFolded, folded)), (person) => person.emailFolded)
    const byExternalId = indexed(await this.having(among(externalId, unknown)), (person) => person.externalId)
    const byName = indexed(
      await this.having(and(eq(status, 'ACTIVE'), among(nameFolded, unknown.flatMap(spellingsOf)))),
      (person) => person.nameFolded,
    )
    for (const one of unknown) {
      const sure = [
        { by: 'id', person: byId.get(one)?.[0] },
        { by: 'email', person: byEmail.get(fold(one))?.[0] },
        { by: 'externalId', person: byExternalId.get(one)?.[0] },
      ] as const
      const [match] = sure.flatMap(({ by, person }) => (person ? [{ by, person }] : []))
      const spelling = spellingsOf(one).find((name) => byName.has(name)) ?? ''
      const [first, ...namesakes] = byName.get(spelling) ?? []
      const named: PersonMatch =
        first && namesakes.length === 0
          ? { by: 'name', person: first }
          : { namesakes: first ? namesakes.length + 1 : 0 }
      this.known.set(one, match ?? named)
    }
  }

  get(text: string): PersonMatch {
    return this.known.get(text) ?? { namesakes: 0 }
  }

  private async having(condition: SQL | undefined): Promise<Person[]> {
    const { db, t } = this.write
    const { id, name, nameFolded, emailFolded, externalId, erasedAt } = t.person
    return db.select({ id, name, nameFolded, emailFolded, externalId, erasedAt }).from(t.person).where(condition)
  }
}

/** A name as it is written, and `Lovelace, Ada` also as the roster may have it: ada lovelace. */
function spellingsOf(text: string): string[] {
  const [last = '', first = '', ...others] = text.split(',').map((part) => part.trim())
  const isTurned = others.length === 0 && first !== '' && last !== ''
  return isTurned ? [fold(text), fold(`${first} ${last}`)] : [fold(text)]
}

function indexed(people: readonly Person[], keyOf: (person: Person) => string | null): Map<string, Person[]> {
  const index = new Map<string, Person[]>()
  for (const person of people) {
    const key = keyOf(person) ?? ''
    const known = index.get(key)
    // Not copied for each: thousands may have the same name.
    if (known) known.push(person)
    else index.set(key, [person])
  }
  return index
}

/** Why a text matches nobody, for its author. */
export function strangerInWords(text: string, { namesakes }: { namesakes: number }): string {
  return namesakes > 1
    ? `${namesakes} people on the roster are called ${text}; name this one by e-mail or user id.`
    : `Nobody on the roster has the e-mail, user id, externalId or name ${JSON.stringify(text)}.`
}
