import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'

/** As much of the parameters of a request as says what to run; nothing of it is checked yet. */
interface Sent {
  readonly query?: unknown
  readonly extensions?: unknown
}

const HASH = /^[0-9a-f]{64}$/

/**
 * Automatic persisted queries: a client sends the SHA-256 of a query alone, and its text only when it is not known here.
 * The text that a hash stands for never changes, so all callers share them; who may come in was asked before.
 */
export class PersistedQueries {
  private readonly texts = new LRUCache<string, string>({
    max: LIMITS.queriesKeptMax,
    maxSize: LIMITS.queriesKeptCharacters,
    sizeCalculation: (text) => text.length,
  })

  /** The text to run: as it was sent, or as it is known by its hash. */
  textFor({ query, extensions }: Sent): unknown {
    const hash = hashIn(extensions)
    if (hash === undefined) return query
    if (typeof query === 'string' && query.trim() !== '') {
      this.keep(hash, query)
      return query
    }
    const known = this.texts.get(hash)
    // The words that every client waits for before it sends the text.
    if (known === undefined) throw new Fault('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
    return known
  }

  private keep(hash: string, query: string): void {
    // Refused by its length wherever it is parsed; to hash it would take longer.
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
