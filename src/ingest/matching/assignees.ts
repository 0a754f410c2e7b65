import type { Assignee } from '../../projects/projects.js'
import { checkText, fold, type InputCheck } from '../../text.js'
import type { ImportRun } from '../run.js'
import { PersonMatcher, strangerInWords } from './people.js'

/** The owner or assignee as a record gives it, in the columns `owner`, `ownerId` and `ownerName` or `assignee...`. */
export interface Attribution {
  readonly who?: string | null | undefined
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
}

/** Matches owners and assignees with the roster. */
export class AssigneeMatcher {
  private readonly run: ImportRun
  private readonly field: string
  private readonly people: PersonMatcher
  private isNoted = false

  constructor(run: ImportRun, field: 'owner' | 'assignee') {
    this.run = run
    this.field = field
    this.people = new PersonMatcher(run.write)
  }

  async find(attributions: readonly Attribution[]): Promise<void> {
    if (!this.run.options.matchPeople) return
    await this.people.find(attributions.map(withMailbox).flatMap(({ who, id }) => [who ?? [], id ?? []].flat()))
  }

  /** The columns to store for an attribution; absent if it says nothing. */
  assigneeOf(index: number, attribution: Attribution, before: Assignee | undefined, check: InputCheck): Assignee {
    if (!this.run.options.matchPeople) return this.asWritten(attribution, before, check)
    const { who, id, name } = withMailbox(attribution)
    const { field } = this
    if (id != null) {
      const { person } = this.people.get(id)
      if (person?.id !== id) check.flaw(`${field}Id`, `There is no person with the user id ${JSON.stringify(id)}.`)
      // An export has the name beside the id.
      else if (who != null && fold(who) !== fold(person.name) && this.people.get(who).person?.id !== id)
        check.flaw(field, `This is not who ${field}Id names, which is ${person.name}; give one of the two.`)
      return { id, name }
    }
    if (who == null)
      return { id: who === undefined ? id : null, name: name === undefined && who === null ? null : name }
    const found = this.people.get(who)
    // An e-mail or an id is not stored as a name: readers of risks may not be allowed to read the roster.
    if (found.person)
      return { id: found.person.id, name: name === undefined ? (found.by === 'name' ? who : null) : name }
    const words = strangerInWords(who, found)
    const kept = checkText(name ?? who, 'name')
    if ('flaw' in kept) check.flaw(field, `${words} ${kept.flaw}`)
    else if (this.run.options.strictPeople) check.flaw(field, words)
    else {
      const stranger = found.namesakes === 0 ? { stranger: who } : {}
      this.run.warnings.push({ index, field, detail: `${words} It is kept as ${field}Name.`, ...stranger })
    }
    return { id: null, name: name ?? who }
  }

  /** For a key that may not read the roster, and sends `who` only: a link stays only if the row shows exactly that text. */
  private asWritten({ who }: Attribution, before: Assignee | undefined, check: InputCheck): Assignee {
    if (who == null) return { id: who, name: who }
    const kept = checkText(who, 'name')
    if ('flaw' in kept) check.flaw(this.field, kept.flaw)
    this.noteUnmatched()
    return { id: before?.name === who ? before.id : null, name: who }
  }

  private noteUnmatched(): void {
    const { field, run, isNoted } = this
    this.isNoted = true
    if (isNoted) return
    const why = 'Nobody was looked up on the roster, because this key lacks the scope personnel.read.'
    run.warnings.push({ index: undefined, field, detail: `${why} Each ${field} is kept as ${field}Name.` })
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
