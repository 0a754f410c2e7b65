import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'

/** The parameters of a request that select the query, not yet checked. */
interface Sent {
  readonly query?: unknown
  readonly extensions?: unknown
}

const HASH = /^[0-9a-f]{64}$/

/**
 * Automatic persisted queries: a client sends only the SHA-256 of a query, and its text if the server does not know it.
 * A hash always means the same text, so all keys share the entries; the key has been checked before.
 */
export class PersistedQueries {
  private kept: LRUCache<string, string> | undefined

  /** Built lazily: most clients send no hash. */
  private get texts(): LRUCache<string, string> {
    this.kept ??= new LRUCache<string, string>({
      max: LIMITS.queriesKeptMax,
      maxSize: LIMITS.queriesKeptCharacters,
      sizeCalculation: (text) => text.length,
    })
    return this.kept
  }

  /** The query text: as sent, or looked up by its hash. */
  textFor({ query, extensions }: Sent): unknown {
    const hash = hashIn(extensions)
    if (hash === undefined) return query
    if (typeof query === 'string' && query.trim() !== '') {
      this.keep(hash, query)
      return query
    }
    const known = this.texts.get(hash)
    // Clients look for exactly this message, and then send the text.
    if (known === undefined) throw new Fault('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
    return known
  }

  private keep(hash: string, query: string): void {
    // The parser refuses a text of this length anyway: do not spend time on its hash.
    if (query.length > LIMITS.queryCharactersMax || this.texts.get(hash) === query) return
    if (createHash('sha256').update(query).digest('hex') !== hash) {
      throw new Fault('BAD_REQUEST', '`extensions.persistedQuery.sha256Hash` is not the SHA-256 of `query`.')
    }
    this.texts.set(hash, query)
  }
}

function hashIn(extensions: unknown): string | undefined {
  const { persistedQuery } = Object(extensions) as { persistedQuery?: unknown }
  if (persistedQuery === undefined || persistedQuery === null) return undefined
  const { version, sha256Hash } = Object(persistedQuery) as Record<string, unknown>
  if (version !== 1) throw malformed('version', 'be 1')
  if (typeof sha256Hash !== 'string' || !HASH.test(sha256Hash)) {
    throw malformed('sha256Hash', 'be the SHA-256 of the query, in 64 hexadecimal digits')
  }
  return sha256Hash
}

function malformed(member: string, must: string): Fault {
  return new Fault('BAD_REQUEST', `\`extensions.persistedQuery.${member}\` must ${must}.`)
}
