import { LRUCache } from 'lru-cache'
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
  private readonly kept = new LRUCache<string, Statement>({ max: KEPT_MAX })

  constructor(connection: Statements) {
    this.connection = connection
  }

  prepare(sql: string): Statement {
    // Callers can make a statement of half a megabyte, which takes several once it is ready.
    if (sql.length > LIMITS.storeKeptCharacters) return this.connection.prepare(sql)
    const known = this.kept.get(sql)
    // Whoever ran it before may have asked for its rows as arrays.
    if (known) return known.reader ? known.raw(false) : known
    const statement = this.connection.prepare(sql)
    this.kept.set(sql, statement)
    return statement
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
