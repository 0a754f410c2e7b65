/**
 * The benches: each prints what it measured, and decides nothing.
 *
 *   npm run bench -- NAME [options]
 */
import { runNamed } from '../support/named.js'

const bench = (name: string, about: string) => ({ about, command: ['tsx', `test/bench/${name}.ts`] })

runNamed('npm run bench --', {
  speed: bench('speed', 'throughput next to the alternatives; --quick for a first look, --only W1,W4 for a part'),
  references: bench('references', 'batches of entity references, as a gateway sends them'),
  feed: bench('feed', 'pages of a million changes, and 200 waiting followers'),
  past: bench('past', 'movements and trends on a history of a million changes'),
  hosts: bench('hosts', 'what a host pays that executes the schema itself: Apollo Server, Yoga, execute'),
  page: bench('page', 'how soon the overview can be used with 20,000 risks, in Chromium'),
  import: bench('import', "an import next to the sqlite3 shell's .import"),
  tokens: bench('tokens', 'a repeated response with a token next to a key, and a key beside forged tokens'),
  scaling: bench('scaling', 'PostgreSQL next to a SQLite file, with one and several instances'),
})
