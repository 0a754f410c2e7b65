import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { oncePer } from '../../caches.js'

/** Prepared statements of a connection; each takes about 0.1 to 0.2 MB on the server. */
export const NAMED_MAX = 100

/** Longer statements are not prepared: the server's memory for one grows with its text. */
const NAMED_CHARACTERS_MAX = 5_000
const SEEN_MAX = 200

/** The prepared statements of one connection: the server parses them once and may keep a generic plan. */
class Names {
  private readonly seen = new LRUCache<string, true>({ max: SEEN_MAX })
  private readonly given = new Map<string, string>()

  of(text: string): string | undefined {
    const known = this.given.get(text)
    if (known !== undefined || this.given.size === NAMED_MAX || text.length > NAMED_CHARACTERS_MAX) return known
    // Callers choose selections and page sizes, so prepare only statements that are seen twice.
    if (!this.seen.delete(text)) {
      this.seen.set(text, true)
      return undefined
    }
    // A hash of the text: a name never denotes two statements, even on a shared session.
    const name = createHash('sha256').update(text).digest('base64url')
    this.given.set(text, name)
    return name
  }
}

/** The prepared statements of a connection. */
export const namesOn = oncePer((_: object) => new Names())
