export type Engine = 'sqlite' | 'postgres'

/** Which engine the suite runs on: `npm test` on SQLite, `npm run test:postgres` on PostgreSQL. */
export const engine: Engine = process.env['TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite'
