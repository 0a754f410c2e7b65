import { TEXT_MAX, type TextKind } from '../../../vocabulary.js'
import { type Condition, folded, type Rule } from '../mapping.js'
import type { TableRow } from '../table.js'
import { type Column, columnsOf, countOf, occurrencesInWords, type Reading, SLIP_SHARE } from './column.js'
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
  /** Store the source's score instead of its factors. */
  readonly keep?: 'score' | undefined
  /** What words mean for whatever column has them, by their folded text. */
  readonly values?: ReadonlyMap<string, string> | undefined
}

/** Reads a column that may fill a field; `isNamed` if its heading is the very name of the field. */
export type Reader = (column: Column, isNamed: boolean) => Reading | undefined

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
  /** The folded headings of the columns that have anything in them. */
  readonly #filled: ReadonlySet<string>
  readonly #used = new Set<Column>()
  readonly #rivals: { field: string; heading: string; columns: readonly Column[] }[] = []
  /** Columns that fill a field, but lose something on the way. */
  readonly #lossy = new Set<Column>()

  constructor(header: readonly string[], rows: readonly TableRow[], headings: Headings, options: GuessOptions) {
    this.columns = columnsOf(header, rows)
    this.#filled = new Set(this.columns.flatMap(({ heading, filled }) => (filled > 0 ? [folded(heading)] : [])))
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
      return isFree && !this.#isRepeated(column) && ranks.length > 0 ? [{ column, rank: Math.min(...ranks), at }] : []
    })
    return ranked.toSorted((one, other) => one.rank - other.rank || one.at - other.at).map(({ column }) => column)
  }

  /** The free columns of people that are private, such as pay. */
  privates(): Column[] {
    const isPrivate = (column: Column) => !this.#used.has(column) && this.#headings.isPrivate(column.heading)
    return [...new Set([...this.candidates('private'), ...this.columns.filter(isPrivate)])]
  }

  mayMean({ heading }: Column, field: string, rankMax = Number.POSITIVE_INFINITY): boolean {
    return this.#headings.meaningsOf(heading).some((one) => one.field === field && one.rank <= rankMax)
  }

  /** The second of two columns of the same heading is kept as it is. */
  #isRepeated({ heading }: Column): boolean {
    const first = REPEATED.exec(heading)?.[1]
    return first !== undefined && this.#filled.has(folded(first))
  }

  /** The column that fills a field. */
  columnOf(field: string): Column | undefined {
    const heading = this.rules.get(field)?.from[0]
    return this.columns.find((column) => column.heading === heading)
  }

  /** Fills a field from the best free column that may mean it, and that can be read. */
  take(field: string, read: Reader = () => PLAIN, meanings: readonly string[] = [field]): Column | undefined {
    if (!this.has(field)) return undefined
    const all = this.candidates(...meanings)
    for (const column of all) {
      const reading = this.rows.length === 0 ? PLAIN : read(column, this.mayMean(column, field, 0))
      if (!reading) continue
      this.fill(field, column, reading)
      this.prefer(field, column, all)
      return column
    }
    return undefined
  }

  /** Remembers which columns could have filled a field as well. */
  prefer(field: string, { heading }: Column, all: readonly Column[]): void {
    const columns = all.filter((one) => one.heading !== heading)
    if (REPORTED.has(field)) this.#rivals.push({ field, heading, columns })
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
    if (reading.choices) this.#settle(field, column, reading)
  }

  /** Keeps the texts of a column in details, though it fills a field. */
  keep(column: Column): void {
    this.#lossy.add(column)
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

  /** Words that are not understood are asked about; a few of them are left blank in a field that may be so. */
  #settle(field: string, column: Column, { unknown = [], choices = [], rule }: Reading): void {
    const { heading, texts, filled } = column
    const given = texts.flatMap(({ text }) => {
      const becomes = this.options.values?.get(folded(text))
      return becomes !== undefined && choices.includes(becomes) ? [[folded(text), becomes] as const] : []
    })
    const isGiven = new Map(given)
    const open = unknown.filter(({ text }) => !isGiven.has(folded(text)))
    const areSlips = !NEVER_BLANK.has(field) && countOf(open) * SLIP_SHARE <= filled
    const words = occurrencesInWords(open, WORDS_MAX)
    // A `?` is easy to find in a suggested map; the import reports each one that is left.
    const others = open.map(({ text }) => [folded(text), areSlips ? '' : '?'] as const)
    const values = new Map([...(rule.values ?? []), ...others, ...given])
    if (values.size > 0) this.rules.set(field, { ...this.rules.get(field), from: [heading], values })
    if (open.length === 0) return
    const advice = `Say it with --value ${JSON.stringify(`${open[0]?.text.slice(0, 40)}=${choices[0]}`)}, once for each word, or in a map (--suggest-map prints one).`
    if (areSlips) this.keep(column)
    if (areSlips)
      this.warnings.push(`${heading}: ${words} is no ${field}; left blank there, and kept in details. ${advice}`)
    else {
      const means = `${heading}: it is not known what ${words} means for ${field}, which is ${choices.join(', ')}.`
      this.questions.push(`${means} ${advice}`)
    }
  }
}

/** Fields that have a value in every entry. */
const NEVER_BLANK = new Set(['status', 'severity'])
/** A question should not list more words. */
const WORDS_MAX = 50
/** How the second column of a heading is called. */
const REPEATED = /^(.+) \(\d+\)$/s

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
