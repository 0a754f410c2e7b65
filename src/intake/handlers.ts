import type { Handler } from '../projects/projects.js'
import { checkText, type InputCheck } from '../text.js'
import type { Intake } from './intake.js'
import { PersonFinder, strangerInWords } from './personFinder.js'

/** What a record says of who stands behind it, in the columns `owner`, `ownerId` and `ownerName` or their like. */
export interface Attribution {
  readonly who?: string | null | undefined
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
}

/** Finds out who owns a risk or is to solve an issue. */
export class HandlerFinder {
  private readonly intake: Intake
  private readonly field: string
  private readonly people: PersonFinder

  constructor(intake: Intake, field: 'owner' | 'assignee') {
    this.intake = intake
    this.field = field
    this.people = new PersonFinder(intake.write)
  }

  find(attributions: readonly Attribution[]): Promise<void> {
    return this.people.find(attributions.flatMap(({ who, id }) => [who ?? [], id ?? []].flat()))
  }

  /** What is stored of an attribution: absent where it says nothing. */
  handlerOf(index: number, { who, id, name }: Attribution, check: InputCheck): Handler {
    const { field } = this
    if (id != null && who != null) check.flaw(field, `Give ${field} or ${field}Id, one of the two.`)
    if (id != null) {
      const found = this.people.get(id)
      if (found.person?.id !== id)
        check.flaw(`${field}Id`, `There is no person with the user id ${JSON.stringify(id)}.`)
      return { id, name }
    }
    if (who == null)
      return { id: who === undefined ? id : null, name: name === undefined && who === null ? null : name }
    const found = this.people.get(who)
    // An e-mail or an id is no name to be shown to whoever may not see the roster.
    if (found.person)
      return { id: found.person.id, name: name === undefined ? (found.by === 'name' ? who : null) : name }
    const words = strangerInWords(who, found)
    const kept = checkText(name ?? who, 'name')
    if ('flaw' in kept) check.flaw(field, `${words} ${kept.flaw}`)
    else if (this.intake.options.strictPeople) check.flaw(field, words)
    else this.intake.warnings.push({ index, field, detail: `${words} It is kept as ${field}Name.` })
    return { id: null, name: name ?? who }
  }
}
