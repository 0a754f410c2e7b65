import type { Assignment } from './assignment.js'
import { type Column, isBlankWord, rowsInWords } from './column.js'
import { readLinks, readText, takeDays, takeId, takeProject, takeReference, takeTexts } from './entries.js'
import { readFactor } from './scales.js'
import { readLevel, readResponse, readScore, readStatus } from './statuses.js'

/** How the fields of a risk get their columns; earlier fields choose first. */
export function planRisks(assignment: Assignment): void {
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

function isBlank(text = ''): boolean {
  return text.trim() === '' || isBlankWord(text)
}

/** Rows that give only one of the two are not assessed. */
function pairUp(
  { rules, rows, notes }: Assignment,
  [one, first]: [string, Column],
  [other, second]: [string, Column],
): void {
  const halves = rows.filter(({ cells }) => isBlank(cells[first.at]) !== isBlank(cells[second.at]))
  if (halves.length === 0) return
  for (const [field, partner] of [
    [one, other],
    [other, one],
  ] as const) {
    const rule = rules.get(field)
    if (rule) rules.set(field, { ...rule, with: partner })
  }
  const lines = rowsInWords(
    halves.map(({ line }) => line),
    halves.length,
  )
  notes.push(
    `${first.heading} and ${second.heading} count only together: not assessed in ${lines}, which have one of them.`,
  )
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
    assignment.rows.some(({ cells }) => /[1-9]/.test(cells[at] ?? '') && factors.some((one) => isBlank(cells[one.at])))
  if (assignment.candidates('score').some(isAlone)) assignment.take('scoreGiven', readScore, ['scoreGiven', 'score'])
  for (const column of assignment.candidates('score', 'level')) ignoreIfNumeric(assignment, column)
}

function ignoreIfNumeric(assignment: Assignment, column: Column): void {
  const isNumeric = column.texts.every(({ text }) => /^[\d.,\s%]+$/.test(text) || isBlankWord(text))
  if (isNumeric) assignment.ignore(column, 'it is computed from likelihood and impact')
}
