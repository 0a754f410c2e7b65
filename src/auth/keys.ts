import { and, asc, eq, gt, isNull, or } from 'drizzle-orm'
import { newId } from '../ids.js'
import { rowsWith } from '../store/query/page.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { isScope, type Scope } from './scopes.js'
import { hashOf, newSecret, shownPart } from './secrets.js'

type KeyRow = Tables['apiKey']['$inferSelect']

/** A key without the hash of its secret. */
export interface ApiKey extends Omit<KeyRow, 'hash' | 'scopes' | 'projects'> {
  readonly scopes: readonly Scope[]
  /** The keys of the projects that it may change; null for all. */
  readonly projects: readonly string[] | null
}

/** A key just created, the only time that its secret is available. */
export interface MintedKey extends ApiKey {
  readonly secret: string
}

interface KeyDraft {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly projects?: readonly string[] | null
  readonly expiresAt: Date | undefined
}

export async function mintKey({ db, t, at }: Write, draft: KeyDraft): Promise<MintedKey> {
  const secret = newSecret()
  const row: KeyRow = {
    id: newId('key', new Date(at)),
    name: draft.name,
    prefix: shownPart(secret),
    hash: hashOf(secret),
    scopes: [...new Set(draft.scopes)].join(' '),
    projects: draft.projects ? [...new Set(draft.projects)].join(' ') : null,
    createdAt: at,
    expiresAt: draft.expiresAt?.toISOString() ?? null,
    revokedAt: null,
    lastUsedAt: null,
  }
  await db.insert(t.apiKey).values(row)
  return { ...shown(row), secret }
}

export async function keys({ db, t }: Read): Promise<ApiKey[]> {
  return (await db.select().from(t.apiKey).orderBy(asc(t.apiKey.createdAt), asc(t.apiKey.id))).map(shown)
}

export async function keyById({ db, t }: Read, id: string): Promise<ApiKey | undefined> {
  return (await db.select().from(t.apiKey).where(eq(t.apiKey.id, id)).limit(1)).map(shown).at(0)
}

const keysByHash = rowsWith(
  (t) => t.apiKey,
  ({ hash }) => hash,
)

export async function keyBySecret(read: Read, secret: string): Promise<ApiKey | undefined> {
  return (await keysByHash(read, [hashOf(secret)])).map(shown).at(0)
}

/** Revokes a key now; an expired or revoked one keeps its date. */
export async function revokeKey({ db, t, at }: Write, id: string): Promise<void> {
  await db
    .update(t.apiKey)
    .set({ revokedAt: at })
    .where(and(eq(t.apiKey.id, id), isNull(t.apiKey.revokedAt)))
}

/** Makes a key expire at `end`, unless it ends sooner. */
export async function expireKey({ db, t }: Write, id: string, end: Date): Promise<void> {
  const expiresAt = end.toISOString()
  const later = or(isNull(t.apiKey.expiresAt), gt(t.apiKey.expiresAt, expiresAt))
  await db
    .update(t.apiKey)
    .set({ expiresAt })
    .where(and(eq(t.apiKey.id, id), later))
}

export async function recordKeyUse({ db, t, at }: Write, id: string): Promise<void> {
  await db.update(t.apiKey).set({ lastUsedAt: at }).where(eq(t.apiKey.id, id))
}

function shown({ hash: _, ...row }: KeyRow): ApiKey {
  return { ...row, scopes: row.scopes.split(' ').filter(isScope), projects: row.projects?.split(' ') ?? null }
}
