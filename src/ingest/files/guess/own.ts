import {
  ISSUE_SEVERITIES,
  ISSUE_STATUSES,
  PERSON_STATUSES,
  PROJECT_STATUSES,
  RISK_RESPONSES,
  RISK_STATUSES,
} from '../../../vocabulary.js'
import type { SheetNoun, SheetRecord } from '../table.js'

const STEP = /^[1-5]?$/
const DAY = /^(?:\d{4}-\d\d-\d\d)?$/
/** A trimmed id as an export writes it, or a blank. */
export const OWN_ID = /^(?:[a-z]{3}_[0-9a-z]{26})?$/

/** The form in which each field is taken as it is, once it is trimmed; other fields take any text. */
const FORMS: Readonly<Record<string, RegExp>> = {
  likelihood: STEP,
  impact: STEP,
  residualLikelihood: STEP,
  residualImpact: STEP,
  scoreGiven: /^\d{0,2}$/,
  raisedOn: DAY,
  dueOn: DAY,
  reviewOn: DAY,
  response: oneOf(RISK_RESPONSES),
  severity: oneOf(ISSUE_SEVERITIES),
}
const STATUSES: Readonly<Partial<Record<SheetNoun, RegExp>>> = {
  people: oneOf(PERSON_STATUSES),
  projects: oneOf(PROJECT_STATUSES),
  risks: oneOf(RISK_STATUSES),
  issues: oneOf(ISSUE_STATUSES),
}

function oneOf(values: readonly string[]): RegExp {
  return new RegExp(`^(?:${values.map((value) => value.replace('_', '[ _-]')).join('|')})?$`, 'i')
}

/** Whether every value of the fields that are there has our own form, so that nothing is left to guess. */
export function isOwnForm(noun: SheetNoun, present: readonly string[], records: readonly SheetRecord[]): boolean {
  const forms = present.flatMap((field) => {
    const form = field === 'status' ? STATUSES[noun] : FORMS[field]
    return form ? [[field, form] as const] : []
  })
  // Without a reference, ids of another form are references themselves.
  const isNamed = ['reference', 'externalId', 'key', 'email', 'name'].some((field) => present.includes(field))
  if (present.includes('id') && !isNamed) forms.push(['id', OWN_ID])
  return forms.every(([field, form]) => isAlways(form, field, records))
}

/** Each distinct value is tested once: most columns of a large sheet have few. */
function isAlways(form: RegExp, field: string, records: readonly SheetRecord[]): boolean {
  const seen = new Set<unknown>()
  for (const { values } of records) {
    const value = values[field]
    if (seen.has(value)) continue
    if (!form.test(String(value ?? '').trim())) return false
    seen.add(value)
  }
  return true
}
