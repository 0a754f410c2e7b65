import { LEVEL_FLOORS, RISK_LEVELS } from '../../../vocabulary.js'
import { NUMERIC } from '../header.js'
import { recordMapper } from '../maps/recordMapper.js'
import { isBlank, type TableRow } from '../table.js'
import type { Assignment } from './assignment.js'
import { type Column, isBlankWord, linesOfRows, type Reading } from './column.js'
import { readFactor } from './scales.js'
import { readScore } from './statuses.js'

type Pair = readonly [likelihood: string, impact: string]

const FACTORS = ['likelihood', 'impact'] as const
const NOW: Pair = FACTORS
const RESIDUAL: Pair = ['residualLikelihood', 'residualImpact']

/** The factors as they are now and as they remain; with --keep score they are details. */
export function takeAssessments(assignment: Assignment): void {
  if (assignment.options.keep === 'score') return
  const factors = takeFactors(assignment, NOW)
  takeFactors(assignment, RESIDUAL, factors)
}

/** Likelihood and Probability, Impact and Consequence are nothing else. */
const NAME_RANK_MAX = 1

/** Both factors or neither: one alone is kept in details. */
function takeFactors(assignment: Assignment, pair: Pair, inherent: readonly Column[] = []): Column[] {
  const all = pair.map((field) => assignment.candidates(field))
  const taken: { column: Column; reading: Reading }[] = []
  for (const [at, field] of pair.entries()) {
    const partner = all[1 - at]?.[0]
    const free = all[at]?.filter((column) => column !== taken[0]?.column) ?? []
    const [first] = free.flatMap((column) => {
      const isNamed = assignment.mayMean(column, field, NAME_RANK_MAX)
      const beside = { partner, inherent: inherent[at], isNamed, given: assignment.options.values }
      const reading = readFactor(column, FACTORS[at] ?? 'impact', beside)
      return reading ? [{ column, reading }] : []
    })
    if (!first) return []
    taken.push(first)
  }
  for (const [at, { column, reading }] of taken.entries()) {
    assignment.fill(pair[at] ?? '', column, reading)
    assignment.prefer(pair[at] ?? '', column, all[at] ?? [])
  }
  const columns = taken.map(({ column }) => column)
  pairUp(assignment, pair, columns)
  return columns
}

/** The two factors of each row as they will be stored; '' for a blank. */
function stepsOf({ rules, rows, columns }: Assignment, pair: Pair): { row: TableRow; steps: readonly unknown[] }[] {
  const own = pair.flatMap((field) => [rules.get(field) ?? []].flat().map((rule) => [field, rule] as const))
  const mapper = recordMapper({ name: '', rules: new Map(own), where: [] })
  const places = new Map(columns.map(({ heading, at }) => [heading, at]))
  return rows.map((row) => {
    const { values } = mapper.read((heading) => [row.cells[places.get(heading) ?? -1]?.trim()], row.line)
    return { row, steps: pair.map((field) => values[field] ?? '') }
  })
}

/** Rows that give only one of the two are not assessed. */
function pairUp(assignment: Assignment, pair: Pair, columns: readonly Column[]): void {
  const { rules, notes } = assignment
  const halves = stepsOf(assignment, pair).filter(({ steps: [one, other] }) => (one === '') !== (other === ''))
  if (halves.length === 0) return
  for (const [field, partner] of [pair, pair.toReversed()]) {
    const rule = rules.get(field ?? '')
    if (field && rule) rules.set(field, { ...rule, with: partner })
  }
  const names = columns.map(({ heading }) => heading).join(' and ')
  const rows = linesOfRows(halves.map(({ row }) => row))
  notes.push(`${names} count only together: not assessed in ${rows}, which have one of them.`)
}

/** A score counts only if the factors are not there; beside them it is computed, or it is a detail. */
export function takeScores(assignment: Assignment): void {
  const { rules } = assignment
  if (rules.has('likelihood')) compareScores(assignment, NOW, ['score', 'level', 'rating'])
  else {
    assignment.take('scoreGiven', (column) => readScore(column), ['scoreGiven', 'score']) ??
      assignment.take('scoreGiven', (column) => readScore(column, 'level'), ['level']) ??
      assignment.take('scoreGiven', (column) => readScore(column, 'rating'), ['rating'])
    noteAlone(assignment)
  }
  if (rules.has('residualLikelihood')) compareScores(assignment, RESIDUAL, ['residualScore'])
}

function compareScores(assignment: Assignment, pair: Pair, meanings: readonly string[]): void {
  const title = assignment.columnOf('title')
  // Prepared rows without a title are left out.
  const entries = stepsOf(assignment, pair).filter(({ row }) => !title || !isBlank(row.cells[title.at]))
  const scored = entries.map(({ row, steps: [one, other] }) => {
    const isAssessed = one !== '' && other !== ''
    return { row, isAssessed, score: isAssessed ? Number(one) * Number(other) || 0 : 0 }
  })
  for (const column of assignment.candidates(...meanings)) {
    const given = scored.map((one) => ({ ...one, text: (one.row.cells[column.at] ?? '').trim() }))
    const filled = given.filter(({ text }) => text !== '' && !isBlankWord(text))
    // A row may have a score and not both factors; a formula gives 0 there.
    const isAlone = filled.some(({ isAssessed, text }) => !isAssessed && /[1-9]/.test(text))
    const isTaken = isAlone && assignment.mayMean(column, 'score') && !assignment.rules.has('scoreGiven')
    const reading = isTaken ? readScore(column) : undefined
    const compared = reading ? filled.filter(({ isAssessed }) => isAssessed) : filled
    const isComputed = compared.every(({ score, text }) => isScore(text, score))
    if (reading) assignment.fill('scoreGiven', column, { ...reading, isLossy: !isComputed || reading.isLossy })
    else if (isComputed) assignment.ignore(column, 'it is computed from likelihood and impact')
    if (!isComputed && pair === NOW && assignment.mayMean(column, 'score')) warnReversed(assignment, column, compared)
  }
}

/** Whether a text is this score, or its level. */
function isScore(text: string, score: number): boolean {
  const level = RISK_LEVELS.findLast((one) => LEVEL_FLOORS[one] <= score)
  return NUMERIC.test(text) ? Number(text.replace(',', '.')) === score : text.toUpperCase() === level
}

type Scored = Readonly<{ row: TableRow; score: number; text: string }>

/** Warns where the steps from 1 to 5 put a row below others that the source's own score puts above them. */
function warnReversed({ warnings }: Assignment, { heading }: Column, scored: readonly Scored[]): void {
  const numbers = scored.map((one) => ({ ...one, number: Number(one.text.replace(',', '.')) }))
  if (numbers.some(({ number }) => Number.isNaN(number))) return
  let [highest, below, last] = [0, 0, Number.NEGATIVE_INFINITY]
  const reversed: TableRow[] = []
  for (const { row, score, number } of numbers.toSorted((one, other) => one.number - other.number)) {
    if (number > last) below = highest
    if (score < below) reversed.push(row)
    highest = Math.max(highest, score)
    last = number
  }
  if (reversed.length === 0) return
  const rows = linesOfRows(reversed.toSorted((one, other) => one.line - other.line))
  const why = `likelihood x impact is lower in ${rows} than where ${heading} is lower.`
  const advice = `--keep score stores ${heading} instead of the two.`
  warnings.push(`${heading} puts the risks into another order: ${why} ${advice}`)
}

/** One factor alone is no assessment, and the other is never made up. */
function noteAlone(assignment: Assignment): void {
  const { notes, options } = assignment
  for (const factor of FACTORS) {
    for (const column of assignment.candidates(factor)) {
      const isStep = readFactor(column, factor) !== undefined
      const why = isStep ? 'likelihood and impact count only together' : 'its texts are no steps without --value'
      notes.push(`${column.heading} is no more than a detail: ${options.keep ? 'the score is kept' : why}.`)
    }
  }
  for (const { heading } of assignment.rules.has('scoreGiven') ? [] : assignment.candidates('score', 'rating'))
    notes.push(`${heading} is no more than a detail: it is no score from 0 to 25 or 100.`)
}
