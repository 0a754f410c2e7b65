import { or } from 'drizzle-orm'
import { isId } from '../../ids.js'
import { type GroupRow, groupsLedger, groupWith } from '../../personnel/groups.js'
import { checkText, fold, type InputCheck } from '../../text.js'
import type { ImportRun } from '../run.js'

/** Finds groups by id, name or externalId, and creates missing ones if the options allow it. */
export class GroupMatcher {
  private readonly run: ImportRun
  private readonly ledger
  /** The groups that were found or created. */
  readonly byId = new Map<string, GroupRow>()
  private readonly known = new Map<string, GroupRow | undefined>()
  private readonly made = new Map<string, GroupRow>()

  constructor(run: ImportRun) {
    this.run = run
    this.ledger = groupsLedger(run.write)
  }

  /** Looks up the texts that are not known yet. */
  async find(texts: readonly string[]): Promise<void> {
    const unknown = [...new Set(texts)].filter((one) => !this.known.has(one))
    if (unknown.length === 0) return
    const { db, t, among } = this.run.write
    const { id, nameFolded, externalId } = t.group
    const rows = await db
      .select()
      .from(t.group)
      .where(or(among(id, unknown), among(nameFolded, unknown.map(fold)), among(externalId, unknown)))
    // Not `rows.find`: a list may name thousands of thousands.
    for (const row of rows) this.byId.set(row.id, row)
    const byName = new Map(rows.map((row) => [row.nameFolded, row]))
    const byExternalId = new Map(rows.map((row) => [row.externalId, row]))
    for (const one of unknown) this.known.set(one, this.byId.get(one) ?? byName.get(fold(one)) ?? byExternalId.get(one))
  }

  idsOf(texts: readonly string[], check: InputCheck): Set<string> {
    return new Set(texts.flatMap((one) => (this.known.get(one) ?? this.make(one, check))?.id ?? []))
  }

  async store(): Promise<void> {
    await this.ledger.store()
  }

  private make(name: string, check: InputCheck): GroupRow | undefined {
    const { options, write } = this.run
    const checked = checkText(name, 'name')
    if ('flaw' in checked) check.flaw('groups', `${JSON.stringify(name)}: ${checked.flaw}`)
    else if (!options.createGroups || isId('group', name)) {
      const advice = `Import groups first, or create it with ${options.wording.createGroups}.`
      check.flaw('groups', `There is no group ${JSON.stringify(name)}. ${advice}`)
    } else {
      const known = this.made.get(fold(name))
      if (known) return known
      const { row } = this.ledger.enter(undefined, groupWith(write, undefined, { name }))
      this.made.set(fold(name), row)
      this.byId.set(row.id, row)
      this.run.made.push(`group ${name}`)
      return row
    }
    return undefined
  }
}
