import { turn } from '../../graph/turns.js'
import { LIMITS } from '../../limits.js'

/** Entries that are serialized at a time. */
const STEP = 100

/** How deep to look for long lists: those of root fields are at `data.<field>.nodes`. */
const DEPTH = 3

/** Whether `JSON.stringify` of this value would block the event loop for long. */
export function isLong(value: unknown, depth = DEPTH): boolean {
  if (Array.isArray(value)) return value.length > LIMITS.sliceRows
  if (typeof value !== 'object' || value === null || depth === 0) return false
  return Object.values(value).some((member) => isLong(member, depth - 1))
}

/** The bytes of `JSON.stringify`, produced some entries at a time to yield to the event loop. */
export async function longJson(value: unknown): Promise<Buffer> {
  const parts: Buffer[] = []
  await write(value, parts)
  return Buffer.concat(parts)
}

async function write(value: unknown, parts: Buffer[]): Promise<void> {
  const put = (text: string) => void parts.push(Buffer.from(text))
  if (!isLong(value)) return put(JSON.stringify(value))
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += STEP) {
      await turn()
      put(`${i === 0 ? '[' : ','}${JSON.stringify(value.slice(i, i + STEP)).slice(1, -1)}`)
    }
    return put(']')
  }
  let before = '{'
  for (const [name, member] of Object.entries(value as object)) {
    put(`${before}${JSON.stringify(name)}:`)
    await write(member, parts)
    before = ','
  }
  put('}')
}
