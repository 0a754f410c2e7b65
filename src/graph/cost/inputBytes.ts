/** By input: several aliases may have the same variable of megabytes. */
const measured = new WeakMap<object, number>()

/** The bytes of all texts in an input, measured once. */
export function textBytesOf(input: unknown): number {
  if (typeof input !== 'object' || input === null) return textBytesIn(input)
  const known = measured.get(input) ?? textBytesIn(input)
  measured.set(input, known)
  return known
}

/** The bytes of all texts in a value, in UTF-8. */
export function textBytesIn(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 0
  for (const member of Array.isArray(value) ? value : Object.values(value)) bytes += textBytesIn(member)
  return bytes
}
