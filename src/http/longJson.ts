import { turn } from '../graph/turns.js'
import { LIMITS } from '../limits.js'

/** Entries that are written at once. */
const STEP = 100

/** How deep an answer is looked into for long lists: the lists at the root stand in a connection in `data`. */
const DEPTH = 3

/** Whether writing this as JSON in one go would hold up others. */
export function isLong(value: unknown, depth = DEPTH): boolean {
  if (Array.isArray(value)) return value.length > LIMITS.sliceRows
  if (typeof value !== 'object' || value === null || depth === 0) return false
  return Object.values(value).some((member) => isLong(member, depth - 1))
}

/** The same bytes as of `JSON.stringify`, written some entries at a time, so that others have their turn. */
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
