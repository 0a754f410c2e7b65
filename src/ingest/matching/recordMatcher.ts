import { type IdKind, isId } from '../../ids.js'
import { fold, type InputCheck } from '../../text.js'
import type { ImportRun } from '../run.js'

interface Listed {
  readonly id: string
  readonly name: string
  readonly externalId: string | null
}

interface Naming {
  readonly index: number
  readonly values: Readonly<Partial<Record<'id' | 'externalId' | 'email' | 'name', string | null>>>
  readonly check: InputCheck
}

/** The identifying field besides the two ids is the alias; `aliasOf` is its folded form in a row. */
interface MatcherOptions<Row> {
  readonly kind: IdKind
  readonly alias: 'email' | 'name'
  readonly aliasOf: (row: Row) => string | null
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
    const isSame = externalId == null || !holderOfAlias?.externalId || holderOfAlias.externalId === externalId
    const match = id == null ? (holderOfId ?? (isSame ? holderOfAlias : undefined)) : named
    if (holderOfId && holderOfId !== match) check.violation('externalId', belongsTo(holderOfId))
    if (holderOfAlias && holderOfAlias !== match) check.violation(this.#plan.alias, belongsTo(holderOfAlias))
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

function belongsTo({ id, name, externalId }: Listed): string {
  return `It belongs to ${name} (${externalId === null ? '' : `externalId ${externalId}, `}${id}).`
}
