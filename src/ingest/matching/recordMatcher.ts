import { type IdKind, isId } from '../../ids.js'
import { fold, type InputCheck } from '../../text.js'
import type { ImportRun } from '../run.js'

interface Listed {
  readonly id: string
  readonly name: string
  readonly externalId: string | null
}

export interface Naming {
  readonly index: number
  readonly values: Readonly<Partial<Record<'id' | 'externalId' | 'email' | 'name' | 'status', string | null>>>
  readonly check: InputCheck
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

/** Matches records with rows: by id, else by externalId, else by an alias. */
export class RecordMatcher<Row extends Listed> {
  readonly #run: ImportRun
  readonly #plan: MatcherOptions<Row>
  readonly #byId: ReadonlyMap<string, Row>
  readonly #byExternalId: ReadonlyMap<string | null, Row>
  readonly #byAlias: ReadonlyMap<string | null, Row>

  constructor(run: ImportRun, plan: MatcherOptions<Row>, rows: readonly Row[]) {
    this.#run = run
    this.#plan = plan
    this.#byId = new Map(rows.map((row) => [row.id, row]))
    this.#byExternalId = new Map(rows.map((row) => [row.externalId, row]))
    this.#byAlias = new Map(rows.map((row) => [plan.aliasOf(row), row]))
  }

  /** The row that a record matches; values that belong to another row or to an earlier record become violations. */
  match(record: Naming): Row | undefined {
    const { values, check } = record
    const { id, externalId, [this.#plan.alias]: alias } = values
    const holderOfId = externalId == null ? undefined : this.#byExternalId.get(externalId)
    const holderOfAlias = alias == null ? undefined : this.#byAlias.get(fold(alias))
    const named = id == null ? undefined : this.#byId.get(id)
    if (id != null && !named && !isId(this.#plan.kind, id))
      check.violation('id', 'Must be an id in the form of an export.')
    // An alias can move to another row that has its own externalId, and then does not match.
    const isLikely = externalId == null || !holderOfAlias?.externalId || holderOfAlias.externalId === externalId
    const isSame = (holderOfAlias && this.#plan.isSame?.(holderOfAlias, record, isLikely)) ?? isLikely
    const match = id == null ? (holderOfId ?? (isSame ? holderOfAlias : undefined)) : named
    if (holderOfId && holderOfId !== match) check.violation('externalId', belongsTo(holderOfId))
    const { objection = belongsTo } = this.#plan
    const why = holderOfAlias && holderOfAlias !== match ? objection(holderOfAlias, record, match) : undefined
    if (why !== undefined) check.violation(this.#plan.alias, why)
    this.#claim(record, match?.id)
    return match
  }

  /** Makes sure that no two records match the same row, or would create it twice. */
  #claim({ index, values, check }: Naming, matchedId: string | undefined): void {
    const { id, externalId, [this.#plan.alias]: alias } = values
    const claim = (kind: string, key: string | null | undefined, field = kind) => {
      if (key != null) this.#run.claim(index, kind, key, check, field)
    }
    claim('id', matchedId ?? id, id != null ? 'id' : externalId != null ? 'externalId' : this.#plan.alias)
    claim('externalId', externalId)
    claim(this.#plan.alias, alias == null ? alias : fold(alias))
  }
}

export function belongsTo({ id, name, externalId }: Listed): string {
  return `It belongs to ${name} (${externalId === null ? '' : `externalId ${externalId}, `}${id}).`
}
