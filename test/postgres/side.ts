import { type Caller, type Gateway, openGateway, type TestResponse } from '../support/harness.js'
import { newStore } from '../support/stores.js'

const ID = /(usr|grp|prj|rsk|iss|key|imp)_[0-9a-z]{26}\b/g
const NAME = /(usr|grp|prj|rsk|iss|key|imp)#\d+/g
/** A cursor begins with the eight hexadecimal digits of its checksum, in base64. */
const CURSOR = /\b[A-Za-z0-9_-]{40,}\b/g

/** A request with ids named by their order of appearance, such as `usr#3`, and `next` for the last cursor. */
export interface Step {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** One of two engines that get the same requests: random ids are replaced by their order of appearance. */
export class Side {
  readonly gateway: Gateway
  private caller: Caller | undefined
  private readonly known = new Map<string, string>()
  private readonly ids = new Map<string, string>()
  private readonly turns = new Map<string, number>()
  private next = 'none'

  constructor(engine: 'sqlite' | 'postgres') {
    this.gateway = openGateway({}, undefined, newStore(engine))
  }

  /** A whole response without its random parts. */
  async send({ method, path, headers = {}, body }: Step): Promise<string> {
    this.caller ??= await this.gateway.as('personnel.manage', 'projects.manage')
    const answer = await this.caller.request(this.own(path), {
      method,
      headers: { ...(body !== undefined && { 'content-type': typeOf(method) }), ...headers },
      ...(body !== undefined && { body: this.own(JSON.stringify(body)) }),
    })
    const cursor = answer.body?.page?.next ?? answer.body?.data?.list?.pageInfo?.endCursor
    if (cursor) this.next = cursor
    return this.common(answer)
  }

  /** Every row of every table, without the last use of keys and random values. */
  dump(): string {
    const { own } = this.gateway
    const tables = own.tables().filter((name) => name !== 'schema_migration' && name !== 'api_key')
    const rows = tables.map((name) => {
      // By name: an upgrade cannot choose the order of columns.
      const all = own.rows(`select * from "${name}" order by 1, 2`).map(byName)
      // PostgreSQL's sequence leaves out the numbers of a write that was undone: a sync stores its project, with a change,
      // before it is refused for its entries.
      return [name, name === 'change' ? all.map((row, index) => ({ ...Object(row), id: index + 1 })) : all]
    })
    // A fingerprint is a hash of the request, ids included; the values beside the counters and of writes are random.
    const isChance = (member: string) => member === 'fingerprint' || /(^|_)nonce$/.test(member)
    return this.named(JSON.stringify(rows, (member, value) => (isChance(member) ? undefined : value)))
  }

  private own(text: string): string {
    return text.replaceAll('{next}', this.next).replaceAll(NAME, (name) => this.ids.get(name) ?? name.replace('#', '_'))
  }

  private common({ status, headers, text }: TestResponse): string {
    const retained = [...headers].filter(([name]) => name !== 'request-id' && name !== 'content-length')
    const shown = retained.map(([name, value]) =>
      name === 'etag' ? [name, value.replace(/"[\w-]{27}/, '"')] : [name, value],
    )
    const all = JSON.stringify([status, shown, text]).replaceAll(headers.get('request-id') ?? 'none', 'REQUEST')
    return this.named(all.replaceAll(CURSOR, decoded))
  }

  private named(text: string): string {
    return text.replaceAll(ID, (id, kind: string) => {
      const turn = this.turns.get(kind) ?? 0
      const name = this.known.get(id) ?? `${kind}#${turn}`
      if (!this.known.has(id)) this.turns.set(kind, turn + 1)
      this.known.set(id, name)
      this.ids.set(name, id)
      return name
    })
  }
}

function typeOf(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
}

function decoded(text: string): string {
  const plain = Buffer.from(text, 'base64url').toString()
  return /^[0-9a-f]{8}\["/.test(plain) ? `cursor ${plain.slice(8)}` : text
}

function byName(row: object): object {
  return Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))
}
