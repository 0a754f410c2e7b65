import type { SQL } from 'drizzle-orm'
import type { PersonRow } from '../../personnel/people.js'
import type { Assignee } from '../../projects/projects.js'
import type { Write } from '../../store/store.js'
import { checkText, fold, type InputCheck, turnedName } from '../../text.js'
import type { HeldNoun, NOUNS } from '../../vocabulary.js'
import type { ImportRun } from '../run.js'
import { lookup } from './lookups.js'

/** The match of a text: a person on the roster, nobody, or several of the same name; `named` are all who have or had it. */
type PersonMatch = { readonly named: ReadonlySet<string> } & (
  | { readonly person: PersonRow; readonly by: 'id' | 'email' | 'externalId' | 'name' }
  | { readonly person?: undefined; readonly namesakes: number }
)

const NOBODY: PersonMatch = { namesakes: 0, named: new Set() }

/** Finds people by user id, e-mail, externalId, or a name that is unique on the roster. */
export function personMatcher({ db, t, among }: Write) {
  const { id, nameFolded, emailFolded, externalId } = t.person
  const having = async (condition: SQL | undefined, keyOf: (person: PersonRow) => string | null) =>
    indexed(await db.select().from(t.person).where(condition), keyOf)
  const { found, find } = lookup(async (texts) => {
    const byId = await having(among(id, texts), (person) => person.id)
    const byEmail = await having(among(emailFolded, texts.map(fold)), (person) => person.emailFolded)
    const byExternalId = await having(among(externalId, texts), (person) => person.externalId)
    const byName = await having(among(nameFolded, texts.flatMap(spellingsOf)), (person) => person.nameFolded)
    const all = [byEmail, byExternalId, byName].flatMap((people) => [...people.values()].flat())
    const merged = all.flatMap((person) => person.mergedInto ?? [])
    const into = merged.length > 0 ? await having(among(id, merged), (person) => person.id) : byId
    // An id keeps its meaning; an address or a name of someone who was merged is one of the person who they are.
    const meant = ([person]: readonly PersonRow[] = []) => into.get(person?.mergedInto ?? '')?.[0] ?? person
    return (one: string): PersonMatch => {
      const sure = [
        { by: 'id', person: byId.get(one)?.[0] },
        { by: 'email', person: meant(byEmail.get(fold(one))) },
        { by: 'externalId', person: meant(byExternalId.get(one)) },
      ] as const
      const [match] = sure.flatMap(({ by, person }) => (person ? [{ by, person }] : []))
      const spelling = spellingsOf(one).find((name) => byName.has(name)) ?? ''
      const namesakes = new Set((byName.get(spelling) ?? []).flatMap((each) => [each, meant([each]) ?? each]))
      const named = new Set(Array.from(namesakes, (person) => person.id))
      if (match) return { ...match, named }
      const active = [...namesakes].filter((each) => each.status === 'ACTIVE')
      const [person] = active
      return person && active.length === 1 ? { by: 'name', person, named } : { namesakes: active.length, named }
    }
  })
  return { find, match: (text: string): PersonMatch => found.get(text) ?? NOBODY }
}

/** A name as it is written, and `Lovelace, Ada` also as the roster may have it: ada lovelace. */
function spellingsOf(text: string): string[] {
  return [text, turnedName(text) ?? []].flat().map(fold)
}

function indexed(people: readonly PersonRow[], keyOf: (person: PersonRow) => string | null): Map<string, PersonRow[]> {
  const index = new Map<string, PersonRow[]>()
  for (const person of people) {
    const key = keyOf(person) ?? ''
    const namesakes = index.get(key)
    // Not copied for each: thousands may have the same name.
    if (namesakes) namesakes.push(person)
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

type Field = (typeof NOUNS)[HeldNoun]['holder']

/** The owner or assignee as a record gives it. */
export type Attributed = Readonly<Partial<Record<Field | `${Field}Id` | `${Field}Name`, string | null | undefined>>>

type Attribution = Readonly<Record<'who' | 'id' | 'name', string | null | undefined>>

export function assigneeMatcher({ write, options, warnings, missing }: ImportRun, field: Field) {
  const people = personMatcher(write)
  let hasWarned = false

  const attributionOf = (values: Attributed): Attribution =>
    withMailbox({ who: values[field], id: values[`${field}Id`], name: values[`${field}Name`] })

  /** For a key that may not read the roster, and sends `who` only: a link stays only if the row shows exactly that text. */
  const asWritten = (who: string | null | undefined, before: Assignee | undefined, check: InputCheck): Assignee => {
    if (who == null) return { id: who, name: who }
    const kept = checkText(who, 'name')
    if ('violation' in kept) check.violation(field, kept.violation)
    if (!hasWarned) {
      const why = 'Nobody was looked up on the roster, because this key lacks the scope personnel.read.'
      warnings.push({ index: undefined, field, detail: `${why} Each ${field} is kept as ${field}Name.` })
    }
    hasWarned = true
    return { id: before?.name === who ? before.id : null, name: who }
  }

  return {
    async find(all: readonly Attributed[]): Promise<void> {
      if (!options.matchPeople) return
      await people.find(all.map(attributionOf).flatMap(({ who, id }) => [who ?? [], id ?? []].flat()))
    },

    stored: (row: Attributed): Assignee => ({ id: row[`${field}Id`], name: row[`${field}Name`] }),

    /** The columns to store for a record; absent if it says nothing. */
    assigneeOf(index: number, values: Attributed, before: Assignee | undefined, check: InputCheck): Assignee {
      if (!options.matchPeople) return asWritten(values[field], before, check)
      const { who, id: given, name } = attributionOf(values)
      const { person } = people.match(given ?? '')
      const id = person?.id === given ? given : null
      if (given != null && id === null) {
        const detail = `There is no person with the user id ${JSON.stringify(given)}.`
        missing({ index, check }, `${field}Id`, detail, options.strictPeople)
      }
      if (id != null && person) {
        // An export has the name beside the id.
        if (who != null && fold(who) !== fold(person.name) && people.match(who).person?.id !== id)
          check.violation(field, `This is not who ${field}Id names, which is ${person.name}; give one of the two.`)
        return { id, name }
      }
      if (who == null)
        return { id: who === undefined ? id : null, name: name === undefined && who === null ? null : name }
      const found = people.match(who)
      // Who owns it still has that name, also after they left, or when somebody else of the name has come.
      const isStill = before?.id != null && (!found.person || found.by === 'name') && found.named.has(before.id)
      if (isStill) return { id: before.id, name: name ?? who }
      // An e-mail or an id is not stored as a name: readers of risks may not be allowed to read the roster.
      if (found.person)
        return { id: found.person.id, name: name === undefined ? (found.by === 'name' ? who : null) : name }
      const words = strangerInWords(who, found)
      const kept = checkText(name ?? who, 'name')
      if ('violation' in kept) check.violation(field, `${words} ${kept.violation}`)
      else if (options.strictPeople) check.violation(field, words)
      else {
        const stranger = found.namesakes === 0 ? { stranger: who } : {}
        warnings.push({ index, field, detail: `${words} It is kept as ${field}Name.`, ...stranger })
      }
      return { id: null, name: name ?? who }
    },
  }
}

const MAILBOX = /^([^<>]+)<([^<>\s][^<>\s@]*@[^<>\s]+)>$/

/** Reads `Ada Lovelace <ada@example.com>`, as Azure DevOps and mail programs write a person. */
function withMailbox(attribution: Attribution): Attribution {
  const { who, name } = attribution
  // Most texts end otherwise, and a regular expression costs more.
  const [, shown = '', email] = (name === undefined && who?.endsWith('>') && MAILBOX.exec(who)) || []
  return shown.trim() === '' ? attribution : { ...attribution, who: email, name: shown.trimEnd() }
}
