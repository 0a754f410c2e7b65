import { StoreRefused } from '../migrationJournal.js'

/** The state of a server that `target_session_attrs` selects by. */
interface ServerState {
  readonly isInRecovery: boolean
  readonly isReadOnly: boolean
}

export const SELECT_STATE = "select pg_is_in_recovery(), current_setting('default_transaction_read_only')"

/** `target_session_attrs` of libpq: which of several servers are acceptable. */
const WANTED: Readonly<Record<string, (state: ServerState) => boolean>> = {
  any: () => true,
  primary: ({ isInRecovery }) => !isInRecovery,
  standby: ({ isInRecovery }) => isInRecovery,
  'read-write': ({ isInRecovery, isReadOnly }) => !isInRecovery && !isReadOnly,
  'read-only': ({ isInRecovery, isReadOnly }) => isInRecovery || isReadOnly,
}

const ADDRESS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(\??.*)$/s

/** The hosts of a URL with several. All connections use one: rows of one and versions of another would be inconsistent. */
export class Hosts {
  readonly urls: readonly string[]
  /** The index of the host in use. */
  current = 0
  private readonly isWanted: (state: ServerState) => boolean

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

  /** Switches to the next host, unless another caller already has. */
  leave(place: number): void {
    if (this.current === place) this.current = (place + 1) % this.urls.length
  }

  require(state: ServerState): void {
    if (!this.isWanted(state)) throw new Error('no server is of the kind that target_session_attrs asks for')
  }
}
