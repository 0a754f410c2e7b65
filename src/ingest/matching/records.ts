import { setImmediate } from 'node:timers/promises'
import { type IdKind, isId } from '../../ids.js'
import { fold, type InputCheck } from '../../text.js'
import { BATCH_RECORDS, type ImportRun } from '../run.js'

/** Looks up texts in batches, each text once: a list may name everyone. */
export abstract class Lookup<V> extends Map<string, V> {
  protected abstract load(texts: readonly string[]): Promise<(text: string) => V>

  async find(texts: Iterable<string>): Promise<void> {
    const unknown = [...new Set(texts)].filter((one) => !this.has(one))
    for (let start = 0; start < unknown.length; start += BATCH_RECORDS) {
      if (start > 0) await setImmediate()
      const batch = unknown.slice(start, start + BATCH_RECORDS)
      const resultFor = await this.load(batch)
      for (const one of batch) this.set(one, resultFor(one))
    }
  }
}

interface Listed {
  readonly id: string
  readonly name: string
  readonly externalId: string | null
}

/** The identifying fields of a record. */
interface Naming {
  readonly id?: string | null
  readonly externalId?: string | null
}

interface RecordMatcherOptions<Row> {
  readonly kind: IdKind
  /** The identifying field besides the two ids, and its folded form in a row. */
  readonly alias: string
  readonly aliasOf: (row: Row) => string | null
}

/** Matches records with rows: by id, else by externalId, else by an alias. */
export class RecordMatcher<Row extends Listed> {
  private readonly plan: RecordMatcherOptions<Row>
  private readonly byId = new Map<string, Row>()
  private readonly byExternalId = new Map<string, Row>()
  private readonly byAlias = new Map<string, Row>()

  constructor(plan: RecordMatcherOptions<Row>, rows: readonly Row[]) {
    this.plan = plan
    for (const row of rows) {
      const alias = plan.aliasOf(row)
      this.byId.set(row.id, row)
      if (row.externalId !== null) this.byExternalId.set(row.externalId, row)
      if (alias !== null) this.byAlias.set(alias, row)
    }
  }

  /** The row that a record matches; values that belong to another row become flaws. */
  match({ id, externalId }: Naming, alias: string | null | undefined, check: InputCheck): Row | undefined {
    const holderOfId = externalId == null ? undefined : this.byExternalId.get(externalId)
    const holderOfAlias = alias == null ? undefined : this.byAlias.get(fold(alias))
    const named = id == null ? undefined : this.byId.get(id)
    if (id != null && !named && !isId(this.plan.kind, id)) check.flaw('id', 'Must be an id in the form of an export.')
    // An alias can move to another row that has its own externalId, and then does not match.
    const isSame = externalId == null || !holderOfAlias?.externalId || holderOfAlias.externalId === externalId
    const match = id == null ? (holderOfId ?? (isSame ? holderOfAlias : undefined)) : named
    if (holderOfId && holderOfId !== match) check.flaw('externalId', belongsTo(holderOfId))
    if (holderOfAlias && holderOfAlias !== match) check.flaw(this.plan.alias, belongsTo(holderOfAlias))
    return match
  }

  /** Makes sure that no two records match the same row, or would create it twice. */
  claim(
    run: ImportRun,
    index: number,
    { id, externalId }: Naming,
    alias: string | null | undefined,
    before: Row | undefined,
    check: InputCheck,
  ): void {
    const field = externalId == null ? this.plan.alias : 'externalId'
    if (before) run.claim(index, 'id', before.id, check, id == null ? field : 'id')
    else if (id != null) run.claim(index, 'id', id, check)
    if (externalId != null) run.claim(index, 'externalId', externalId, check)
    if (alias != null) run.claim(index, this.plan.alias, fold(alias), check)
  }
}

function belongsTo({ id, name, externalId }: Listed): string {
  return `It belongs to ${name} (${externalId === null ? '' : `externalId ${externalId}, `}${id}).`
}
