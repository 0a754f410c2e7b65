import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { LIMITS } from '../limits.js'

/** What is longer stays unnamed: what the server keeps of a statement grows with its text. */
const NAMED_CHARACTERS_MAX = 5_000
const SEEN_MAX = 200

/** The statements of one connection that have names there: the server keeps those parsed, and planned where it can. */
class Names {
  private readonly seen = new LRUCache<string, true>({ max: SEEN_MAX })
  private readonly given = new Map<string, string>()

  of(text: string): string | undefined {
    const known = this.given.get(text)
    if (known !== undefined || this.given.size === LIMITS.storeNamedMax || text.length > NAMED_CHARACTERS_MAX)
      return known
    // Callers choose selections and page sizes, almost without end; only what comes again is worth a place.
    if (!this.seen.delete(text)) {
      this.seen.set(text, true)
      return undefined
    }
    // By its text, so that a name never stands for another statement, whoever else shares the server's end.
    const name = createHash('sha256').update(text).digest('base64url')
    this.given.set(text, name)
    return name
  }
}

const namesOn = new WeakMap<object, Names>()

/** The name under which this connection keeps a statement; undefined for one that it does not keep. */
export function nameOn(connection: object, text: string): string | undefined {
  const names = namesOn.get(connection) ?? new Names()
  namesOn.set(connection, names)
  return names.of(text)
}
