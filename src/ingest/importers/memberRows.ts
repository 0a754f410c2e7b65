import { fold, type InputCheck } from '../../text.js'
import type { ImportRun, SourceRecord } from '../run.js'

interface Gathered {
  readonly first: number
  readonly values: Record<string, unknown>
  /** The members, each with the index of its row. */
  readonly members: Map<string, number>
}

/** Gathers the rows of a list that has one row for each membership, with the column `member`, into one record a group. */
export class MemberRows {
  private readonly run: ImportRun
  private readonly byKey = new Map<string, Gathered>()
  private readonly byFirst = new Map<number, Gathered>()

  constructor(run: ImportRun) {
    this.run = run
  }

  gather(records: readonly SourceRecord[]): readonly SourceRecord[] {
    const gathered = records.flatMap((record) => {
      const key = record.values['member'] === undefined ? undefined : keyOf(record)
      if (key === undefined) return [record]
      const known = this.byKey.get(key)
      if (known) {
        this.merge(known, record)
        return []
      }
      const { member: _, ...values } = record.values
      const group = { first: record.index, values, members: new Map<string, number>() }
      this.byKey.set(key, group)
      this.byFirst.set(record.index, group)
      this.merge(group, record)
      return [{ index: record.index, values }]
    })
    for (const { values, members } of this.byKey.values()) values['members'] = [...members.keys()]
    return gathered
  }

  /** Adds a flaw about a member, at its own row if it has one. */
  refuse(index: number, member: string, detail: string, check: InputCheck): void {
    const row = this.byFirst.get(index)?.members.get(member)
    if (row === undefined) check.flaw('members', detail)
    else this.run.flaws.push({ index: row, field: 'member', detail })
  }

  private merge({ first, values, members }: Gathered, { index, values: given }: SourceRecord): void {
    const { member, members: list, ...others } = given
    const name = textOf(member)
    if (textOf(list) !== '') this.flaw(index, 'member', 'Give either member or members, not both.')
    if (name !== '' && !members.has(name)) members.set(name, index)
    for (const [field, value] of Object.entries(others)) {
      if (textOf(values[field]) === '') values[field] = value
      else if (textOf(value) !== '' && fold(textOf(value)) !== fold(textOf(values[field]))) {
        this.flaw(index, field, `Must be as in ${this.run.options.wording.place(first)}, which has the same group.`)
      }
    }
  }

  private flaw(index: number, field: string, detail: string): void {
    this.run.flaws.push({ index, field, detail })
  }
}

/** Groups are matched by id, else by externalId, else by name. */
function keyOf({ values }: SourceRecord): string | undefined {
  const field = ['id', 'externalId', 'name'].find((one) => textOf(values[one]) !== '')
  return field && `${field} ${fold(textOf(values[field]))}`
}

function textOf(value: unknown): string {
  return value == null ? '' : String(value).trim()
}
