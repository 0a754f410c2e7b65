import type { Tables } from '../tables.js'

/** What a text column may say about a person, and what an erasure does with it. */
export const PERSONAL_KINDS = [
  'never', // Made by the program, of a closed form, computed from other columns, or the key of a project.
  'identifies', // Of the person alone: blank in their own row.
  'mayName', // Blank in their own row; elsewhere listed for a reader where it may mean them.
  'assignee', // An owner or assignee as the source wrote it: taken out where it is them.
  'details', // Names and texts: taken out where one is their name or address.
  'history', // The values before and after a change: blank as in the columns that changed.
  'author', // Who wrote, or what it came from: a pseudonym takes its place, so that runs stay distinguishable.
  'forgotten', // What can be done without: the row is deleted.
] as const
type Personal = (typeof PERSONAL_KINDS)[number]

const ROW = ['id', 'status', 'createdAt', 'updatedAt'] as const
const ENTRY = [...ROW, 'projectId', 'raisedOn', 'dueOn', 'dueKey', 'searchFolded'] as const

/** Every text column: a test fails for one that is not here. */
const PERSONAL = {
  person: {
    never: [...ROW, 'erasedAt', 'mergedInto', 'nameFolded', 'emailFolded', 'titleFolded', 'departmentFolded'],
    identifies: ['email', 'externalId'],
    mayName: ['name', 'title', 'department'],
    details: ['details'],
  },
  group: {
    never: ['id', 'nameFolded', 'createdAt', 'updatedAt'],
    mayName: ['name', 'externalId', 'description'],
  },
  membership: { never: ['groupId', 'personId'] },
  project: {
    never: [...ROW, 'syncedAt', 'searchFolded'],
    mayName: ['key', 'name', 'description', 'url'],
    details: ['details'],
  },
  risk: {
    never: [...ENTRY, 'reviewOn', 'response', 'ownerId', 'categoryFolded'],
    mayName: ['reference', 'title', 'description', 'category', 'mitigation', 'cause', 'url'],
    assignee: ['ownerName'],
    details: ['details'],
  },
  riskTally: {},
  issue: {
    never: [...ENTRY, 'severity', 'assigneeId', 'riskId'],
    mayName: ['reference', 'title', 'description', 'url'],
    assignee: ['assigneeName'],
    details: ['details'],
  },
  apiKey: {
    never: ['id', 'prefix', 'hash', 'scopes', 'projects', 'createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt'],
    author: ['name'],
  },
  change: {
    never: ['recordedAt', 'effectiveOn', 'action', 'entity', 'entityId', 'projectId', 'importId'],
    author: ['by'],
    history: ['fields'],
  },
  importRun: {
    never: ['id', 'at', 'kind', 'noun', 'sha256', 'undoes'],
    author: ['source', 'file', 'by', 'operator'],
  },
  sourceMap: { never: ['noun', 'acceptedAt'], forgotten: ['source', 'map', 'headings'] },
  idempotencyRecord: { never: ['fingerprint', 'createdAt'], forgotten: ['keyId', 'token', 'answer'] },
  revision: { never: ['leastVersion'] },
} as const satisfies {
  readonly [Name in keyof Tables]: Readonly<Partial<Record<Personal, readonly (keyof Tables[Name]['$inferSelect'])[]>>>
}

/** The columns of a table that are declared so, by their members. */
export function personalColumns(table: keyof Tables, ...kinds: readonly Personal[]): readonly string[] {
  const declared: Readonly<Partial<Record<Personal, readonly string[]>>> = PERSONAL[table]
  return kinds.flatMap((kind) => declared[kind] ?? [])
}
