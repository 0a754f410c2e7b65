import type { NounPlural } from '../../../vocabulary.js'
import { TEXT_MAX } from '../../../vocabulary.js'
import { headingKey, NUMERIC } from '../header.js'
import { folded, type Scalar } from '../mapping.js'
import { isBlank, type TableRow } from '../table.js'
import type { Assignment } from './assignment.js'
import { type Column, linesOfRows, occurrencesInWords, type Reading, SLIP_SHARE, Words } from './column.js'
import { hasDays, ordersIn, readDays } from './dates.js'
import { takeAssessments, takeScores } from './factors.js'
import { blankValues, byFoldedText } from './scales.js'
import { OWN_ID, RESPONSES, readSeverity, readStatus, readWords } from './statuses.js'
import { STEPS } from './words.js'

/** How a step of the order takes its columns; one that is not here takes the best column of its name as it is. */
const STEPS_OF: Readonly<Record<string, (assignment: Assignment, noun: NounPlural) => void>> = {
  project: takeProject,
  id: takeId,
  reference: (assignment) =>
    assignment.rules.has('reference') ||
    assignment.take('reference', (column) => readReference(column, assignment), ['reference', 'id']),
  factors: takeAssessments,
  days: (assignment) => takeDays(assignment, ['raisedOn', 'dueOn', 'reviewOn']),
  status: takeStatus,
  // A treatment is a response if it is one in most rows; else it is a plan in words.
  response: (assignment) =>
    assignment.take('response', (column) => readWords(column, RESPONSES), ['response', 'treatment']),
  severity: (assignment) => completeSeverity(assignment, assignment.take('severity', readSeverity)),
  url: (assignment) => assignment.take('url', readLinks),
  risk: (assignment) =>
    assignment.take('risk', (column) => (column.longest > TEXT_MAX.reference ? undefined : blankless(column))),
  texts: takeTexts,
  category: (assignment) => assignment.take('category', ({ longest }) => (longest > 200 ? undefined : { rule: {} })),
  mitigation: (assignment) => assignment.take('mitigation', readText, ['mitigation', 'treatment']),
  cause: (assignment) => assignment.take('cause', readText),
  score: takeScores,
  defaults: tellDefaults,
  email: takeEmail,
  name: (assignment, noun) => (noun === 'people' ? takeName(assignment) : assignment.take('name')),
  externalId: (assignment) => assignment.rules.has('externalId') || assignment.take('externalId'),
  private: (assignment) => {
    for (const column of assignment.privates()) assignment.ignore(column, 'it is private; a map can take it')
  },
  key: takeKey,
  needed: requireNeeded,
}

export function takeStep(assignment: Assignment, noun: NounPlural, step: string): void {
  const take = STEPS_OF[step]
  if (take) take(assignment, noun)
  else assignment.take(step)
}

/** The status, and CLOSED where there is none and a column has the day of closing. */
function takeStatus(assignment: Assignment, noun: NounPlural): void {
  const column = assignment.take('status', (one, isNamed) => readStatus(one, noun, isNamed))
  const { rules, rows, notes } = assignment
  askOtherStatus(assignment, noun, column)
  const closing = assignment.candidates('closedOn').find(hasDays)
  const isOpen = (cells: readonly string[]) => !column || isBlank(cells[column.at])
  const closed = rows.filter(({ cells }) => closing && isOpen(cells) && /\d/.test(cells[closing.at] ?? ''))
  if (!closing || closed.length === 0) return
  rules.set('status', { ...(rules.get('status') ?? { from: [] }), closedBy: { [closing.heading]: 'CLOSED' } })
  notes.push(`Without a status, what has a ${closing.heading} is CLOSED: ${linesOfRows(closed)}.`)
}

const OF_ANOTHER = /mitigation|action|control|treatment|response|plan|approval|compliance|project|task/i

/** Another column that says otherwise what is closed may be the status; a map decides. */
function askOtherStatus(assignment: Assignment, noun: NounPlural, column: Column | undefined): void {
  if (noun !== 'risks' && noun !== 'issues') return
  const closedIn = (one: Column | undefined) => {
    const values = one && readStatus(one, noun)?.rule.values
    return ({ cells }: TableRow) => {
      const text = (cells[one?.at ?? -1] ?? '').trim()
      return /^(?:closed|resolved)$/i.test(String(values?.get(folded(text)) ?? text))
    }
  }
  const isStatus = ({ heading }: Column) => /status/i.test(heading) && !OF_ANOTHER.test(heading)
  for (const other of assignment.leftovers().filter((one) => one !== column && isStatus(one))) {
    const isClosed = closedIn(column)
    const rows = assignment.rows.filter((row) => closedIn(other)(row) !== isClosed(row))
    const own = column ? `${column.heading} says otherwise` : 'no other column is the status'
    const why = `${other.heading} says which are closed, and ${own}: ${linesOfRows(rows)}.`
    if (rows.length > 0) assignment.questions.push(`${why} Say in a map which is the status: --suggest-map prints one.`)
  }
}

function takeEmail(assignment: Assignment): void {
  if (assignment.take('email', (column) => (isMostly(column, /@/) ? blankless(column) : undefined))) return
  // The only column of e-mail addresses, whatever it is called.
  const privates = new Set(assignment.privates())
  const others = assignment.leftovers().filter((one) => !privates.has(one))
  const [column, second] = others.filter((one) => isMostly(one, /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/))
  if (column && !second) assignment.fill('email', column, blankless(column))
}

function takeName(assignment: Assignment): void {
  const [first, last] = [assignment.candidates('firstName')[0], assignment.candidates('lastName')[0]]
  const whole = assignment.candidates('name').find((column) => column !== first && column !== last)
  if (first && last && !whole) {
    assignment.fill('name', first, { rule: { join: ' ' } }, [last])
    assignment.use(last)
    assignment.notes.push(`${first.heading} and ${last.heading} are joined to the name.`)
  } else assignment.take('name', undefined, ['name', 'firstName', 'login'])
}

const NEEDED: Readonly<Partial<Record<NounPlural, readonly (readonly string[])[]>>> = {
  people: [['name'], ['email', 'externalId', 'id']],
  groups: [['name', 'id', 'externalId']],
  projects: [['key', 'id']],
}

function requireNeeded(assignment: Assignment, noun: NounPlural): void {
  for (const fields of NEEDED[noun] ?? []) {
    if (fields.some((field) => assignment.rules.has(field))) continue
    const more = fields.includes('email') ? ' --reference-from COLUMN takes any column as the id.' : ''
    assignment.questions.push(`No column is known as ${fields.join(' or ')} of ${noun}. ${wayOut(assignment)}${more}`)
  }
}

/** Fields of exports, by their exact names: ids only in the form of ours. */
function takeId(assignment: Assignment): void {
  const isOwnIds = ({ texts }: Column) => texts.length > 0 && texts.every(({ text }) => OWN_ID.test(text))
  for (const field of ['id', 'ownerId', 'ownerName', 'assigneeId', 'assigneeName', 'riskId']) {
    const column = assignment.columns.find(({ heading }) => headingKey(heading) === headingKey(field))
    // Only an export of ours spells ownerName so. Otherwise Owner Name is the owner, whom the roster may know.
    const isOurs = column && (field.endsWith('Name') ? column.heading === field : isOwnIds(column))
    const isTaken = isOurs && assignment.has(field)
    if (isTaken) assignment.fill(field, column)
  }
}

/** References are short, and most rows have one of their own. */
function readReference(column: Column, { columns, rows, rules, options }: Assignment): Reading | undefined {
  const { heading, texts, filled, isOverfull, longest } = column
  // Beside the table, behind a column without a heading: a legend has other rows.
  if (column.blankCount > 0 && column.at - (columns[0]?.at ?? 0) > columns.indexOf(column)) return undefined
  const isText = longest > TEXT_MAX.reference || isMostly(column, /^\S+(?:\s+\S+){3}/)
  if (isText || readLinks(column)) return undefined
  const [common] = texts.toSorted((one, other) => other.count - one.count)
  if (isOverfull || rules.has('project') || texts.length * 2 > filled || !common || rows.length < 4) return { rule: {} }
  const question =
    `${heading} has the same value in many rows, such as ${occurrencesInWords([common])}, so that it is no reference. ` +
    `--reference-from COLUMN takes another column${options.hasProject ? '; without --project, a column may name the project' : ''}.`
  return { rule: {}, question }
}

const KEY = /^[a-z][a-z0-9-]*$/i

/** The key of the project, made from whatever names it. */
function takeProject(assignment: Assignment): void {
  if (!assignment.options.hasProject) {
    assignment.take('project', readKeys)
    return
  }
  // With --project a column of that very name must agree; a column that only may mean it is kept as it is.
  const column = assignment.candidates('project').find(({ heading }) => folded(heading) === 'project')
  if (column?.texts.every(({ text }) => KEY.test(text))) assignment.fill('project', column)
}

function readKeys({ texts, isOverfull }: Column): Reading | undefined {
  if (isOverfull) return undefined
  const foreign = texts.flatMap(({ text }) => (KEY.test(text) ? [] : [[text, prefixOfKeys(text)] as const]))
  if (foreign.length === 0) return { rule: {} }
  if (foreign.some(([, key]) => key === '')) return undefined
  const shown = foreign.slice(0, 3).map(([text, key]) => `${text} = ${key}`)
  return { rule: { values: byFoldedText(foreign) }, how: shown.join(', '), isLossy: true }
}

function prefixOfKeys(text: string): string {
  const key = text
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return (/^\d/.test(key) ? `P-${key}` : key).slice(0, TEXT_MAX.projectKey)
}

/** The key, made from the name if nothing else gives it. */
function takeKey(assignment: Assignment): void {
  const { rules, notes } = assignment
  if (rules.has('key') || assignment.take('key', readKeys)) return
  const [name] = assignment.candidates('name')
  // A column of keys that is headed Project names no project: the names that are stored stay.
  const isKeys = name && name.filled > 0 && name.texts.every(({ text }) => /^[A-Z][A-Z0-9-]*$/.test(text))
  const reading = name && !isKeys ? readKeys(name) : undefined
  if (isKeys) assignment.fill('key', name)
  if (!name || !reading) return
  rules.set('key', { from: [name.heading], ...reading.rule })
  notes.push(`There is no column for the key: it is made from ${name.heading}.`)
}

/** What is stored of something new where the sheet says nothing. */
function tellDefaults(assignment: Assignment): void {
  const { options, rules, notes } = assignment
  const isEntry = options.fields.includes('raisedOn')
  if (!rules.has('status'))
    notes.push(`${lacking(assignment, 'status')}: what is new is ${isEntry ? 'OPEN' : 'ACTIVE'}.`)
  if (isEntry && !rules.has('raisedOn'))
    notes.push('There is no column for the day raised: for what is new it is the day of the import.')
}

/** That a field has no column, or that its column says something else. */
function lacking(assignment: Assignment, field: string): string {
  const [column] = assignment.candidates(field)
  if (!column) return `There is no column for the ${field}`
  return `${column.heading} is no more than a detail, as most of its texts are something else than a ${field}`
}

/** Issues without a severity are MEDIUM. */
function completeSeverity(assignment: Assignment, column: Column | undefined): void {
  const { rules, notes, rows } = assignment
  const rule = rules.get('severity')
  if (!rule || !column) {
    rules.set('severity', { from: [], constant: 'MEDIUM' })
    notes.push(`${lacking(assignment, 'severity')}: it is MEDIUM for all. A map can say otherwise.`)
    return
  }
  const values = Array.from(rule.values ?? [])
  const isComplete = column.blankCount === 0 && values.every(([, becomes]) => becomes !== '')
  if (isComplete || rows.length === 0) return
  const filled = values.map(([text, becomes]): [string, Scalar] => [text, becomes || 'MEDIUM'])
  rules.set('severity', { ...rule, ...(filled.length > 0 && { values: new Map(filled) }), whenBlank: 'MEDIUM' })
  const isUnsaid = (text = '') => isBlank(text) || rule.values?.get(folded(text)) === ''
  const blank = rows.filter(({ cells }) => isUnsaid(cells[column.at]))
  notes.push(`${column.heading} says nothing in ${linesOfRows(blank)}: the severity is MEDIUM there.`)
}

/** Days; a column that leaves the order of day and month open is read like the others of the sheet. */
function takeDays(assignment: Assignment, fields: readonly string[]): void {
  const orders = new Set(assignment.candidates(...fields).flatMap((column) => [...ordersIn(column)]))
  const order = assignment.options.dateOrder ?? (orders.size === 1 ? [...orders][0] : undefined)
  for (const field of fields) assignment.take(field, (column) => readDays(column, field, order))
  // Such as a target date that is a quarter of a year in most rows.
  for (const { heading } of assignment.candidates(...fields).filter(hasDays))
    assignment.notes.push(`${heading} is no more than a detail: most of its texts are no days.`)
}

/** The title, the description, and the reference if no column gives it. */
function takeTexts(assignment: Assignment): void {
  const { rules } = assignment
  const reference = assignment.columnOf('reference')
  const categories = assignment.candidates('category')
  const [longer] = assignment.candidates('description').filter(readText)
  // A text that most rows share tells none of them apart, if a description does.
  const isShared = ({ texts, filled }: Column) =>
    longer && longer.texts.length > texts.length && texts.some(({ count }) => count * 2 > filled)
  const read = (column: Column) => (isShared(column) ? undefined : readTitle(column, categories.includes(column)))
  // Where Item is a short text and nothing else is one, it is the reference and the title.
  const both = reference && assignment.mayMean(reference, 'title') ? read(reference) : undefined
  const title = assignment.take('title', read) ?? (both && reference)
  if (!title) {
    assignment.questions.push(untitled(assignment))
    return
  }
  if (title === reference) assignment.fill('title', title, both)
  const description = assignment.take('description', readText)
  const sources = title.blankCount > 0 && description ? [title, description] : [title]
  const from = sources.map(({ heading }) => heading)
  if (sources.length > 1) rules.set('title', { ...rules.get('title'), from, cut: TEXT_MAX.headline })
  if (!description && title.longest > TEXT_MAX.headline) rules.set('description', { from: [title.heading] })
  leaveUntitled(assignment, sources)
  completeReferences(assignment, reference, title)
}

const LEVELS = new Words(STEPS)

/** A column of levels or numbers says how grave something is, not what. */
function readTitle(column: Column, isCategory: boolean): Reading | undefined {
  // A category above some rows is the title of none.
  if (isCategory && column.blankCount > column.filled) return undefined
  const isLevel = column.texts.every(({ text }) => NUMERIC.test(text) || LEVELS.get(text) !== undefined)
  return isLevel ? undefined : readText(column)
}

function readText(column: Column): Reading | undefined {
  return isMostly(column, NUMERIC) ? undefined : { rule: {} }
}

function untitled(assignment: Assignment): string {
  const noun = assignment.has('severity') ? 'issue' : 'risk'
  const blank = assignment.columns
    .filter((one) => one.filled === 0 && assignment.mayMean(one, 'title'))
    .map(({ heading }) => heading)
  if (blank.length > 0) return `No row has anything in ${blank.join(' or ')}: there is no ${noun} in this sheet.`
  return `No column says what the ${noun} is (title). ${wayOut(assignment)}`
}

/** Prepared rows of a template that nobody has filled in. */
function leaveUntitled({ where, notes, rows }: Assignment, sources: readonly Column[]): void {
  const blank = rows.filter(({ cells }) => sources.every(({ at }) => isBlank(cells[at])))
  if (blank.length === 0) return
  where.push({ from: sources.map(({ heading }) => heading), blank: false })
  notes.push(`${linesOfRows(blank)} without ${sources[0]?.heading}: left out.`)
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
      ? `${reference.heading} is blank in ${linesOfRows(lacking)}: ${title.heading} is the reference there.`
      : `There is no column for the reference: ${title.heading} is taken. --reference-from COLUMN takes another.`,
  )
}

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
  warnings.push(`${heading} is not unique in ${linesOfRows(same)}: from the second of each on, (2) and so on is added.`)
}

function readLinks({ texts }: Column): Reading | undefined {
  const isLinks = texts.length > 0 && texts.every(({ text }) => /^https?:\/\/\S+$/i.test(text))
  return isLinks ? { rule: {} } : undefined
}

/** Texts such as n/a among e-mails or references become blank. */
function blankless(column: Column): Reading {
  const blanks = blankValues(column)
  return { rule: blanks.length === 0 ? {} : { values: byFoldedText(blanks) } }
}

function isMostly({ texts }: Column, form: RegExp): boolean {
  return texts.filter(({ text }) => form.test(text)).length * 2 > texts.length
}

function wayOut({ columns }: Assignment): string {
  const headings = columns.map(({ heading }) => heading).join('; ')
  return `The columns are ${headings}. Say in a map which it is: --suggest-map prints one to start with, --map takes it.`
}
