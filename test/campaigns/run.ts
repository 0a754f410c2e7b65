/**
 * The campaigns: what searches at random, measures, or takes minutes. Each prints its figures and its seed, and fails
 * only for a wrong response or a lost write; a figure beyond its bound is reported in words.
 *
 *   npm run campaign -- NAME [options]
 *   npm run campaign -- all
 */
import { runNamed } from '../support/named.js'

const tsx = (file: string, ...args: string[]) => ['tsx', `test/${file}.ts`, ...args]

runNamed('npm run campaign --', {
  hostile: {
    about: 'bad and costly input to both APIs and over raw sockets',
    command: ['vitest', 'run', '--project', 'hostile'],
  },
  crash: { about: 'kills servers and followers, and looks for lost writes', command: tsx('campaigns/crash') },
  soak: { about: 'mixed load for minutes: memory, descriptors, write-ahead log', command: tsx('campaigns/soak') },
  cache: { about: 'cached responses next to fresh ones', command: tsx('campaigns/cache') },
  import: { about: 'imports next to the sqlite3 shell, and clients beside them', command: tsx('bench/import') },
  speed: { about: 'throughput next to the alternatives', command: tsx('bench/speed', '--quick') },
})
