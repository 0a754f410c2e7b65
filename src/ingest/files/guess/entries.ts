import { TEXT_MAX } from '../../../vocabulary.js'
import { folded, type Scalar } from '../mapping.js'
import { isBlank } from '../table.js'
import type { Assignment } from './assignment.js'
import { type Column, occurrencesInWords, type Reading, rowsOf, Words } from './column.js'
import { type DateOrder, hasDays, ordersIn, readDays } from './dates.js'
import { OWN_ID } from './own.js'
import { STEPS } from './words.js'

function isOwnIds({ texts }: Column): boolean {
  return texts.length > 0 && texts.every(({ text }) => OWN_ID.test(text))
}

export function takeId(assignment: Assignment): void {
  for (const field of ['id', 'ownerId', 'ownerName', 'assigneeId', 'assigneeName', 'riskId']) {
    const isId = field.endsWith('d')
    const column = assignment.columns.find(({ heading }) => folded(heading).replaceAll(/[\s_-]/g, '') === folded(field))
    if (column && assignment.has(field) && (!isId || isOwnIds(column))) assignment.fill(field, column)
  }
}

export function takeReference(assignment: Assignment): Column | undefined {
  const chosen = assignment.rules.get('reference')?.from[0]
  if (chosen !== undefined) return assignment.columns.find(({ heading }) => heading === chosen)
  return assignment.take('reference', (column) => readReference(column, assignment), ['reference', 'id'])
}

/** References are short, and most rows have one of their own. */
function readReference(column: Column, { rows, rules, options }: Assignment): Reading | undefined {
  const isText = isMostly(column, /^\S+(?:\s+\S+){3}/)
  if (column.longest > TEXT_MAX.reference || isText) return undefined
  const { heading, texts, filled, isOverfull } = column
  const [common] = texts.toSorted((one, other) => other.count - one.count)
  if (isOverfull || rules.has('project') || texts.length * 2 > filled || !common || rows.length < 4) return { rule: {} }
  const question =
    `${heading} has the same value in many rows, such as ${occurrencesInWords([common])}, so that it is no reference. ` +
    `--reference-from COLUMN takes another column${options.hasProject ? '; without --project, a column may name the project' : ''}.`
  return { rule: {}, question }
}

/** The key of the project, made from whatever names it. */
export function takeProject(assignment: Assignment): void {
  const isOwn = (column: Column) => folded(column.heading) === 'project'
  if (!assignment.options.hasProject) {
    assignment.take('project', readKeys)
    return
  }
  // With --project a column of that very name must agree; a column that only may mean it is kept as it is.
  const own = assignment.candidates('project').find(isOwn)
  if (own?.texts.every(({ text }) => KEY.test(text))) assignment.fill('project', own)
}

const KEY = /^[a-z][a-z0-9-]*$/i

export function readKeys(column: Column): Reading | undefined {
  if (column.isOverfull) return undefined
  const foreign = column.texts.filter(({ text }) => !KEY.test(text))
  const values = new Map(foreign.map(({ text }): [string, Scalar] => [folded(text), keyOf(text)]))
  if ([...values.values()].some((key) => key === '')) return undefined
  const shown = foreign.slice(0, 3).map(({ text }) => `${text} = ${keyOf(text)}`)
  return foreign.length === 0 ? { rule: {} } : { rule: { values }, how: shown.join(', '), isLossy: true }
}

function keyOf(text: string): string {
  const key = text
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return (/^\d/.test(key) ? `P-${key}` : key).slice(0, TEXT_MAX.projectKey)
}

/** Days; a column that leaves the order of day and month open is read like the others of the sheet. */
export function takeDays(assignment: Assignment, fields: readonly string[]): void {
  const all = assignment.candidates(...fields)
  const orders = new Set(all.flatMap((column) => [...ordersIn(column)]))
  const order: DateOrder | undefined = assignment.options.dateOrder ?? (orders.size === 1 ? [...orders][0] : undefined)
  for (const field of fields) assignment.take(field, (column) => readDays(column, field, order))
  // Such as a target date that is a quarter of a year in most rows.
  const mixed = assignment.candidates(...fields).filter(hasDays)
  for (const { heading } of mixed)
    assignment.notes.push(`${heading} is no more than a detail: most of its texts are no days.`)
}

/** The title, the description, and the reference if no column gives it. */
export function takeTexts(assignment: Assignment, reference: Column | undefined): void {
  const categories = assignment.candidates('category')
  const read = (column: Column) => readTitle(column, categories.includes(column))
  const title = assignment.take('title', read) ?? namedByReference(assignment, reference, read)
  if (!title) {
    assignment.questions.push(untitled(assignment))
    return
  }
  const description = assignment.take('description', readText)
  const rule = assignment.rules.get('title')
  const isPatched = title.blankCount > 0 && description !== undefined
  if (rule && isPatched)
    assignment.rules.set('title', { ...rule, from: [title.heading, description.heading], cut: TEXT_MAX.headline })
  if (!description && title.longest > TEXT_MAX.headline) assignment.rules.set('description', { from: [title.heading] })
  const sources = isPatched ? [title, description] : [title]
  leaveUntitled(assignment, sources)
  completeReferences(assignment, reference, title)
}

/** Where Item is a short text and nothing else is one, it is the reference and the title. */
function namedByReference(
  assignment: Assignment,
  reference: Column | undefined,
  read: (column: Column) => Reading | undefined,
): Column | undefined {
  const reading = reference && assignment.mayMean(reference, 'title') ? read(reference) : undefined
  if (!reference || !reading) return undefined
  assignment.fill('title', reference, reading)
  return reference
}

const LEVELS = new Words(STEPS)

/** A column of levels or numbers says how grave something is, not what. */
function readTitle(column: Column, isCategory: boolean): Reading | undefined {
  // A category above some rows is the title of none.
  if (isCategory && column.blankCount > column.filled) return undefined
  const isLevel = column.texts.every(({ text }) => NUMBER.test(text) || LEVELS.get(text) !== undefined)
  return isLevel ? undefined : readText(column)
}

const NUMBER = /^[\d.,%\s]+$/

/** A text in words: a column of numbers is none. */
export function readText(column: Column): Reading | undefined {
  return isMostly(column, NUMBER) ? undefined : { rule: {} }
}

function untitled(assignment: Assignment): string {
  const noun = assignment.has('severity') ? 'issue' : 'risk'
  const blank = assignment.blanksFor('title').map(({ heading }) => heading)
  if (blank.length > 0) return `No row has anything in ${blank.join(' or ')}: there is no ${noun} in this sheet.`
  return `No column says what the ${noun} is (title). ${wayOut(assignment)}`
}

/** Prepared rows of a template that nobody has filled in. */
function leaveUntitled({ where, notes, rows }: Assignment, sources: readonly Column[]): void {
  const blank = rows.filter(({ cells }) => sources.every(({ at }) => isBlank(cells[at])))
  if (blank.length === 0) return
  where.push({ from: sources.map(({ heading }) => heading), blank: false })
  notes.push(`${rowsOf(blank)} without ${sources[0]?.heading}: left out.`)
}

function completeReferences(assignment: Assignment, reference: Column | undefined, title: Column): void {
  const { rules, notes, rows } = assignment
  if (rules.has('id') && !reference) return
  const lacking = reference ? rows.filter(({ cells }) => isBlank(cells[reference.at]) && !isBlank(cells[title.at])) : []
  if (reference && lacking.length === 0) {
    tellApart(assignment, reference, title)
    return
  }
  rules.set('reference', { from: [...(reference ? [reference.heading] : []), title.heading], unique: true })
  notes.push(
    reference
      ? `${reference.heading} is blank in ${rowsOf(lacking)}: ${title.heading} is the reference there.`
      : `There is no column for the reference: ${title.heading} is taken. --reference-from COLUMN takes another.`,
  )
}

/** One row in ten at most. */
const SLIP_SHARE = 10

/** Rows with the same reference and different titles are a slip of the numbering; with the same title they are one entry. */
function tellApart({ rules, warnings, rows }: Assignment, { at, heading, texts }: Column, title: Column): void {
  const doubled = new Set(texts.filter(({ count }) => count > 1).map(({ text }) => text))
  if (doubled.size === 0 || rules.has('project')) return
  const same = rows.filter(({ cells }) => doubled.has((cells[at] ?? '').trim()))
  const names = same.map(({ cells }) => folded(`${cells[at]?.trim()}\n${cells[title.at] ?? ''}`))
  // More of them are no slip: something else tells the rows apart.
  const isSlip = (same.length - doubled.size) * SLIP_SHARE <= Math.max(rows.length, SLIP_SHARE)
  if (!isSlip || new Set(names).size < names.length) return
  rules.set('reference', { from: [heading], unique: true })
  warnings.push(`${heading} is not unique in ${rowsOf(same)}: from the second of each on, (2) and so on is added.`)
}

export function readLinks(column: Column): Reading | undefined {
  const isLinks = column.texts.length > 0 && column.texts.every(({ text }) => /^https?:\/\/\S+$/i.test(text))
  return isLinks ? { rule: {} } : undefined
}

export function isMostly({ texts }: Column, form: RegExp): boolean {
  return texts.filter(({ text }) => form.test(text)).length * 2 > texts.length
}

/** What to do about a column that is not found. */
export function wayOut({ columns }: Assignment): string {
  const headings = columns.map(({ heading }) => heading).join('; ')
  return `The columns are ${headings}. Say in a map which it is: --suggest-map prints one to start with, --map takes it.`
}
