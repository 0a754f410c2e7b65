import { TEXT_MAX, type TextKind } from '../../../vocabulary.js'
import { type Condition, folded, type Rule } from '../mapping.js'
import type { TableRow } from '../table.js'
import { type Column, columnsOf, occurrencesInWords, type Reading } from './column.js'
import type { DateOrder } from './dates.js'
import type { Headings } from './headings.js'

/** What is known beforehand about a sheet whose columns are guessed. */
export interface GuessOptions {
  readonly fields: readonly string[]
  readonly derived: readonly string[]
  readonly ignoreUnknown: boolean
  /** The project is given for the whole file. */
  readonly hasProject: boolean
  readonly referenceFrom?: string | undefined
  readonly dateOrder?: DateOrder | undefined
}

export type Reader = (column: Column) => Reading | undefined

const PLAIN: Reading = { rule: {} }
const SAMPLES = 2

/** Which column fills which field, as far as it is known; a column fills one field only. */
export class Assignment {
  readonly options: GuessOptions
  readonly columns: readonly Column[]
  readonly rules = new Map<string, Rule>()
  readonly where: Condition[] = []
  /** `how` is the scale, the words or the date format, if a column is not read as it is. */
  readonly guessed: { column: string; field: string; samples: readonly string[]; how?: string }[] = []
  readonly notes: string[] = []
  readonly warnings: string[] = []
  readonly questions: string[] = []
  readonly ignored: { readonly column: string; readonly why: string }[] = []
  readonly rows: readonly TableRow[]
  readonly #headings: Headings
  readonly #used = new Set<Column>()
  readonly #rivals: { field: string; heading: string; columns: readonly Column[] }[] = []
  /** Columns that fill a field, but lose something on the way. */
  readonly #lossy = new Set<Column>()

  constructor(header: readonly string[], rows: readonly TableRow[], headings: Headings, options: GuessOptions) {
    const all = columnsOf(header, rows)
    // A map refers to columns by heading, so only the first filled column of each heading counts.
    const chosen = firstOfEach(all)
    this.columns = all.filter((column) => chosen.has(column))
    for (const column of all) {
      const isRepeated = column.filled > 0 && !chosen.has(column)
      if (isRepeated) this.ignored.push({ column: `column ${column.at + 1}`, why: `${column.heading} is there before` })
    }
    this.rows = rows
    this.#headings = headings
    this.options = options
  }

  has(field: string): boolean {
    return this.options.fields.includes(field)
  }

  /** The columns that are still free and may mean one of these, the best name first. */
  candidates(...meanings: string[]): Column[] {
    const ranked = this.columns.flatMap((column, at) => {
      const ranks = this.#headings.meaningsOf(column.heading).flatMap((one) => {
        const order = meanings.indexOf(one.field)
        return order === -1 ? [] : [one.rank + order * ORDER_RANK]
      })
      const isFree = !this.#used.has(column) && (column.filled > 0 || this.rows.length === 0)
      return isFree && ranks.length > 0 ? [{ column, rank: Math.min(...ranks), at }] : []
    })
    return ranked.toSorted((one, other) => one.rank - other.rank || one.at - other.at).map(({ column }) => column)
  }

  /** The free columns of people that are private, such as pay. */
  privates(): Column[] {
    const isPrivate = (column: Column) => !this.#used.has(column) && this.#headings.isPrivate(column.heading)
    return [...new Set([...this.candidates('private'), ...this.columns.filter(isPrivate)])]
  }

  mayMean({ heading }: Column, field: string): boolean {
    return this.#headings.meaningsOf(heading).some((one) => one.field === field)
  }

  /** Fills a field from the best free column that may mean it, and that can be read. */
  take(field: string, read: Reader = () => PLAIN, meanings: readonly string[] = [field]): Column | undefined {
    if (!this.has(field)) return undefined
    const all = this.candidates(...meanings)
    for (const column of all) {
      const reading = this.rows.length === 0 ? PLAIN : read(column)
      if (!reading) continue
      this.fill(field, column, reading)
      const columns = all.filter((one) => one.heading !== column.heading)
      if (REPORTED.has(field)) this.#rivals.push({ field, heading: column.heading, columns })
      return column
    }
    return undefined
  }

  fill(field: string, column: Column, reading: Reading = PLAIN, more: readonly Column[] = []): void {
    this.#used.add(column)
    const from = [column, ...more].map(({ heading }) => heading)
    this.rules.set(field, { from, ...bounded(field, column), ...reading.rule })
    const samples = column.texts.slice(0, SAMPLES).map(({ text }) => text)
    const how = reading.how !== undefined && { how: reading.how }
    this.guessed.push({ column: column.heading, field, samples, ...how })
    if (reading.isLossy) this.#lossy.add(column)
    if (reading.question !== undefined) this.questions.push(reading.question)
    if (reading.warning !== undefined) this.warnings.push(reading.warning)
    if (reading.unknown && reading.unknown.length > 0) this.#ask(field, column, reading)
  }

  use(column: Column): void {
    this.#used.add(column)
  }

  isUsed(column: Column): boolean {
    return this.#used.has(column)
  }

  ignore(column: Column, why: string): void {
    this.#used.add(column)
    this.ignored.push({ column: column.heading, why })
  }

  /** The columns whose texts are kept in `details`. */
  leftovers(): Column[] {
    return this.columns.filter((column) => !this.#used.has(column) || this.#lossy.has(column))
  }

  /** Reports the other columns that could have filled a field and fill none. */
  reportRivals(): void {
    for (const { field, heading, columns } of this.#rivals) {
      const left = columns.filter((column) => !this.#used.has(column)).map((one) => JSON.stringify(one.heading))
      if (left.length > 0)
        this.notes.push(`For ${field}, ${JSON.stringify(heading)} was preferred to ${left.join(', ')}.`)
    }
  }

  #ask(field: string, { heading }: Column, { unknown = [], rule }: Reading): void {
    const [first] = unknown
    const line = `"${field}": { "from": ${JSON.stringify(heading)}, "values": { ${JSON.stringify(first?.text)}: ... } }`
    this.questions.push(
      `${heading}: it is not known what ${occurrencesInWords(unknown)} means for ${field}. ` +
        `Print the map with --suggest-map, put in ${line}, and import with --map.`,
    )
    // A `?` is easy to find in a suggested map; the import reports each one that is left.
    const values = new Map([...(rule.values ?? []), ...unknown.map(({ text }) => [folded(text), '?'] as const)])
    this.rules.set(field, { ...this.rules.get(field), from: [heading], values })
  }
}

/** Of each heading the first column that is filled, else the first. */
function firstOfEach(all: readonly Column[]): ReadonlySet<Column> {
  const first = new Map<string, Column>()
  for (const column of all) {
    const key = folded(column.heading)
    const earlier = first.get(key)
    if (!earlier || (earlier.filled === 0 && column.filled > 0)) first.set(key, column)
  }
  return new Set(first.values())
}

/** A later meaning is worse than every name of an earlier one. */
const ORDER_RANK = 10_000

/** Fields for which a second matching column is reported. */
const REPORTED = new Set([
  ...['reference', 'owner', 'assignee', 'likelihood', 'impact', 'status', 'severity', 'email', 'name', 'externalId'],
  ...['raisedOn', 'dueOn', 'reviewOn', 'mitigation', 'department', 'project', 'category', 'response', 'risk'],
])

const KINDS: Readonly<Record<string, TextKind>> = {
  title: 'headline',
  description: 'description',
  mitigation: 'description',
  cause: 'description',
  category: 'category',
  owner: 'name',
  assignee: 'name',
  name: 'name',
  department: 'department',
}
const FREE_FIELDS = new Set(['description', 'mitigation', 'cause'])

/** The members of a rule that make long or multi-line texts fit the field. */
function bounded(field: string, { longest, hasLineBreaks }: Column): Omit<Rule, 'from'> {
  const kind = KINDS[field]
  const most = kind && TEXT_MAX[kind]
  return {
    ...(most !== undefined && longest > most && { cut: most }),
    ...(hasLineBreaks && kind !== undefined && !FREE_FIELDS.has(field) && { oneLine: true as const }),
  }
}
