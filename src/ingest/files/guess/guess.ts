import { DETAILS } from '../../../details.js'
import type { NounPlural } from '../../../vocabulary.js'
import { DETAILS_MAX, TEXT_MAX } from '../../../vocabulary.js'
import { headingKey } from '../header.js'
import { type Condition, folded, type Mapping } from '../mapping.js'
import { isBlank, type TableRow } from '../table.js'
import { type Assignment, assignmentOf, type GuessOptions } from './assignment.js'
import { type Column, columnsUnder, Words } from './column.js'
import { type Headings, headingsOf } from './headings.js'
import { takeStep } from './plans.js'
import { RAID_WORDS } from './words.js'

/**
 * What is guessed of each noun, in this order: a column fills one field, and what comes first chooses first. Of others
 * only the names of the fields themselves are known.
 */
const ORDER: Readonly<Partial<Record<NounPlural, string>>> = {
  risks: 'project id reference factors days status response owner url texts category mitigation cause score defaults',
  issues: 'project id reference days status severity assignee url risk texts defaults',
  people: 'id email name externalId title department status groups private needed defaults',
  groups: 'id externalId name description members needed',
  projects: 'id key name description url status needed defaults',
}

/** A guessed map, and what to report about it. While there are questions, nothing is stored. */
export type Guess = ReturnType<typeof guess>

export function guess(noun: NounPlural, header: readonly string[], rows: readonly TableRow[], options: GuessOptions) {
  const headings = headingsOf(noun, options.fields)
  const log = raidLog(noun, header, rows, headings)
  const assignment = assignmentOf({ header, rows: log?.rows ?? rows }, headings, options)
  if (log) {
    assignment.where.push(log.condition)
    assignment.notes.push(log.report)
    for (const column of assignment.columns) if (column.heading === log.heading) assignment.use(column)
  }
  ignoreDerived(assignment)
  chooseReference(assignment)
  for (const step of ORDER[noun]?.split(' ') ?? []) takeStep(assignment, noun, step)
  assignment.reportRivals()
  ignoreNameless(assignment, header)
  const kept = keepDetails(assignment)
  const { rules, where, guessed, ignored, notes, warnings, questions } = assignment
  const mapping: Mapping = { name: 'the guessed map', rules, where }
  return { mapping, columns: guessed, kept, ignored, notes, warnings, questions }
}

/** Ignores the computed columns of our exports; where no column says when an entry was raised, `createdAt` does. */
function ignoreDerived(assignment: Assignment): void {
  const { columns, options } = assignment
  const isRaised = !assignment.has('raisedOn') || columns.some(({ heading }) => headingKey(heading) === 'raisedon')
  const later = new Set(['score', 'level', 'residualScore', ...(isRaised ? [] : ['createdAt'])])
  for (const column of columns) {
    const { heading } = column
    if (options.derived.includes(heading) && !later.has(heading)) assignment.ignore(column, 'it is computed')
  }
}

function chooseReference(assignment: Assignment): void {
  const { referenceFrom } = assignment.options
  if (referenceFrom === undefined) return
  const column = assignment.columns.find(({ heading }) => headingKey(heading) === headingKey(referenceFrom))
  const field = ['reference', 'key'].find((one) => assignment.has(one)) ?? 'externalId'
  if (column) assignment.fill(field, column)
  else {
    const headings = assignment.columns.map(({ heading }) => heading).join('; ')
    assignment.questions.push(`--reference-from names ${JSON.stringify(referenceFrom)}; the columns are ${headings}.`)
  }
}

function ignoreNameless(assignment: Assignment, header: readonly string[]): void {
  const filled = new Set<number>()
  for (const { cells } of assignment.rows) for (const [at, cell] of cells.entries()) if (!isBlank(cell)) filled.add(at)
  for (const [at, heading] of header.entries())
    if (heading === '' && filled.has(at)) assignment.ignored.push({ column: `column ${at + 1}`, why: 'it has no name' })
}

/** Keeps the texts of the other columns in details, as far as there is room. */
function keepDetails(assignment: Assignment): string[] {
  const { options, rows } = assignment
  const columns = assignment.leftovers().filter(({ filled }) => filled > 0 || rows.length === 0)
  const isKept = options.fields.includes(DETAILS) && !options.ignoreUnknown
  const names = new Map<string, Column>()
  for (const column of columns) {
    const name = detailName(column.heading)
    if (!isKept && assignment.isUsed(column)) continue
    if (!isKept) assignment.ignore(column, 'it is unknown')
    else if (names.has(name)) assignment.ignore(column, 'its name begins as that of another')
    else if (names.size < DETAILS_MAX) names.set(name, column)
    else assignment.ignore(column, `there are ${DETAILS_MAX} others in details already`)
  }
  for (const [name, { heading, longest }] of names) {
    const cut = longest > TEXT_MAX.detailText ? { cut: TEXT_MAX.detailText } : {}
    assignment.rules.set(`${DETAILS}.${name}`, { from: [heading], ...cut })
  }
  return [...names.keys()]
}

export function detailName(heading: string): string {
  return Array.from(heading.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim())
    .slice(0, TEXT_MAX.detailName)
    .join('')
}

const RAID = new Words<string>(RAID_WORDS)
const KIND_CHARACTERS_MAX = 40

/** The rows of a noun in a log of risks, issues and others; undefined if it is no such log. */
function raidLog(noun: NounPlural, header: readonly string[], rows: readonly TableRow[], headings: Headings) {
  const isKind = (heading: string) => headings.rankOf(heading, 'raidType') !== undefined
  const named = header.map((heading) => (isKind(heading) ? heading : ''))
  for (const { heading, at, texts, isOverfull, longest } of columnsUnder(named, rows)) {
    if (isOverfull || longest > KIND_CHARACTERS_MAX) continue
    const kinds = texts.map(({ text }) => RAID.get(text))
    const mine = texts.filter((_, index) => kinds[index] === noun).map(({ text }) => text)
    if (new Set(kinds).size < 2 || kinds.includes(undefined) || mine.length === 0) continue
    const isMine = new Set(mine)
    const taken = rows.filter(({ cells }) => isMine.has((cells[at] ?? '').trim()))
    const report = `Only rows whose ${heading} is ${mine.join(' or ')} are taken: ${taken.length} of ${rows.length}.`
    const condition: Condition = { from: [heading], is: mine.map(folded) }
    return { heading, rows: taken, condition, report }
  }
  return undefined
}
