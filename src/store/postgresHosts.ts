import { StoreRefused } from './journal.js'

/** What a server says of itself. */
export interface ServerState {
  readonly isInRecovery: boolean
  readonly isReadOnly: boolean
}

export const SELECT_STATE = "select pg_is_in_recovery(), current_setting('default_transaction_read_only')"

/** What `SELECT_STATE` has found. */
export function stateIn([isInRecovery, readOnly]: readonly unknown[] = []): ServerState {
  return { isInRecovery: isInRecovery === true, isReadOnly: readOnly === 'on' }
}

/** `target_session_attrs` of libpq: which of several servers will do. */
const WANTED: Readonly<Record<string, (state: ServerState) => boolean>> = {
  any: () => true,
  primary: ({ isInRecovery }) => !isInRecovery,
  standby: ({ isInRecovery }) => isInRecovery,
  'read-write': ({ isInRecovery, isReadOnly }) => !isInRecovery && !isReadOnly,
  'read-only': ({ isInRecovery, isReadOnly }) => isInRecovery || isReadOnly,
}

/** No host of the address is of the kind that `target_session_attrs` asks for. */
export class Unwanted extends Error {}

const ADDRESS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(\??.*)$/s

/**
 * The hosts of an address such as `postgres://h1:5432,h2/db?target_session_attrs=read-write`, which the driver does not
 * know. All connections of a store lead to one host: data of one and versions of another would not fit together.
 */
export class Hosts {
  /** An address for each host. */
  readonly urls: readonly string[]
  private readonly isWanted: (state: ServerState) => boolean
  private inUse = 0

  constructor(address: string) {
    const [, scheme = '', user = '', hosts = '', path = '', query = ''] = ADDRESS.exec(address) ?? []
    const parameters = new URLSearchParams(query)
    const wanted = parameters.get('target_session_attrs') ?? 'any'
    const isWanted = Object.hasOwn(WANTED, wanted) ? WANTED[wanted] : undefined
    if (!isWanted) throw new StoreRefused(`target_session_attrs must be one of ${Object.keys(WANTED).join(', ')}.`)
    this.isWanted = isWanted
    // The driver checks the certificate and its name in each of these modes, but warns where libpq would check less.
    const checked = query.replace(/\bsslmode=(prefer|require|verify-ca)\b/, 'sslmode=verify-full')
    this.urls = hosts.split(',').map((host) => `${scheme}${user}${host}${path}${checked}`)
  }

  /** The place of the host that is in use. */
  get current(): number {
    return this.inUse
  }

  /** Goes on to the next host, unless somebody has done so already. */
  leave(place: number): void {
    if (this.inUse === place) this.inUse = (place + 1) % this.urls.length
  }

  require(state: ServerState): void {
    if (!this.isWanted(state)) throw new Unwanted('no server is of the kind that target_session_attrs asks for')
  }
}
