/**
 * The campaigns: what searches at random, measures, or takes minutes. Each prints its figures and its seed, and fails
 * only for a wrong response or a lost write; a figure beyond its bound is reported in words.
 *
 *   npm run campaign -- NAME [options]
 *   npm run campaign -- all
 */
import { runNamed } from '../support/named.js'

const tsx = (file: string, ...args: string[]) => ['tsx', `test/${file}.ts`, ...args]

/** The tests with properties. */
const PROPERTIES = [
  'ingest/files/sheets',
  'ingest/workbooks/workbooks',
  'nouns/summaries',
  'system/parity',
  'system/past',
  'system/roundTrip',
]

const SEED = process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e6)

runNamed('npm run campaign --', {
  hostile: {
    about: 'bad and costly input to both APIs and over raw sockets',
    command: ['vitest', 'run', '--project', 'hostile'],
  },
  crash: { about: 'kills servers and followers, and looks for lost writes', command: tsx('campaigns/crash') },
  inputs: {
    about: 'the largest input of every kind, and the longest blocks of the event loop',
    command: tsx('campaigns/inputs'),
  },
  oracle: {
    about: 'random requests next to a naive model of the documents',
    command: tsx('campaigns/oracle'),
  },
  undo: {
    about: 'imports, syncs, merges and edits, undone and redone, next to a replay of the history',
    command: tsx('campaigns/undo'),
  },
  soak: { about: 'mixed load for minutes: memory, descriptors, write-ahead log', command: tsx('campaigns/soak') },
  cache: { about: 'cached responses next to fresh ones', command: tsx('campaigns/cache') },
  properties: {
    about: `the property tests with ten times as many other values (TEST_SEED=${SEED})`,
    command: [
      'env',
      `TEST_SEED=${SEED}`,
      'TEST_ROUNDS=10',
      'vitest',
      'run',
      '--project',
      'unit',
      '--project',
      'system',
      ...PROPERTIES,
    ],
  },
  nights: {
    about: `a year of nightly imports next to what is true (TEST_SEED=${SEED})`,
    command: ['env', `TEST_SEED=${SEED}`, 'TEST_NIGHTS=365', 'vitest', 'run', '--project', 'system', 'system/nights'],
  },
  import: { about: 'imports next to the sqlite3 shell, and clients beside them', command: tsx('bench/import') },
  speed: { about: 'throughput next to the alternatives', command: tsx('bench/speed', '--quick') },
})
