import { LIMITS } from '../limits.js'
import type { Statement } from './sqliteDriver.js'

/** More than the program has different ones; each takes a few kilobytes. */
const KEPT_MAX = 200

/** As much of a connection as whoever runs statements needs. */
export interface Statements {
  prepare(sql: string): Statement
}

/** The statements of a connection, kept by their text: making one ready takes longer than running it. */
export class KeptStatements implements Statements {
  private readonly connection: Statements
  private readonly kept = new Map<string, Statement>()

  constructor(connection: Statements) {
    this.connection = connection
  }

  prepare(sql: string): Statement {
    // Callers can make a statement of half a megabyte, which takes several once it is ready.
    if (sql.length > LIMITS.storeKeptCharacters) return this.connection.prepare(sql)
    const known = this.kept.get(sql)
    const statement = known ?? this.connection.prepare(sql)
    // The last one used stands last, so that the first is the one to forget.
    if (known) this.kept.delete(sql)
    else if (this.kept.size === KEPT_MAX) this.kept.delete(this.kept.keys().next().value ?? '')
    this.kept.set(sql, statement)
    // Whoever ran it before may have asked for its rows as arrays.
    return known?.reader ? known.raw(false) : statement
  }
}

/** Lends statements until they are taken back: a stray late one fails instead of joining what comes next. */
export function lend(
  statements: Statements,
  onPrepare: (sql: string) => void,
): { lent: Statements; takeBack: () => void } {
  let isOver = false
  const lent: Statements = {
    prepare(sql) {
      if (isOver) throw new Error('The handle of this write has been revoked: the write is over.')
      onPrepare(sql)
      return statements.prepare(sql)
    },
  }
  return {
    lent,
    takeBack: () => {
      isOver = true
    },
  }
}
