import { type IdKind, isId } from '../../ids.js'
import { fold } from '../../text.js'
import type { Checked, ImportRun } from '../run.js'

type Listed = Readonly<{ id: string; name: string; externalId: string | null }>

export interface Naming extends Checked {
  readonly values: Readonly<Partial<Record<'id' | 'externalId' | 'email' | 'name' | 'status', string | null>>>
}

/** The identifying field besides the two ids is the alias; `aliasOf` is its folded form in a row. */
interface MatcherOptions<Row> {
  readonly kind: IdKind
  readonly alias: 'email' | 'name'
  readonly aliasOf: (row: Row) => string | null
  /** Who has the alias of a record that names somebody else, and why that stands against it; undefined if it does not. */
  readonly objection?: (holder: Row, record: Naming, match: Row | undefined) => string | undefined
  /** Whether the holder of a record's alias is meant, where that is not for the externalIds to say; they say `isLikely`. */
  readonly isSame?: (holder: Row, record: Naming, isLikely: boolean) => boolean
}

/**
 * Matches records with rows: by id, else by externalId, else by an alias. Values that belong to another row, or to an
 * earlier record, become violations.
 */
export function recordMatcher<Row extends Listed>(
  run: ImportRun,
  { kind, alias, aliasOf, objection = belongsTo, isSame }: MatcherOptions<Row>,
  rows: readonly Row[],
): (record: Naming) => Row | undefined {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byExternalId = new Map(rows.map((row) => [row.externalId, row]))
  const byAlias = new Map(rows.map((row) => [aliasOf(row), row]))
  return (record) => {
    const { values, check } = record
    const { id, externalId, [alias]: name } = values
    const folded = name == null ? undefined : fold(name)
    const holderOfId = externalId == null ? undefined : byExternalId.get(externalId)
    const holder = folded === undefined ? undefined : byAlias.get(folded)
    const named = id == null ? undefined : byId.get(id)
    if (id != null && !named && !isId(kind, id)) check.violation('id', 'Must be an id in the form of an export.')
    // An alias can move to another row that has its own externalId, and then does not match.
    const isLikely = externalId == null || !holder?.externalId || holder.externalId === externalId
    const isMeant = (holder && isSame?.(holder, record, isLikely)) ?? isLikely
    const match = id == null ? (holderOfId ?? (isMeant ? holder : undefined)) : named
    if (holderOfId && holderOfId !== match && !run.isLeaving(holderOfId, 'externalId'))
      check.violation('externalId', belongsTo(holderOfId))
    const isTaken = holder && holder !== match && !run.isLeaving(holder, alias)
    const why = isTaken ? objection(holder, record, match) : undefined
    if (why !== undefined) check.violation(alias, why)
    // No two records may match the same row, or create it twice.
    const claim = (of: string, key: string | null | undefined, field = of) => {
      if (key != null) run.claim(record, of, key, field)
    }
    claim('id', match?.id ?? id, id != null ? 'id' : externalId != null ? 'externalId' : alias)
    claim('externalId', externalId)
    claim(alias, folded)
    return match
  }
}

export function belongsTo({ id, name, externalId }: Listed): string {
  return `It belongs to ${name} (${externalId === null ? '' : `externalId ${externalId}, `}${id}).`
}
