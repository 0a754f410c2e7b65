import { TEXT_MAX } from '../../../vocabulary.js'
import type { Scalar } from '../mapping.js'
import { isBlank, type SheetNoun } from '../table.js'
import type { Assignment } from './assignment.js'
import { type Column, isBlankWord, type Reading, rowsInWords, rowsOf } from './column.js'
import {
  isMostly,
  readKeys,
  readLinks,
  readText,
  takeDays,
  takeId,
  takeProject,
  takeReference,
  takeTexts,
  wayOut,
} from './entries.js'
import { blankValues, byFoldedText, readFactor } from './scales.js'
import { readLevel, readResponse, readScore, readSeverity, readStatus } from './statuses.js'

/** How the fields of each noun get their columns; earlier fields choose first. */
export const PLANS: Readonly<Record<SheetNoun, (assignment: Assignment) => void>> = {
  risks: planRisks,
  issues: planIssues,
  people: planPeople,
  groups: planGroups,
  projects: planProjects,
}

function planIssues(assignment: Assignment): void {
  takeProject(assignment)
  takeId(assignment)
  const reference = takeReference(assignment)
  takeDays(assignment, ['raisedOn', 'dueOn'])
  assignment.take('status', (column) => readStatus(column, 'issues'))
  if (!assignment.take('severity', readSeverity)) defaultSeverity(assignment)
  else mediumWhereBlank(assignment)
  assignment.take('assignee')
  assignment.take('url', readLinks)
  assignment.take('risk', readLink)
  takeTexts(assignment, reference)
}

/** References of risks; n/a and the like stand for none. */
function readLink(column: Column): Reading | undefined {
  return column.longest > TEXT_MAX.reference ? undefined : { rule: blankless(column) }
}

function defaultSeverity({ rules, notes }: Assignment): void {
  rules.set('severity', { from: [], constant: 'MEDIUM' })
  notes.push('There is no column for the severity: it is MEDIUM for all. A map can say otherwise.')
}

function mediumWhereBlank({ rules, notes, columns, rows }: Assignment): void {
  const rule = rules.get('severity')
  const column = columns.find(({ heading }) => heading === rule?.from[0])
  const isBlank = column && (column.blankCount > 0 || [...(rule?.values ?? [])].some(([, becomes]) => becomes === ''))
  if (!rule || !column || !isBlank || rows.length === 0) return
  const values = new Map(
    [...(rule.values ?? [])].map(([text, becomes]): [string, Scalar] => [text, becomes === '' ? 'MEDIUM' : becomes]),
  )
  rules.set('severity', { ...rule, ...(values.size > 0 && { values }), default: 'MEDIUM' })
  notes.push(
    `${column.heading} is blank in ${rowsInWords(column.blanks, column.blankCount)}: the severity is MEDIUM there.`,
  )
}

function planPeople(assignment: Assignment): void {
  takeId(assignment)
  assignment.take('email', (column) => (isMostly(column, /@/) ? { rule: blankless(column) } : undefined))
  if (!assignment.rules.has('email')) takeAddresses(assignment)
  const [first, last] = [assignment.candidates('firstName')[0], assignment.candidates('lastName')[0]]
  const whole = assignment.candidates('name').find((column) => column !== first && column !== last)
  if (first && last && !whole) {
    assignment.fill('name', first, { rule: { join: ' ' } }, [last])
    assignment.use(last)
    assignment.notes.push(`${first.heading} and ${last.heading} are joined to the name.`)
  } else assignment.take('name', undefined, ['name', 'firstName', 'login'])
  if (!assignment.rules.has('externalId')) assignment.take('externalId')
  assignment.take('title')
  assignment.take('department')
  assignment.take('status', (column) => readStatus(column, 'people'))
  assignment.take('groups')
  for (const column of assignment.privates()) assignment.ignore(column, 'it is private; a map can take it')
  requireSome(assignment, ['name'], 'people')
  const advice = '--reference-from COLUMN takes any column as the id.'
  requireSome(assignment, ['email', 'externalId', 'id'], 'people', advice)
}

/** The only column of e-mail addresses, whatever it is called. */
function takeAddresses(assignment: Assignment): void {
  const privates = new Set(assignment.privates())
  const [column, ...others] = assignment
    .leftovers()
    .filter((one) => !privates.has(one) && isMostly(one, /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/))
  if (column && others.length === 0) assignment.fill('email', column, { rule: blankless(column) })
}

function planGroups(assignment: Assignment): void {
  takeId(assignment)
  if (!assignment.rules.has('externalId')) assignment.take('externalId')
  for (const field of ['name', 'description', 'members']) assignment.take(field)
  requireSome(assignment, ['name', 'id', 'externalId'], 'groups')
}

function planProjects(assignment: Assignment): void {
  takeId(assignment)
  if (!assignment.rules.has('key')) assignment.take('key', readKeys)
  if (!assignment.rules.has('key')) takeKeysAsNames(assignment)
  assignment.take('name')
  assignment.take('description')
  assignment.take('url', readLinks)
  assignment.take('status', (column) => readStatus(column, 'projects'))
  if (!assignment.rules.has('key') && assignment.rules.has('name')) keyFromName(assignment)
  requireSome(assignment, ['key', 'id'], 'projects')
}

/** A column of keys that is headed Project names no project: the names that are stored stay. */
function takeKeysAsNames(assignment: Assignment): void {
  const [column] = assignment.candidates('name')
  const isKeys = column && column.filled > 0 && column.texts.every(({ text }) => /^[A-Z][A-Z0-9-]*$/.test(text))
  if (isKeys) assignment.fill('key', column)
}

function keyFromName({ rules, columns, notes }: Assignment): void {
  const heading = rules.get('name')?.from[0] ?? ''
  const column = columns.find((one) => one.heading === heading)
  const reading = column && readKeys(column)
  if (!reading) return
  rules.set('key', { from: [heading], ...reading.rule })
  notes.push(`There is no column for the key: it is made from ${heading}.`)
}

/** Texts such as n/a among e-mails or references become blank. */
function blankless(column: Column): Reading['rule'] {
  const blanks = blankValues(column)
  return blanks.length === 0 ? {} : { values: byFoldedText(blanks) }
}

function requireSome(assignment: Assignment, fields: readonly string[], noun: string, more = ''): void {
  if (fields.some((field) => assignment.rules.has(field))) return
  const sentence = `No column is known as ${fields.join(' or ')} of ${noun}. ${wayOut(assignment)}`
  assignment.questions.push(more === '' ? sentence : `${sentence} ${more}`)
}

/** How the fields of a risk get their columns; earlier fields choose first. */
function planRisks(assignment: Assignment): void {
  takeProject(assignment)
  takeId(assignment)
  const reference = takeReference(assignment)
  const factors = takeFactors(assignment, 'likelihood', 'impact')
  const isReassessed = takeFactors(assignment, 'residualLikelihood', 'residualImpact', factors)
  takeDays(assignment, ['raisedOn', 'dueOn', 'reviewOn'])
  assignment.take('status', (column) => readStatus(column, 'risks'))
  assignment.take('response', readResponse, ['response', 'treatment'])
  assignment.take('owner')
  assignment.take('url', readLinks)
  takeTexts(assignment, reference)
  assignment.take('category', ({ longest }) => (longest > 200 ? undefined : { rule: {} }))
  assignment.take('mitigation', readText, ['mitigation', 'treatment'])
  assignment.take('cause', readText)
  takeScore(assignment, factors)
  if (isReassessed) for (const column of assignment.candidates('residualScore')) ignoreIfNumeric(assignment, column)
}

/** Both factors or neither: one alone is kept in details. */
function takeFactors(
  assignment: Assignment,
  likelihood: string,
  impact: string,
  [inherentLikelihood, inherentImpact]: readonly Column[] = [],
): readonly Column[] | undefined {
  if (!assignment.has(likelihood)) return undefined
  const [likely] = assignment.candidates(likelihood)
  const [severe] = assignment.candidates(impact)
  const first = firstRead(assignment.candidates(likelihood), 'likelihood', severe, inherentLikelihood)
  const others = assignment.candidates(impact).filter((column) => column !== first?.column)
  const second = first && firstRead(others, 'impact', likely, inherentImpact)
  if (!first || !second) return undefined
  assignment.fill(likelihood, first.column, first.reading)
  assignment.fill(impact, second.column, second.reading)
  pairUp(assignment, [likelihood, first.column], [impact, second.column])
  return [first.column, second.column]
}

/** One factor alone is no assessment, and the other is never made up. */
function noteAlone(assignment: Assignment): void {
  for (const factor of ['likelihood', 'impact'] as const) {
    for (const column of assignment.candidates(factor)) {
      const isStep = readFactor(column, factor) !== undefined
      const why = isStep ? 'likelihood and impact count only together' : 'its texts are no steps of a scale'
      assignment.notes.push(`${column.heading} is no more than a detail: ${why}.`)
    }
  }
}

/** The first column that gives a factor. */
function firstRead(columns: readonly Column[], factor: 'likelihood' | 'impact', partner?: Column, inherent?: Column) {
  for (const column of columns) {
    const reading = readFactor(column, factor, partner, inherent)
    if (reading) return { column, reading }
  }
  return undefined
}

const isBlankOrWord = (text = '') => isBlank(text) || isBlankWord(text)

/** Rows that give only one of the two are not assessed. */
function pairUp(
  { rules, rows, notes }: Assignment,
  [one, first]: [string, Column],
  [other, second]: [string, Column],
): void {
  const halves = rows.filter(({ cells }) => isBlankOrWord(cells[first.at]) !== isBlankOrWord(cells[second.at]))
  if (halves.length === 0) return
  for (const [field, partner] of Object.entries({ [one]: other, [other]: one })) {
    const rule = rules.get(field)
    if (rule) rules.set(field, { ...rule, with: partner })
  }
  const pair = `${first.heading} and ${second.heading}`
  notes.push(`${pair} count only together: not assessed in ${rowsOf(halves)}, which have one of them.`)
}

/** A score counts only if the factors are not there; beside them it is computed. */
function takeScore(assignment: Assignment, factors: readonly Column[] | undefined): void {
  if (!factors) {
    assignment.take('scoreGiven', readScore, ['scoreGiven', 'score']) ??
      assignment.take('scoreGiven', readLevel, ['level'])
    noteAlone(assignment)
    return
  }
  // A row may have a score and not both factors; a formula gives 0 there.
  const isAlone = ({ at }: Column) =>
    assignment.rows.some(
      ({ cells }) => /[1-9]/.test(cells[at] ?? '') && factors.some((one) => isBlankOrWord(cells[one.at])),
    )
  if (assignment.candidates('score').some(isAlone)) assignment.take('scoreGiven', readScore, ['scoreGiven', 'score'])
  for (const column of assignment.candidates('score', 'level')) ignoreIfNumeric(assignment, column)
}

function ignoreIfNumeric(assignment: Assignment, column: Column): void {
  const isNumeric = column.texts.every(({ text }) => /^[\d.,\s%]+$/.test(text) || isBlankWord(text))
  if (isNumeric) assignment.ignore(column, 'it is computed from likelihood and impact')
}
