import { excerpt, NO_FLAWS, type SheetViolation, UnreadableSheet } from './table.js'

export type Members = Readonly<Record<string, unknown>>

export interface JsonRecord {
  /** The line in NDJSON, the number of the element in JSON, from 1. */
  readonly line: number
  readonly members: Members
  readonly violations: readonly SheetViolation[]
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The elements of a JSON array, alone or as the only array in an object or in its `_embedded` (HAL). */
export function jsonRecords(text: string, name: string): JsonRecord[] {
  const found = parsed(text)
  if ('violation' in found)
    throw new UnreadableSheet(name, `This is not JSON (${found.violation}). One object a line is the format ndjson.`)
  const lists = listsIn(found.value)
  const [elements] = lists
  if (lists.length !== 1 || !Array.isArray(elements))
    throw new UnreadableSheet(name, 'There must be one array of objects, alone or as the only array of an object.')
  const shown = (element: unknown) => (Array.isArray(element) ? '[...]' : String(element))
  return elements.map((element: unknown, index) => recordOf(index + 1, element, () => shown(element)))
}

function listsIn(value: unknown): unknown[] {
  if (!isObject(value)) return [value]
  const lists = Object.values(value).filter(Array.isArray)
  return lists.length === 0 && isObject(value['_embedded']) ? listsIn(value['_embedded']) : lists
}

export function* ndjsonRecords(text: string): Generator<JsonRecord, void> {
  for (const [at, raw] of text.split('\n').entries()) {
    if (raw.trim() === '') continue
    const content = parsed(raw)
    yield 'violation' in content
      ? invalid(at + 1, raw, 'This line is not JSON. Every line must be one JSON object.')
      : recordOf(at + 1, content.value, () => raw)
  }
}

function recordOf(line: number, value: unknown, shown: () => string): JsonRecord {
  return isObject(value)
    ? { line, members: value, violations: NO_FLAWS }
    : invalid(line, shown(), `This is ${kindOf(value)}, not a JSON object.`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

function invalid(line: number, raw: string, detail: string): JsonRecord {
  return { line, members: {}, violations: [{ column: '', value: excerpt(raw), detail }] }
}

export function parsed(text: string): { value: unknown } | { violation: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { violation: error instanceof Error ? error.message : String(error) }
  }
}
