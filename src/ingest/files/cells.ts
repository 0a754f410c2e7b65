import { guarded } from './csv.js'

/** A group's name, or its id if the name would not be read back as one name. */
function nameOf({ id, name }: { id: string; name: string }): string {
  return /[;]|^grp_/.test(name) ? id : name
}

/** A response value as a sheet has it: a project by its key, people and groups by their names. */
export function sheetValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nameOf)
  if (typeof value === 'object' && value !== null)
    return 'key' in value ? value.key : 'name' in value ? value.name : null
  return value ?? null
}

/** The same as the text of a cell that no spreadsheet runs as a formula. */
export function sheetCell(value: unknown): string {
  const plain = sheetValue(value)
  if (plain === null) return ''
  return guarded(Array.isArray(plain) ? plain.join(';') : String(plain))
}
