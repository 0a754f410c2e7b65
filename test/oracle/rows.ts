import { GraphQLError } from 'graphql'
import { fold } from '../../src/text.js'

/**
 * The naive oracle: rows in plain tables, read and changed as the documents say, with no code of the product but the
 * SDL and the folding of texts.
 */

export type Scope = 'personnel.read' | 'personnel.manage' | 'projects.read' | 'projects.manage'
export type Kind = 'PERSON' | 'GROUP' | 'PROJECT' | 'RISK' | 'ISSUE'
export const KINDS: readonly Kind[] = ['PERSON', 'GROUP', 'PROJECT', 'RISK', 'ISSUE']

type Texts<Name extends string> = { readonly [N in Name]: string }
type Maybe<Name extends string, Value = string> = { readonly [N in Name]: Value | null }
export type Detail = Texts<'name' | 'text'>
type Entity = Texts<'id' | 'createdAt' | 'updatedAt'>
type Detailed = Entity & Texts<'status'> & { readonly details: readonly Detail[] }
type Entry = Detailed & Texts<'projectId' | 'reference' | 'title' | 'raisedOn'> & Maybe<'description' | 'url' | 'dueOn'>
type Factors = Maybe<'likelihood' | 'impact' | 'scoreGiven' | 'residualLikelihood' | 'residualImpact', number>

export type Person = Detailed & Texts<'name'> & Maybe<'email' | 'externalId' | 'title' | 'department'> & Membership
/** The ids of the groups. */
type Membership = { readonly groups: readonly string[] }
export type Group = Entity & Texts<'name'> & Maybe<'externalId' | 'description'>
export type Project = Detailed & Texts<'key' | 'name'> & Maybe<'description' | 'url' | 'syncedAt'>
export type Risk = Entry & Factors & Attributes & Maybe<'ownerId' | 'ownerName'>
type Attributes = Maybe<'category' | 'response' | 'mitigation' | 'cause' | 'reviewOn'>
export type Issue = Entry & Texts<'severity'> & Maybe<'assigneeId' | 'assigneeName' | 'riskId'>
export type Change = Texts<'entityId' | 'action' | 'by' | 'recordedAt'> &
  Maybe<'projectId'> & {
    readonly import: ImportRun | null
    readonly number: number
    readonly entity: Kind
    readonly fields: readonly FieldChange[]
  }
export type ImportRun = Texts<'id' | 'source'> & Maybe<'file' | 'operator'>
export type FieldChange = Texts<'field'> & Maybe<'from' | 'to'>
export type Rows = { PERSON: Person; GROUP: Group; PROJECT: Project; RISK: Risk; ISSUE: Issue }

/** A row as it was after a change. */
export type Past<Row> = { readonly at: string; readonly row: Row }

/** Everything that is stored, and how each risk and issue was after each of its changes. */
export class World {
  private tables: { [K in Kind]: Map<string, Rows[K]> } = {
    ...{ PERSON: new Map(), GROUP: new Map(), PROJECT: new Map(), RISK: new Map(), ISSUE: new Map() },
  }
  changes: Change[] = []
  risks: Past<Risk>[] = []
  issues: Past<Issue>[] = []

  all<K extends Kind>(kind: K): Rows[K][] {
    return [...this.tables[kind].values()]
  }

  get<K extends Kind>(kind: K, id: string | null): Rows[K] | null {
    return (id !== null && this.tables[kind].get(id)) || null
  }

  set<K extends Kind>(kind: K, row: Rows[K]): void {
    this.tables[kind].set(row.id, row)
  }

  remove(kind: Kind, id: string): void {
    this.tables[kind].delete(id)
  }

  /** Makes all changes of some work, or none. Their order within one write is not promised: it is given, by ids. */
  atomically<T>(work: () => T, order: () => readonly string[]): T {
    const { tables, changes, risks, issues } = this
    const before = structuredClone({ tables, changes, risks, issues })
    try {
      const result = work()
      const added = this.changes.splice(before.changes.length)
      if (added.length > 1) added.sort((one, other) => order().indexOf(one.entityId) - order().indexOf(other.entityId))
      for (const change of added) this.changes.push({ ...change, number: this.changes.length + 1 })
      return result
    } catch (error) {
      Object.assign(this, before)
      throw error
    }
  }
}

/** The caller of a request, with the key that it sends. */
export type Caller = Texts<'keyId' | 'keyName'> & { readonly scopes: readonly Scope[] }
export interface Context {
  readonly world: World
  readonly caller: Caller
  /** The clock of the service. */
  readonly now: string
  /** The id that the store has given to a new row: only ids cannot be known beforehand. */
  readonly idOf: (kind: Kind, name: Readonly<Record<string, string>>) => string
  /** The ids of the rows of the last write, in the order of its entries in the history. */
  readonly written: () => readonly string[]
  /** The sync that a change is part of. */
  readonly run?: ImportRun
}

export function refused(code: string, more: Readonly<Record<string, unknown>> = {}): GraphQLError {
  return new GraphQLError(code, { extensions: { code, ...more } })
}

export const bad = () => refused('BAD_REQUEST')

export function holds({ scopes }: Caller, needed: Scope): boolean {
  return scopes.some((held) => held === needed || held === needed.replace('.read', '.manage'))
}

export function requireScope(caller: Caller, needed: Scope): void {
  if (!holds(caller, needed)) throw refused('INSUFFICIENT_SCOPE', { requiredScope: needed })
}

export function scopeOf(kind: Kind, action: 'read' | 'manage'): Scope {
  return kind === 'PERSON' || kind === 'GROUP' ? `personnel.${action}` : `projects.${action}`
}

/** Texts in the order of code points. */
export function compareTexts(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

export function sameText(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && fold(one.trim()) === fold(other.trim())
}

export const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
export const OPEN_STATUSES = ['OPEN', 'IN_PROGRESS', 'BLOCKED']
export const LEVELS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNASSESSED']

/** Whether a risk is live, or an issue open. */
export function isLive(row: Risk | Issue): boolean {
  return 'severity' in row ? OPEN_STATUSES.includes(row.status) : row.status !== 'CLOSED'
}

export function scoreOf({ likelihood, impact, scoreGiven }: Risk): number {
  return likelihood !== null && impact !== null ? likelihood * impact : (scoreGiven ?? 0)
}

export function residualScoreOf({ residualLikelihood: likelihood, residualImpact: impact }: Risk): number | null {
  return likelihood !== null && impact !== null ? likelihood * impact : null
}

export function levelOf(score: number): string {
  if (score >= 20) return 'CRITICAL'
  if (score >= 10) return 'HIGH'
  if (score >= 5) return 'MEDIUM'
  return score >= 1 ? 'LOW' : 'UNASSESSED'
}

/** The competition rank by score among these risks; null for a closed one. */
export function rankOf(risk: Risk, among: readonly Risk[]): number | null {
  return isLive(risk) ? 1 + among.filter((other) => isLive(other) && scoreOf(other) > scoreOf(risk)).length : null
}
