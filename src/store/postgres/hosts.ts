import { StoreRefused } from '../migrationJournal.js'

/** The state of a server that `target_session_attrs` selects by. */
interface ServerState {
  readonly isInRecovery: boolean
  readonly isReadOnly: boolean
}

export const SELECT_STATE = "select pg_is_in_recovery(), current_setting('default_transaction_read_only')"

/** Parses the row of `SELECT_STATE`. */
export function stateIn([isInRecovery, readOnly]: readonly unknown[] = []): ServerState {
  return { isInRecovery: isInRecovery === true, isReadOnly: readOnly === 'on' }
}

/** `target_session_attrs` of libpq: which of several servers are acceptable. */
const WANTED: Readonly<Record<string, (state: ServerState) => boolean>> = {
  any: () => true,
  primary: ({ isInRecovery }) => !isInRecovery,
  standby: ({ isInRecovery }) => isInRecovery,
  'read-write': ({ isInRecovery, isReadOnly }) => !isInRecovery && !isReadOnly,
  'read-only': ({ isInRecovery, isReadOnly }) => isInRecovery || isReadOnly,
}

/** No host of the URL meets `target_session_attrs`. */
class Unwanted extends Error {}

const ADDRESS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(\??.*)$/s

/**
 * The hosts of a URL such as `postgres://h1:5432,h2/db?target_session_attrs=read-write`, which the driver does not
 * support. All connections of a store use one host: rows of one and versions of another would be inconsistent.
 */
export class Hosts {
  /** One URL per host. */
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
    // In these sslmodes the driver verifies certificate and host name, but warns because libpq would verify less.
    const checked = query.replace(/\bsslmode=(prefer|require|verify-ca)\b/, 'sslmode=verify-full')
    this.urls = hosts.split(',').map((host) => `${scheme}${user}${host}${path}${checked}`)
  }

  /** The index of the host in use. */
  get current(): number {
    return this.inUse
  }

  /** Switches to the next host, unless another caller already has. */
  leave(place: number): void {
    if (this.inUse === place) this.inUse = (place + 1) % this.urls.length
  }

  require(state: ServerState): void {
    if (!this.isWanted(state)) throw new Unwanted('no server is of the kind that target_session_attrs asks for')
  }
}
