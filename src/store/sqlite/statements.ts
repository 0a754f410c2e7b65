import { BoundedCache, STATEMENT_CHARACTERS_KEPT } from '../../caches.js'
import type { Statement } from './driver.js'

/** More than the program's distinct statements; each takes a few kilobytes. */
const KEPT_MAX = 200

/** The part of a connection that running statements needs. */
export interface Statements {
  prepare(sql: string): Statement
}

/** Caches prepared statements by their text: preparing takes longer than running. */
export class StatementCache implements Statements {
  private readonly connection: Statements
  private readonly statements = new BoundedCache<Statement>({
    entries: KEPT_MAX,
    // Callers can produce a text of half a megabyte, which takes several megabytes when prepared.
    entrySize: STATEMENT_CHARACTERS_KEPT,
  })

  constructor(connection: Statements) {
    this.connection = connection
  }

  prepare(sql: string): Statement {
    const cached = this.statements.get(sql)
    // An earlier user may have set raw() or pluck() on it.
    if (cached) return cached.reader ? cached.raw(false) : cached
    const statement = this.connection.prepare(sql)
    this.statements.set(sql, statement)
    return statement
  }
}
