export type Engine = 'sqlite' | 'postgres'

/** The engine of the suite: `npm test` uses SQLite, `npm run part -- postgres` PostgreSQL. */
export const engine: Engine = process.env['TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite'
