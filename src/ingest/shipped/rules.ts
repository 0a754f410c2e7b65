import { type IssueSeverity, TEXT_MAX } from '../../vocabulary.js'
import { ISSUE_STATUS_WORDS, PERSON_STATUS_WORDS, SEVERITY_WORDS } from '../files/guess/words.js'
import type { Recognisable } from '../files/maps/recognition.js'
import type { SheetNoun } from '../files/table.js'

/** A map that comes with the command, in the form of a map file. */
export interface ShippedMap extends Omit<Recognisable, 'mapping'> {
  readonly noun: SheetNoun
  /** What it reads, for the list of maps. */
  readonly reads: string
  readonly where?: readonly Readonly<Record<string, unknown>>[]
  readonly columns: Readonly<Record<string, unknown>>
}

type Words<V extends string> = Readonly<Record<V, string>>

/** What labels say about severity: most of them say something else. */
const LABELS: Words<IssueSeverity> = {
  CRITICAL: 'critical, blocker, urgent',
  HIGH: 'high, major',
  MEDIUM: 'medium, normal, moderate',
  LOW: 'low, minor, trivial',
}

/** States of trackers besides the words of people: Jira's categories, and the processes of Azure DevOps and OpenProject. */
const STATES: Words<'OPEN' | 'IN_PROGRESS' | 'RESOLVED' | 'CLOSED'> = {
  OPEN: 'proposed, approved, in specification, specified, confirmed, scheduled',
  IN_PROGRESS: 'indeterminate, committed, developed, feedback',
  RESOLVED: 'terminé(e)',
  CLOSED: 'removed, abgewiesen',
}

function valuesOf(...all: Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const entries = all.flatMap((words) => Object.entries(words))
  return Object.fromEntries(entries.flatMap(([value, list]) => list.split(', ').map((word) => [word, value])))
}

const SEVERITY_VALUES = valuesOf(SEVERITY_WORDS)
const STATUS_VALUES = valuesOf(ISSUE_STATUS_WORDS, STATES)
const PERSON_STATUS_VALUES = valuesOf(PERSON_STATUS_WORDS)

/** The severity by a priority; an issue must have one. */
export function severity(...from: string[]) {
  return { from, values: SEVERITY_VALUES, default: 'MEDIUM', otherwise: 'MEDIUM', optional: true }
}

/** The severity by one of many labels, most of which say something else. */
export function severityOfLabels(...from: string[]) {
  const kinds = ['severity', 'priority', 'prio', 'sev'].flatMap((kind) =>
    [': ', ':', '::', '/', '-'].map((by) => kind + by),
  )
  const named = Object.entries(valuesOf(LABELS)).flatMap(([word, value]) =>
    ['', ...kinds].map((prefix) => [`${prefix}${word}`, value]),
  )
  const steps = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']
  const numbered = steps.flatMap((value, index) =>
    ['p', 'sev', 'severity::', 'priority::'].map((prefix) => [`${prefix}${index + 1}`, value]),
  )
  const values = Object.fromEntries([['p0', 'CRITICAL'], ...numbered, ...named])
  return { from, values, default: 'MEDIUM', optional: true }
}

/** The status of an issue; what is unknown is open, so that it is seen. */
export function status(...from: string[]) {
  return { from, values: STATUS_VALUES, otherwise: 'OPEN', optional: true }
}

/** The status of a person by a flag or a word of a directory. */
export function personStatus(...from: string[]) {
  return { from, values: PERSON_STATUS_VALUES, otherwise: 'ACTIVE', optional: true }
}

export function optional(...from: string[]) {
  return { from, optional: true }
}

/** Longer texts are cut: one must not stop a tracker's file. */
export function title(...from: string[]) {
  return { from, cut: TEXT_MAX.headline }
}

export function description(...from: string[]) {
  return { from, cut: TEXT_MAX.description, optional: true }
}

/** A day in ISO 8601, as APIs write it. */
export function isoDay(...from: string[]) {
  return { from, date: 'yyyy-MM-dd', optional: true }
}

const NUMERIC = ['yyyy-MM-dd', 'd.M.yyyy', 'd.M.yy', 'd/M/yyyy', 'M/d/yyyy', 'd/M/yy', 'M/d/yy', 'd-M-yyyy', 'M-d-yyyy']
const NAMED = ['d/MMM/yy', 'd/MMM/yyyy', 'd MMM yyyy', 'd. MMM yyyy', 'd-MMM-yyyy', 'd-MMM-yy', 'MMM d, yyyy']

/** A day as the user's settings write it: the whole column shows how. */
export function localDay(...from: string[]) {
  return { from, date: [...NUMERIC, ...NAMED], months: ['de', 'fr', 'es', 'pt', 'pl'], optional: true }
}
