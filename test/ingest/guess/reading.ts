import { type GuessPlan, readSheet } from '../../../src/ingest/files/sheet.js'
import { derivedColumns, SHEETS } from '../../../src/nouns.js'
import type { NounPlural } from '../../../src/vocabulary.js'
import { lines } from '../importing.js'

/** A sheet as it is read without a map. */
export function read(noun: NounPlural, text: string, plan: Partial<GuessPlan> = {}, ignoreUnknown = false) {
  const { inputs: fields } = SHEETS[noun]
  return readSheet(Buffer.from(text), {
    ...{ name: 'a.csv', format: 'csv', fields: Object.keys(fields), derived: derivedColumns(SHEETS[noun]) },
    ...{ ignoreUnknown, guess: { noun, hasProject: true, ...plan } },
  })
}

/** The values of one field, numbers as such. */
export function column(field: string, sheet: ReturnType<typeof read>): unknown[] {
  return sheet.records.map(({ values }) => (/^\d$/.test(String(values[field])) ? Number(values[field]) : values[field]))
}

export function questions(text: string, noun: NounPlural = 'risks', plan: Partial<GuessPlan> = {}): readonly string[] {
  return read(noun, text, plan).guess?.questions ?? []
}

/** What is said of a sheet without these columns. */
export const DEFAULTS = [
  'There is no column for the status: what is new is OPEN.',
  'There is no column for the day raised: for what is new it is the day of the import.',
]

export const factor = (...texts: string[]) =>
  lines('No,Hazard,Probability,Consequence', ...texts.map((one, at) => `${at},x,"${one}",3`))
