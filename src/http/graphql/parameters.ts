import { createHash } from 'node:crypto'
import { grants, type Scope } from '../../auth/scopes.js'
import { BoundedCache } from '../../caches.js'
import type { Documents } from '../../config.js'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import type { Identified } from '../observe/exchange.js'
import type { HttpRequest } from '../wire/request.js'

/** Characters of all cached queries together, as texts and as parsed documents. */
export const KEPT_CHARACTERS_MAX = 250_000
/** Cached queries. */
export const QUERIES_KEPT_MAX = 1_000

/** The parameters of a GraphQL request; Yoga checks all members but `query`. */
export interface Params {
  query: string
  variables?: Record<string, unknown>
  operationName?: string
  extensions?: Record<string, unknown>
}

/** The parameters in a JSON body or a URL, the only forms that are accepted; Yoga would accept more. */
export function paramsIn(params: unknown, persistedQueries: PersistedQueries): Params {
  if (Array.isArray(params)) throw new Fault('BAD_REQUEST', 'Send one operation at a time: there is no batching.')
  if (typeof params !== 'object' || params === null) {
    throw new Fault('BAD_REQUEST', 'The body must be a JSON object with the member `query`.')
  }
  const query = persistedQueries.textFor(params)
  if (typeof query !== 'string' || query.trim() === '') {
    throw new Fault('BAD_REQUEST', 'The member `query` must hold the GraphQL text to run.')
  }
  return { ...params, query }
}

/** The operation is known only from the body: a key that may sync many records may send a body of that size. */
export function bodyBytesMaxOf({ principal }: Identified): number {
  const maySync = SYNCING.some((scope) => grants(principal.scopes, scope))
  return maySync ? LIMITS.syncBodyBytesMax : LIMITS.bodyBytesMax
}

const SYNCING: readonly Scope[] = ['projects.manage', 'personnel.manage']

export function paramsOfUrl({ url: { searchParams: query } }: HttpRequest): Record<string, unknown> {
  const params: Record<string, unknown> = Object.fromEntries(query)
  for (const name of ['variables', 'extensions']) {
    const text = query.get(name)
    if (!text) delete params[name]
    else params[name] = parsedParameter(name, text)
  }
  return params
}

function parsedParameter(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Fault('BAD_REQUEST', `The parameter ${name} is not valid JSON.`, { cause })
  }
}

const HASH = /^[0-9a-f]{64}$/

/** Automatic persisted queries, by SHA-256. A hash always means the same text, so all keys share the entries. */
export class PersistedQueries {
  private readonly texts = new BoundedCache<string>({
    entries: QUERIES_KEPT_MAX,
    entrySize: KEPT_CHARACTERS_MAX,
    size: KEPT_CHARACTERS_MAX,
    sizeOf: (text) => text.length,
  })

  /** Those of the operator, which are never forgotten. */
  private readonly stored: Documents

  constructor(stored: Documents = new Map()) {
    this.stored = stored
  }

  /** The query text: as sent, or looked up by its hash. */
  textFor({ query, extensions }: { query?: unknown; extensions?: unknown }): unknown {
    const hash = hashIn(extensions)
    if (hash === undefined) return query
    if (typeof query === 'string' && query.trim() !== '') {
      this.keep(hash, query)
      return query
    }
    const known = this.stored.get(hash) ?? this.texts.get(hash)
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
  if (version !== 1) throw new Fault('BAD_REQUEST', '`extensions.persistedQuery.version` must be 1.')
  if (typeof sha256Hash === 'string' && HASH.test(sha256Hash)) return sha256Hash
  const must = 'must be the SHA-256 of the query, in 64 hexadecimal digits'
  throw new Fault('BAD_REQUEST', `\`extensions.persistedQuery.sha256Hash\` ${must}.`)
}
