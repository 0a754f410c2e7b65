import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { COMMAND, PACKAGE, VERSION } from '../../about.js'
import { mintKey } from '../../auth/keys.js'
import { readSheet } from '../../ingest/files/sheet.js'
import type { SheetRecord } from '../../ingest/files/table.js'
import { importRecords } from '../../ingest/importers.js'
import { derivedColumns, SHEETS } from '../../nouns.js'
import type { Store, Write } from '../../store/store.js'
import { WORDING } from '../import/run.js'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS

/** Fills an empty store, and creates a key that is valid for one day. */
export async function prepareDemo(store: Store, clock: () => Date): Promise<string> {
  const { secret } = await store.write({ by: 'cli', at: clock }, async (write) => {
    // What is there may be the user's work, or the data of an older version: neither is overwritten.
    if ((await write.db.$count(write.t.risk)) === 0) await fillPast(write)
    const expiresAt = new Date(clock().getTime() + DAY_MS)
    return mintKey(write, { name: 'demo', scopes: ['personnel.manage', 'projects.manage'], expiresAt })
  })
  return secret
}

/** The demo data is imported as it was so many weeks ago: without a past there would be no movement to show. */
const WEEKS = [8, 6, 5, 4, 3, 2, 1, 0]

async function fillPast(write: Write): Promise<void> {
  for (const weeks of WEEKS) {
    const at = new Date(Date.parse(write.at) - weeks * WEEK_MS).toISOString()
    await fillDemo(Object.assign(Object.create(write), { at }), weeks)
  }
}

const COMPANY = new URL('src/demo/', PACKAGE)

/** The day as of which the sheets are written. */
const WRITTEN_ON = Date.parse('2026-11-18')

type Noun = (typeof DEMO_ORDER)[number]
const DEMO_ORDER = ['groups', 'people', 'projects', 'risks', 'issues'] as const

/** The records of a sheet, with its days moved by whole weeks to be around this instant, however old the sheet is. */
function recordsAround(now: number, noun: Noun): readonly SheetRecord[] {
  const moved = Math.floor((now - WRITTEN_ON) / WEEK_MS) * WEEK_MS
  const day = (text: unknown) => new Date(Date.parse(String(text)) + moved).toISOString().slice(0, 10)
  const values = (record: SheetRecord) =>
    Object.entries(record.values).map(([name, value]) => [name, value && name.endsWith('On') ? day(value) : value])
  return recordsOf(noun).map((record) => ({ ...record, values: Object.fromEntries(values(record)) }))
}

function recordsOf(noun: Noun): readonly SheetRecord[] {
  return readSheet(readFileSync(new URL(`${noun}.csv`, COMPANY)), {
    name: `${noun}.csv`,
    format: 'csv',
    fields: Object.keys(SHEETS[noun].inputs),
    derived: derivedColumns(SHEETS[noun]),
    ignoreUnknown: false,
  }).records
}

/** Imports the demo data from its sheets, as they were some weeks ago. */
export async function fillDemo(write: Write, weeks = 0): Promise<void> {
  const now = Date.parse(write.at) + weeks * WEEK_MS
  const risks = recordsAround(now, 'risks').filter((risk) => weeks <= youthOf(risk))
  const present = new Set(risks.map(({ values: { project, reference } }) => `${project} ${reference}`))
  const then = {
    groups: recordsOf('groups'),
    people: recordsOf('people'),
    projects: recordsOf('projects'),
    risks: risks.map((risk) => riskThen(risk, weeks)),
    issues: recordsAround(now, 'issues')
      .filter(({ values: { project, risk } }) => !risk || present.has(`${project} ${risk}`))
      .map((issue) => openThen(issue, weeks)),
  }
  for (const noun of DEMO_ORDER) {
    const { violations } = await importRecords(write, noun, then[noun], {
      matchPeople: true,
      wording: { ...WORDING, place: String },
    })
    if (violations.length > 0) throw new Error(`The demo's ${noun} cannot be used: ${JSON.stringify(violations)}`)
  }
}

/** A number below 30 for each record: multiplied by a prime, so that all projects have their share of each week. */
const spread = ({ index }: SheetRecord) => (index * 7) % 30

/** How many weeks ago a risk was entered: one in five is young. */
function youthOf(risk: SheetRecord): number {
  return spread(risk) < 6 ? spread(risk) : Number.POSITIVE_INFINITY
}

/** A risk as it was rated then: one in four has moved since. */
function riskThen(risk: SheetRecord, weeks: number): SheetRecord {
  const record = openThen(risk, weeks)
  const likelihood = Number(record.values['likelihood'])
  const hasMoved = spread(risk) >= 22 && likelihood > 0 && weeks > spread(risk) % 4
  const before = likelihood === 5 || (likelihood > 1 && spread(risk) % 3 > 0) ? likelihood - 1 : likelihood + 1
  return hasMoved ? { ...record, values: { ...record.values, likelihood: String(before) } } : record
}

/** What is closed now was still open then. */
function openThen(record: SheetRecord, weeks: number): SheetRecord {
  const isClosed = /^(RESOLVED|CLOSED)$/.test(String(record.values['status'])) && weeks > spread(record) % 12
  return isClosed ? { ...record, values: { ...record.values, status: 'OPEN' } } : record
}

/** The next steps for a new user: links, a key, a line to paste, and how to start with real data. */
export function demoBanner(base: string, key: string, has: { graphiql: boolean; overview: boolean }): string {
  const overview = has.overview ? `  Overview  ${base}/\n` : ''
  const graphiql = has.graphiql ? `  GraphiQL  ${base}/graphql\n` : ''
  const isInstalled = basename(process.argv[1] ?? '') === COMMAND
  const install = isInstalled ? '' : `  npm link   # once: puts the command \`${COMMAND}\` on your PATH\n`
  return `
Operations Gateway ${VERSION}: demo data, for you to try things out.

${overview}${graphiql}  REST      ${base}/v1
  OpenAPI   ${base}/v1/openapi.json
  API key   ${key}  (every scope, valid for one day)

Try it:
  curl -H "Authorization: Bearer ${key}" "${base}/v1/risks?limit=3"

With your own data (Ctrl-C first):
${install}  ${COMMAND} keys create --name me --scope personnel.manage --scope projects.read --expires 90d
  ${COMMAND} serve
`
}
