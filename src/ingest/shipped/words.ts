import type { IssueSeverity, IssueStatus, PersonStatus } from '../../vocabulary.js'

type Words<V extends string> = Readonly<Record<V, string>>

/** The priorities of trackers, in the languages that they export. */
const SEVERITIES: Words<IssueSeverity> = {
  CRITICAL:
    'highest, blocker, critical, urgent, immediate, höchste, kritisch, dringend, sofort, la plus haute, critique, más alta',
  HIGH: 'high, major, hoch, haute, élevée, alta',
  MEDIUM: 'medium, normal, moderate, mittel, moyenne, normale, media',
  LOW: 'low, lowest, minor, trivial, niedrig, niedrigste, basse, faible, la plus basse, baja, más baja',
}

/** The states of trackers, and Jira's categories of them. */
const STATUSES: Words<IssueStatus> = {
  OPEN: 'to do, open, opened, new, reopened, backlog, proposed, approved, in specification, specified, confirmed, scheduled, zu erledigen, offen, neu, à faire, ouvert, nouveau, por hacer, tareas por hacer, abierta, nueva',
  IN_PROGRESS:
    'in progress, indeterminate, active, doing, developed, committed, in review, in testing, feedback, in arbeit, in bearbeitung, en cours, en curso',
  BLOCKED: 'blocked, on hold, waiting, impeded, blockiert, bloqué, en attente, bloqueada',
  RESOLVED: 'done, resolved, fixed, fertig, erledigt, gelöst, terminé, terminé(e), résolu, listo, finalizada, resuelta',
  CLOSED: "closed, removed, rejected, cancelled, won't do, geschlossen, abgewiesen, fermé, rejeté, cerrada, rechazada",
}

const PERSON_STATUSES: Words<PersonStatus> = {
  ACTIVE: 'true, yes, active, enabled, on leave',
  INACTIVE: 'false, no, inactive, disabled, suspended, archived, terminated',
}

function valuesOf<V extends string>(words: Words<V>): Readonly<Record<string, string>> {
  const entries = Object.entries<string>(words)
  return Object.fromEntries(entries.flatMap(([value, list]) => list.split(', ').map((word) => [word, value])))
}

const SEVERITY_VALUES = valuesOf(SEVERITIES)
const STATUS_VALUES = valuesOf(STATUSES)

/** The severity by a priority; an issue must have one. */
export function severity(...from: string[]) {
  return { from, values: SEVERITY_VALUES, default: 'MEDIUM', otherwise: 'MEDIUM', optional: true }
}

/** The severity by one of many labels, most of which say something else. */
export function severityOfLabels(...from: string[]) {
  const named = Object.entries(SEVERITY_VALUES).flatMap(([word, value]) =>
    [
      '',
      ...['severity', 'priority', 'prio', 'sev'].flatMap((kind) => [': ', ':', '::', '/', '-'].map((by) => kind + by)),
    ].map((prefix) => [`${prefix}${word}`, value]),
  )
  const steps = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']
  const numbered = steps.flatMap((value, index) =>
    ['p', 'sev', 'severity::', 'priority::'].map((prefix) => [`${prefix}${index + 1}`, value]),
  )
  return {
    from,
    values: Object.fromEntries([['p0', 'CRITICAL'], ...numbered, ...named]),
    default: 'MEDIUM',
    optional: true,
  }
}

/** The status of an issue; what is unknown is open, so that it is seen. */
export function status(...from: string[]) {
  return { from, values: STATUS_VALUES, otherwise: 'OPEN', optional: true }
}

/** The status of a person by a flag or a word of a directory. */
export function personStatus(...from: string[]) {
  return { from, values: valuesOf(PERSON_STATUSES), otherwise: 'ACTIVE', optional: true }
}

export function optional(...from: string[]) {
  return { from, optional: true }
}

/** Longer texts are cut: one must not stop a tracker's file. */
export function text(most: number, ...from: string[]) {
  return { from, cut: most }
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
