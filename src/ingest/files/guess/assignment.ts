import { TEXT_MAX, type TextKind } from '../../../vocabulary.js'
import { type Condition, folded, type Rule } from '../mapping.js'
import type { Cells } from '../maps/fit.js'
import type { ColumnOptions } from '../ownColumns.js'
import { type Column, columnsUnder, countOf, occurrencesInWords, type Reading, SLIP_SHARE } from './column.js'
import type { DateOrder } from './dates.js'
import type { Headings } from './headings.js'

/** What is known beforehand about a sheet whose columns are guessed. */
export interface GuessOptions extends Omit<ColumnOptions, 'name'> {
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

export type Assignment = ReturnType<typeof assignmentOf>

/** Which column fills which field, as far as it is known; a column fills one field only. */
export function assignmentOf({ header, rows }: Cells, headings: Headings, options: GuessOptions) {
  const columns = columnsUnder(header, rows)
  const rules = new Map<string, Rule>()
  const where: Condition[] = []
  /** `how` is the scale, the words or the date format, if a column is not read as it is. */
  const guessed: { column: string; field: string; samples: readonly string[]; how?: string }[] = []
  const [notes, warnings, questions]: [string[], string[], string[]] = [[], [], []]
  const ignored: { readonly column: string; readonly why: string }[] = []
  /** The folded headings of the columns that have anything in them. */
  const filled = new Set(columns.flatMap((column) => (column.filled > 0 ? [folded(column.heading)] : [])))
  const used = new Set<Column>()
  const rivals: { field: string; heading: string; columns: readonly Column[] }[] = []
  /** Columns that fill a field, but lose something on the way. */
  const lossy = new Set<Column>()

  const has = (field: string) => options.fields.includes(field)
  const use = (column: Column) => void used.add(column)
  const isUsed = (column: Column) => used.has(column)

  /** The second of two columns of the same heading is kept as it is. */
  const isRepeated = ({ heading }: Column): boolean => {
    const first = REPEATED.exec(heading)?.[1]
    return first !== undefined && filled.has(folded(first))
  }

  /** The columns that are still free and may mean one of these, the best name first. */
  const candidates = (...meanings: string[]): Column[] => {
    const all = columns.map(({ heading }) => heading)
    const named = headings.ranked(all, ...meanings).flatMap((at) => columns[at] ?? [])
    const isEmpty = (column: Column) => column.filled === 0 && rows.length > 0
    return named.filter((column) => !isEmpty(column) && !isUsed(column) && !isRepeated(column))
  }

  const mayMean = ({ heading }: Column, field: string, rankMax = Number.MAX_SAFE_INTEGER) =>
    (headings.rankOf(heading, field) ?? Number.POSITIVE_INFINITY) <= rankMax

  /** Words that are not understood are asked about; a few of them are left blank in a field that may be so. */
  const settle = (field: string, column: Column, { unknown = [], choices = [], rule }: Reading): void => {
    const { heading, texts } = column
    const given = texts.flatMap(({ text }) => {
      const becomes = options.values?.get(folded(text))
      return becomes !== undefined && choices.includes(becomes) ? [[folded(text), becomes] as const] : []
    })
    const isGiven = new Map(given)
    const open = unknown.filter(({ text }) => !isGiven.has(folded(text)))
    const areSlips = !NEVER_BLANK.has(field) && countOf(open) * SLIP_SHARE <= column.filled
    const words = occurrencesInWords(open, WORDS_MAX)
    // A `?` is easy to find in a suggested map; the import reports each one that is left.
    const others = open.map(({ text }) => [folded(text), areSlips ? '' : '?'] as const)
    const values = new Map([...(rule.values ?? []), ...others, ...given])
    if (values.size > 0) rules.set(field, { ...rules.get(field), from: [heading], values })
    if (open.length === 0) return
    const advice = `Say it with --value ${JSON.stringify(`${open[0]?.text.slice(0, 40)}=${choices[0]}`)}, once for each word, or in a map (--suggest-map prints one).`
    const means = `it is not known what ${words} means for ${field}, which is ${choices.join(', ')}`
    const blank = `${words} is no ${field}; left blank there, and kept in details`
    if (areSlips) lossy.add(column)
    const report = areSlips ? warnings : questions
    report.push(`${heading}: ${areSlips ? blank : means}. ${advice}`)
  }

  const fill = (field: string, column: Column, reading: Reading = PLAIN, more: readonly Column[] = []): void => {
    use(column)
    const from = [column, ...more].map(({ heading }) => heading)
    rules.set(field, { from, ...bounded(field, column), ...reading.rule })
    const samples = column.texts.slice(0, SAMPLES).map(({ text }) => text)
    const how = reading.how !== undefined && { how: reading.how }
    guessed.push({ column: column.heading, field, samples, ...how })
    if (reading.isLossy) lossy.add(column)
    if (reading.question !== undefined) questions.push(reading.question)
    if (reading.warning !== undefined) warnings.push(reading.warning)
    if (reading.choices) settle(field, column, reading)
  }

  /** Remembers which columns could have filled a field as well. */
  const prefer = (field: string, { heading }: Column, all: readonly Column[]): void => {
    const others = all.filter((one) => one.heading !== heading)
    if (REPORTED.has(field)) rivals.push({ field, heading, columns: others })
  }

  return {
    ...{ options, rows, columns, rules, where, guessed, notes, warnings, questions, ignored },
    ...{ has, use, isUsed, candidates, mayMean, fill, prefer },

    /** The free columns of people that are private, such as pay. */
    privates(): Column[] {
      const isPrivate = (column: Column) => !isUsed(column) && headings.isPrivate(column.heading)
      return [...new Set([...candidates('private'), ...columns.filter(isPrivate)])]
    },

    /** The column that fills a field. */
    columnOf(field: string): Column | undefined {
      const heading = rules.get(field)?.from[0]
      return columns.find((column) => column.heading === heading)
    },

    /** Fills a field from the best free column that may mean it, and that can be read. */
    take(field: string, read: Reader = () => PLAIN, meanings: readonly string[] = [field]): Column | undefined {
      const all = has(field) ? candidates(...meanings) : []
      for (const column of all) {
        const reading = rows.length === 0 ? PLAIN : read(column, mayMean(column, field, 0))
        if (!reading) continue
        fill(field, column, reading)
        prefer(field, column, all)
        return column
      }
      return undefined
    },

    ignore(column: Column, why: string): void {
      use(column)
      ignored.push({ column: column.heading, why })
    },

    /** The columns whose texts are kept in `details`. */
    leftovers: () => columns.filter((column) => !isUsed(column) || lossy.has(column)),

    /** Reports the other columns that could have filled a field and fill none. */
    reportRivals(): void {
      for (const { field, heading, columns } of rivals) {
        const left = columns.filter((column) => !isUsed(column)).map((one) => JSON.stringify(one.heading))
        if (left.length > 0) notes.push(`For ${field}, ${JSON.stringify(heading)} was preferred to ${left.join(', ')}.`)
      }
    },
  }
}

/** Fields that have a value in every entry. */
const NEVER_BLANK = new Set(['status', 'severity'])
/** A question should not list more words. */
const WORDS_MAX = 50
/** How the second column of a heading is called. */
const REPEATED = /^(.+) \(\d+\)$/s

/** Fields for which a second matching column is reported. */
const REPORTED = new Set([
  ...['reference', 'owner', 'assignee', 'likelihood', 'impact', 'status', 'severity', 'email', 'name', 'externalId'],
  ...['raisedOn', 'dueOn', 'reviewOn', 'mitigation', 'department', 'project', 'category', 'response', 'risk'],
])

const KINDS: Readonly<Record<string, TextKind>> = {
  ...{ title: 'headline', category: 'category', department: 'department' },
  ...{ owner: 'name', assignee: 'name', name: 'name' },
  ...{ description: 'description', mitigation: 'description', cause: 'description' },
}

/** The members of a rule that make long or multi-line texts fit the field. */
function bounded(field: string, { longest, hasLineBreaks }: Column): Omit<Rule, 'from'> {
  const kind = KINDS[field]
  const most = kind && TEXT_MAX[kind]
  return {
    ...(most !== undefined && longest > most && { cut: most }),
    ...(hasLineBreaks && kind !== undefined && kind !== 'description' && { oneLine: true as const }),
  }
}
