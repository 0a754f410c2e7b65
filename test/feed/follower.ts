import type { Caller } from '../support/harness.js'

/** An entry of `GET /v1/changes`. */
export interface FeedEntry {
  readonly id: string
  readonly entity: 'PERSON' | 'GROUP' | 'PROJECT' | 'RISK' | 'ISSUE'
  readonly entityId: string
  readonly action: 'CREATED' | 'UPDATED' | 'CLOSED' | 'ERASED' | 'REMOVED'
  readonly title: string | null
  readonly project: { readonly key: string } | null
  readonly fields: readonly { readonly field: string; readonly from: string | null; readonly to: string | null }[]
}

/** A tracked value; absent means null. */
export type Copy = Map<string, string>

/** Copies the tracked fields of all entities, from the feed alone, as docs/changes.md says. */
export class Follower {
  /** By entity id. */
  readonly copies = new Map<string, Copy>()
  readonly seen: number[] = []
  private cursor: string | undefined

  /** Reads on until it has caught up. */
  async catchUp(caller: Caller, limit: number): Promise<void> {
    for (let more = true; more; ) {
      const from = this.cursor ? `&cursor=${this.cursor}` : ''
      const { status, body } = await caller.get(`/v1/changes?limit=${limit}${from}`)
      if (status !== 200) throw new Error(`The feed answered ${status}: ${JSON.stringify(body)}`)
      for (const entry of body.data as FeedEntry[]) this.apply(entry)
      this.cursor = body.page.next
      more = body.page.more
    }
  }

  private apply({ id, entity, entityId, action, title, project, fields }: FeedEntry): void {
    this.seen.push(Number(id))
    const copy = this.copies.get(entityId) ?? new Map<string, string>()
    this.copies.set(entityId, copy)
    if (project) copy.set('project', project.key)
    if (entity === 'PERSON' && action === 'ERASED') {
      copy.clear()
      set(copy, 'name', title)
      set(copy, 'status', 'INACTIVE')
    }
    for (const { field, from, to } of fields) {
      if (entity === 'GROUP' && field === 'name' && from !== null && to !== null) this.rename(from, to)
      set(copy, field, to)
    }
    if (action === 'REMOVED') this.copies.delete(entityId)
  }

  /** The groups of a person are their names. */
  private rename(from: string, to: string): void {
    for (const copy of this.copies.values()) {
      const names = copy.get('groups')?.split('; ')
      if (names?.includes(from)) copy.set('groups', names.map((name) => (name === from ? to : name)).join('; '))
    }
  }
}

function set(copy: Copy, field: string, value: string | null): void {
  if (value === null) copy.delete(field)
  else copy.set(field, value)
}
