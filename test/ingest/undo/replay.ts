import type { UndoReport } from '../../../src/ingest/undo.js'
import type { TestStore } from '../../support/stores.js'

type Value = string | number | null | readonly string[]
type Fields = Readonly<Record<string, readonly [from: Value, to: Value]>>

interface Change {
  readonly at: number
  readonly entity: string
  readonly action: string
  readonly run: string | null
  readonly fields: Fields
}

const TABLES = ['person', 'groups', 'project', 'risk', 'issue']

/** Why a value may be left although nothing else has changed it. */
const ASIDE =
  /It belongs to|It is the address of|There is no group|merged or erased since|merged since|ACTIVE again|Give both|as the import left it|erased|removes nothing|removed since|It still has|needs an e-mail/
const SINCE = /^It was (changed again|undone already) at /

/** What follows from other fields, or from a merge, and so may be something else than before. */
const FOLLOWING = new Set(['score', 'scoreGiven', 'ownerId', 'assigneeId'])

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function fail(...parts: unknown[]): never {
  throw new Error(parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '))
}

/** The first and the last value of each field in these changes. */
function netOf(changes: readonly Change[]): Fields {
  const net: Record<string, readonly [Value, Value]> = {}
  for (const { fields } of changes)
    for (const [field, [from, to]] of Object.entries(fields)) net[field] = [net[field] ? net[field][0] : from, to]
  return net
}

/** The history of a store, replayed change by change, next to its rows. */
export class Replay {
  private readonly changes: readonly Change[]
  private readonly undoes: ReadonlyMap<string, string>
  private readonly values = new Map<string, Map<string, Value>>()
  private readonly rows = new Map<string, Readonly<Record<string, unknown>>>()
  private readonly members = new Map<string, string[]>()
  private readonly hasErasures: boolean

  constructor(own: TestStore) {
    // In one go: each query of a test store opens it anew.
    const stored = own.dump()
    const table = (name: string) => stored[name] ?? []
    this.changes = table('change').map((row, at) => ({
      at,
      entity: String(row['entity_id']),
      action: String(row['action']),
      run: row['import_id'] === null ? null : String(row['import_id']),
      fields: JSON.parse(String(row['fields'])),
    }))
    this.hasErasures = this.changes.some(({ action }) => action === 'ERASED')
    const undos = table('import_run').filter(({ kind }) => kind === 'UNDO')
    this.undoes = new Map(undos.map(({ id, undoes }) => [String(id), String(undoes)]))
    for (const name of TABLES) for (const row of table(name)) this.rows.set(String(row['id']), row)
    const nameOf = new Map(table('groups').map(({ id, name }) => [id, String(name)]))
    for (const { group_id: group, person_id: person } of table('membership'))
      this.members.set(
        String(person),
        [...(this.members.get(String(person)) ?? []), nameOf.get(group) ?? ''].toSorted(),
      )
    for (const change of this.changes) this.apply(change)
  }

  private apply({ entity, action, fields }: Change): void {
    const values = this.values.get(entity) ?? new Map<string, Value>()
    this.values.set(entity, values)
    for (const [field, [from, to]] of Object.entries(fields)) {
      const known = values.get(field) ?? null
      const isEmpty = Array.isArray(from) && from.length === 0
      if (!this.hasErasures && field !== 'details' && !isEmpty && !isSame(known, from))
        fail('The history of', entity, field, 'goes on from', from, 'after', known)
      values.set(field, to)
      if (field === 'name' && action === 'UPDATED' && entity.startsWith('grp_')) this.rename(String(from), String(to))
    }
    if (action === 'REMOVED') this.values.delete(entity)
  }

  /** The history of people has the names that groups had then. */
  private rename(from: string, to: string): void {
    for (const [entity, values] of this.values) {
      const groups = values.get('groups')
      if (entity.startsWith('usr_') && Array.isArray(groups))
        values.set('groups', groups.map((name) => (name === from ? to : name)).toSorted())
    }
  }

  private valueIn(entity: string, field: string): Value {
    const row = this.rows.get(entity) ?? {}
    if (field === 'groups') return this.members.get(entity) ?? []
    const details: { name: string; text: string }[] = JSON.parse(String(row['details'] ?? '[]'))
    if (field.startsWith('details.')) return details.find(({ name }) => field === `details.${name}`)?.text ?? null
    const value = row[field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
    return typeof value === 'string' || typeof value === 'number' ? value : null
  }

  /** Every row and membership, without times, without the order of details, and with owners as who they are now, erased ones as nobody. */
  state(): string[] {
    const whom = (id: unknown) => {
      const person = this.rows.get(String(id))
      return person?.['erased_at'] ? null : (person?.['merged_into'] ?? id)
    }
    const rows = Array.from(this.rows.values(), ({ updated_at: _, synced_at: __, details, ...row }) => {
      const all: { name: string }[] = JSON.parse(String(details ?? '[]'))
      const holders = { owner_id: whom(row['owner_id']), assignee_id: whom(row['assignee_id']) }
      const sorted = all.toSorted((one, other) => (one.name < other.name ? -1 : 1))
      return JSON.stringify({ ...row, ...holders, details: sorted })
    })
    return [...rows, ...Array.from(this.members, (one) => JSON.stringify(one)).toSorted()]
  }

  /** Whether the rows are what the history says, and nobody is merged twice. */
  checkSound(): void {
    for (const [id, row] of this.rows) {
      const into = this.rows.get(String(row['merged_into']))
      if (row['merged_into'] !== null && into && (into['merged_into'] !== null || row['status'] !== 'INACTIVE'))
        fail(id, 'is merged into', into['id'], 'who is merged into', into['merged_into'], 'and is', row['status'])
      if (this.hasErasures) continue
      for (const [field, value] of this.values.get(id) ?? []) {
        const stored = this.valueIn(id, field)
        if (field !== 'details' && !isSame(stored, value)) fail(id, field, 'is', stored, 'and in the history', value)
      }
    }
  }

  /** Whether something after the last change of a run to an entity has changed this field, and is in effect. */
  private isChangedSince(entity: string, field: string, run: string): boolean {
    const ofEntity = this.changes.filter((change) => change.entity === entity)
    const own = ofEntity.findLast((change) => change.run === run)
    const since = ofEntity.filter(({ at, fields }) => at > (own?.at ?? 0) && field in fields)
    const isCancelled = (change: Change): boolean =>
      since.some((later) => later.at > change.at && this.undone(later) === change.run && !isCancelled(later))
    return since.some((change) => {
      const cancels = since.some((other) => other.run !== null && other.run === this.undone(change))
      return !isCancelled(change) && !cancels
    })
  }

  /** What the run of a change undoes; never equal to the run of a single change, which has none. */
  private undone({ run }: Change): string {
    return this.undoes.get(run ?? '') ?? 'nothing'
  }

  /** Compares what undoing this run did with what this replay, from before it, says that it may do. */
  checkUndo(after: Replay, run: string, { importId, entities }: UndoReport): void {
    const touched = new Map<string, Change[]>()
    const own = this.changes.filter((one) => one.run === run)
    for (const { entity } of own)
      touched.set(
        entity,
        own.filter((one) => one.entity === entity),
      )
    const done = importId === undefined ? [] : after.changes.filter((one) => one.run === importId)
    for (const { entity } of done) if (!touched.has(entity)) fail(entity, 'was changed, and not by', run)
    for (const [entity, changes] of touched) {
      const fields = netOf(done.filter((one) => one.entity === entity))
      const report = entities.find(({ id }) => id === entity)
      if (!isSame(Object.keys(report?.fields ?? {}).toSorted(), Object.keys(fields).toSorted()))
        fail(entity, 'is reported with', report?.fields, 'and has', fields)
      const reasonOf = (field: string) =>
        report?.left.find((one) => one.field === undefined || one.field === field)?.reason
      if (changes[0]?.action === 'CREATED') this.checkClosed(entity, run, fields, report?.left[0]?.reason)
      else this.checkRestored(entity, run, netOf(changes), fields, reasonOf)
    }
  }

  private checkClosed(entity: string, run: string, fields: Fields, reason: string | undefined): void {
    const changed = new Set(
      this.changes.filter((one) => one.entity === entity).flatMap((one) => Object.keys(one.fields)),
    )
    changed.delete('score')
    const isLater = [...changed].some((field) => this.isChangedSince(entity, field, run))
    const isDone = Object.keys(fields).length > 0
    const others = Object.keys(fields).filter((field) => field !== 'status' && field !== 'groups')
    if (others.length > 0) fail(entity, 'is closed with', fields)
    if (isDone && isLater) fail(entity, 'is closed, though it was changed since', run)
    const row = this.rows.get(entity)
    const isOpen = row !== undefined && row['status'] !== 'CLOSED' && row['status'] !== 'INACTIVE'
    if (!isDone && isOpen && !isLater && !ASIDE.test(reason ?? '')) fail(entity, 'is not closed:', reason)
    if (!isDone && isLater && row && !ASIDE.test(reason ?? '') && !SINCE.test(reason ?? ''))
      fail(entity, 'was changed since', run, 'and is left because', reason)
  }

  private checkRestored(
    entity: string,
    run: string,
    net: Fields,
    fields: Fields,
    reasonOf: (field: string) => string | undefined,
  ): void {
    for (const field of Object.keys(fields))
      if (!(field in net) && !FOLLOWING.has(field)) fail(entity, field, 'was not changed by', run)
    for (const [field, [from]] of Object.entries(net)) {
      if (field === 'score') continue
      const isLater = this.isChangedSince(entity, field, run)
      const [done, reason] = [fields[field], reasonOf(field) ?? '']
      if (done && isLater) fail(entity, field, 'is restored, though it was changed since', run)
      if (done && !FOLLOWING.has(field) && !isSame(done[1], from)) fail(entity, field, 'was', from, 'and gets', done[1])
      if (isLater && !SINCE.test(reason) && !ASIDE.test(reason)) fail(entity, field, 'is left because', reason)
      if (isLater || done || FOLLOWING.has(field) || field === 'details') continue
      const now = this.valueIn(entity, field)
      if (!isSame(now, from) && !ASIDE.test(reason)) fail(entity, field, 'is', now, 'and not restored to', from, reason)
    }
  }
}
