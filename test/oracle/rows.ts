import { GraphQLError } from 'graphql'
import { fold } from '../../src/text.js'

/**
 * The naive oracle: rows in plain arrays, read and changed as the documents say, with no code of the product but the
 * SDL and the folding of texts.
 */

export type Scope = 'personnel.read' | 'personnel.manage' | 'projects.read' | 'projects.manage'
export type Kind = 'PERSON' | 'GROUP' | 'PROJECT' | 'RISK' | 'ISSUE'
type Text = string | null

export interface Detail {
  readonly name: string
  readonly text: string
}
interface Entity {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
}
export interface Person extends Entity {
  readonly name: string
  readonly email: Text
  readonly externalId: Text
  readonly title: Text
  readonly department: Text
  readonly status: string
  readonly details: readonly Detail[]
  /** The ids of the groups. */
  readonly groups: readonly string[]
}
export interface Group extends Entity {
  readonly name: string
  readonly externalId: Text
  readonly description: Text
}
export interface Project extends Entity {
  readonly key: string
  readonly name: string
  readonly description: Text
  readonly url: Text
  readonly status: string
  readonly details: readonly Detail[]
  readonly syncedAt: Text
}
interface Entry extends Entity {
  readonly projectId: string
  readonly reference: string
  readonly title: string
  readonly description: Text
  readonly url: Text
  readonly status: string
  readonly raisedOn: string
  readonly dueOn: Text
  readonly details: readonly Detail[]
}
export interface Risk extends Entry {
  readonly category: Text
  readonly likelihood: number | null
  readonly impact: number | null
  readonly scoreGiven: number | null
  readonly response: Text
  readonly mitigation: Text
  readonly cause: Text
  readonly residualLikelihood: number | null
  readonly residualImpact: number | null
  readonly reviewOn: Text
  readonly ownerId: Text
  readonly ownerName: Text
}
export interface Issue extends Entry {
  readonly severity: string
  readonly assigneeId: Text
  readonly assigneeName: Text
  readonly riskId: Text
}
export interface Change {
  readonly number: number
  readonly entity: Kind
  readonly entityId: string
  readonly projectId: Text
  readonly action: string
  readonly by: string
  readonly recordedAt: string
  readonly fields: readonly { readonly field: string; readonly from: Text; readonly to: Text }[]
}
export interface Rows {
  readonly PERSON: Person
  readonly GROUP: Group
  readonly PROJECT: Project
  readonly RISK: Risk
  readonly ISSUE: Issue
}
type Table<Row> = Map<string, Row>

/** Everything that is stored, and how each risk and issue was after each of its changes. */
export class World {
  readonly tables: { readonly [K in Kind]: Table<Rows[K]> } = {
    PERSON: new Map(),
    GROUP: new Map(),
    PROJECT: new Map(),
    RISK: new Map(),
    ISSUE: new Map(),
  }
  readonly changes: Change[] = []
  readonly pastRisks: { readonly at: string; readonly row: Risk }[] = []
  readonly pastIssues: { readonly at: string; readonly row: Issue }[] = []

  /** Makes all changes of some work, or none. Their order within one write is not promised: it is given by ids. */
  atomically<T>(work: () => T, order: () => readonly string[]): T {
    const tables = Object.values(this.tables).map((table: Map<string, unknown>) => ({ table, rows: [...table] }))
    const logs = [this.changes, this.pastRisks, this.pastIssues].map((log: unknown[]) => ({ log, length: log.length }))
    const before = this.changes.length
    try {
      const result = work()
      const added = this.changes.splice(before)
      if (added.length > 1) added.sort((one, other) => order().indexOf(one.entityId) - order().indexOf(other.entityId))
      this.changes.push(...added.map((change, index) => ({ ...change, number: before + index + 1 })))
      return result
    } catch (error) {
      for (const { table, rows } of tables) {
        table.clear()
        for (const [id, row] of rows) table.set(id, row)
      }
      for (const { log, length } of logs) log.length = length
      throw error
    }
  }

  all<K extends Kind>(kind: K): Rows[K][] {
    return [...this.tables[kind].values()]
  }

  get<K extends Kind>(kind: K, id: string | null): Rows[K] | null {
    return (id !== null && this.tables[kind].get(id)) || null
  }
}

/** The caller of a request, with the key that it sends. */
export interface Caller {
  readonly keyId: string
  readonly keyName: string
  readonly scopes: readonly Scope[]
}
export interface Context {
  readonly world: World
  readonly caller: Caller
  /** The clock of the service. */
  readonly now: string
  /** The id that the store has given to a new row; ids are the only thing that the oracle cannot know. */
  readonly idOf: (kind: Kind, name: Readonly<Record<string, string>>) => string
  /** The ids of the rows of the last write, in the order of its entries in the history. */
  readonly written: () => readonly string[]
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

const AREAS = { PERSON: 'personnel', GROUP: 'personnel', PROJECT: 'projects', RISK: 'projects', ISSUE: 'projects' }
export const KINDS: readonly Kind[] = ['PERSON', 'GROUP', 'PROJECT', 'RISK', 'ISSUE']

export function scopeOf(kind: Kind, action: 'read' | 'manage'): Scope {
  return AREAS[kind] === 'personnel' ? `personnel.${action}` : `projects.${action}`
}

/** Texts in the order of code points. */
export function compareTexts(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

export function sameText(one: Text, other: Text): boolean {
  return one !== null && other !== null && fold(one.trim()) === fold(other.trim())
}

export const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
export const OPEN_STATUSES = ['OPEN', 'IN_PROGRESS', 'BLOCKED']
export const LEVELS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNASSESSED']

export function isLive({ status }: Pick<Risk, 'status'>): boolean {
  return status !== 'CLOSED'
}

export function isOpen({ status }: Pick<Issue, 'status'>): boolean {
  return OPEN_STATUSES.includes(status)
}

export function scoreOf(risk: Pick<Risk, 'likelihood' | 'impact' | 'scoreGiven'>): number {
  const { likelihood, impact, scoreGiven } = risk
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
