/** Prints the results on the terminal, and into docs. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, cpus, platform, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { CONTESTANTS, hasResponseCache } from '../contestants.js'
import { COMPANY } from '../data.js'
import { type Figure, figureName } from '../measurements/rounds.js'
import type { Options } from '../options.js'
import { pinning } from '../processes.js'
import { chartOf } from './chart.js'
import { type Results, verdicts } from './targets.js'

type Table = readonly (readonly string[])[]

export function print(results: Results, options: Options): void {
  for (const { title, table } of sectionsOf(results)) console.log(`\n${title}\n\n${aligned(table)}`)
  console.log(`\n${conditions(options).join('\n')}`)
}

export function save(folder: string, results: Results, options: Options): void {
  mkdirSync(folder, { recursive: true })
  const sections = sectionsOf(results).map(({ title, table }) => `## ${title}\n\n${markdown(table)}`)
  writeFileSync(
    join(folder, 'performance.md'),
    [
      '# Performance',
      'Printed by `npm run bench -- speed`, which first compares the responses of all contestants, then measures them in one run on one machine.',
      '![Requests a second of each contestant](performance.svg)',
      HELD_BACK,
      ...sections,
      '## How it was measured',
      [...conditions(options), ...FAIRNESS].map((line) => `- ${line}`).join('\n'),
    ]
      .join('\n\n')
      .concat('\n'),
  )
  writeFileSync(join(folder, 'performance.svg'), chartOf(results))
  console.log(`\nWritten: ${join(folder, 'performance.md')} and performance.svg.`)
}

function sectionsOf(results: Results): { title: string; table: Table }[] {
  const { works, growth } = results
  const judged = verdicts(results)
  const titles = works.map(({ name, title, clients }) => [name, title, String(clients)])
  return [
    ...(judged.length > 0 ? [{ title: 'Targets', table: targetTable(judged) }] : []),
    { title: 'Workloads', table: [['name', 'what', 'clients'], ...titles] },
    { title: 'Requests a second', table: figureTable(results, ({ perSecond }) => rate(perSecond)) },
    { title: 'The slowest hundredth (p99), in milliseconds', table: figureTable(results, ({ p99Ms }) => ms(p99Ms), 5) },
    ...(growth.length > 0
      ? [{ title: 'Growth: processor microseconds of one request, ours', table: growthTable(results) }]
      : []),
  ]
}

function targetTable(judged: ReturnType<typeof verdicts>): Table {
  return [
    ['what', 'target', 'measured', 'reached'],
    ...judged.map(({ what, target, measured, isReached }) => [what, target, measured, isReached ? 'yes' : 'NO']),
  ]
}

/** A row for each contestant with so many workloads, and a column for each workload. */
function figureTable({ works, figures }: Results, shown: (figure: Figure) => string, least = 1): Table {
  const rows = CONTESTANTS.map(({ id, name }) => [
    name,
    ...works.map((work) => {
      const figure = figures.get(figureName(work.name, id))
      return figure ? shown(figure) : ''
    }),
  ])
  return [
    ['contestant', ...works.map(({ name }) => name)],
    ...rows.filter(([, ...cells]) => cells.filter(Boolean).length >= least),
  ]
}

function growthTable({ growth }: Results): Table {
  const names = growth[0]?.costs.map(({ name }) => name) ?? []
  return [
    ['rows', ...names],
    ...growth.map(({ rows, costs }) => [
      rows.toLocaleString('en'),
      ...costs.map(({ microseconds }) => microseconds.toFixed(0)),
    ]),
  ]
}

const rate = (value: number) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
const ms = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(0))

function markdown([head = [], ...rows]: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|---${'|---:'.repeat(head.length - 1)}|`, ...rows.map(line)].join('\n')
}

function aligned(table: Table): string {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return table.map((row) => `  ${row.map(cell).join('  ')}`).join('\n')
}

/** The environment of the run, to compare the figures of two runs. */
function conditions({ date, rounds, seconds }: Options): string[] {
  const sizes = Object.entries(COMPANY).map(([noun, size]) => `${size.toLocaleString('en')} ${noun}`)
  return [
    `${date}; medians of ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${seconds} s, contestants in turns; ${pinning.words}.`,
    `${cpus().length} x ${cpus()[0]?.model.trim() || arch()}, ${(totalmem() / 1e9).toFixed(0)} GB, ${platform()} ${release()} ${arch()}, store on ${fileSystem()}.`,
    `Node ${process.versions.node}, ${VERSIONS.map((name) => `${name} ${versionOf(name)}`).join(', ')}.`,
    `${sizes.join(', ')}.`,
    hasResponseCache
      ? 'Uncached: the response cache is off (`--response-cache-megabytes 0`).'
      : 'This version has no response cache: every response is uncached.',
  ]
}

const VERSIONS = ['better-sqlite3', 'graphql', 'fastify', 'mercurius', '@apollo/server', 'graphql-yoga', '@pothos/core']

const FAIRNESS = [
  'Each contestant runs on the same tables with the same key check (SHA-256 and a look-up for each request) and the same durability (WAL, `synchronous=FULL`); adding a person writes the row, a history row and a new revision for all of them.',
  'Before the measurement, every response is compared with ours, in all that a contestant shows; a field that it lacks is reported. After it, the people in the store are compared with the acknowledged writes.',
  'Ours runs with `--rate-limit 0 --log-level silent`, as the others neither count nor log; one line of W1 shows it with both, the log going to /dev/null. Ours always sends ETag, Link and Request-Id and enforces limits and metrics, which the others lack.',
  'In W2 REST shows the owner as id and name of the source; GraphQL looks the person up. In W3 there are 4 clients, and each reads the whole response.',
  'W6 to W9 are GraphQL only, and their limit is a Buffer in memory as the response to the same POST. mercurius takes part with and without its loaders, and ours is compared with the faster of the two. Growth is measured with one client, uncached; deep pages begin after 90% of the list.',
]

function versionOf(name: string): string {
  // Packages hide their package.json behind `exports`, so read it as a file.
  const roots = createRequire(import.meta.url).resolve.paths(name) ?? []
  for (const root of roots) {
    try {
      return JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')).version
    } catch {}
  }
  return 'unknown'
}

const HELD_BACK =
  "What holds back the targets that are not reached: nearly all of a large cached response (W3) is the kernel's copy of " +
  'its body; a POST (W4) also looks for duplicates, reads its selection and the versions for the key, which hand-written ' +
  'code does not; of the reads beside writes (W5) a quarter are pages of the roster, which every new person invalidates.'

function fileSystem(): string {
  try {
    return execFileSync('stat', ['-f', '-c', '%T', tmpdir()], { encoding: 'utf8' }).trim()
  } catch {
    return 'an unknown file system'
  }
}
