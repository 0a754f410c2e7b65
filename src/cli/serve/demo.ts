import { readFileSync } from 'node:fs'
import { PACKAGE, VERSION } from '../../about.js'
import { mintKey } from '../../auth/keys.js'
import { derivedColumns, SHEETS } from '../../ingest/columns.js'
import { readSheet } from '../../ingest/files/sheet.js'
import { importRecords } from '../../ingest/importers.js'
import { personnel } from '../../personnel/people.js'
import { countOf } from '../../store/query/page.js'
import type { Store, Write } from '../../store/store.js'
import { WORDING } from '../import/file.js'

const DAY_MS = 86_400_000

/** Fills the demo's store on first use, and creates a key that is valid for one day. */
export async function prepareDemo(store: Store, clock: () => Date): Promise<string> {
  const { secret } = await store.write({ by: 'cli', at: clock }, async (write) => {
    if ((await countOf(write, personnel, {})) === 0) await fillDemo(write)
    const expiresAt = new Date(clock().getTime() + DAY_MS)
    return mintKey(write, { name: 'demo', scopes: ['personnel.manage', 'projects.manage'], expiresAt })
  })
  return secret
}

const COMPANY = new URL('src/demo/', PACKAGE)

/** Imports the demo data from its sheets. */
export async function fillDemo(write: Write): Promise<void> {
  for (const noun of ['groups', 'people', 'projects', 'risks', 'issues'] as const) {
    const { records } = readSheet(readFileSync(new URL(`${noun}.csv`, COMPANY)), {
      name: `${noun}.csv`,
      format: 'csv',
      fields: Object.keys(SHEETS[noun].fields),
      derived: derivedColumns(SHEETS[noun]),
      ignoreUnknown: false,
    })
    const { flaws } = await importRecords(write, noun, records, {
      matchPeople: true,
      wording: { ...WORDING, place: String },
    })
    if (flaws.length > 0) throw new Error(`The demo's ${noun} cannot be used: ${JSON.stringify(flaws)}`)
  }
}

/** The next steps for a new user: links, a key, a line to paste, and how to start with real data. */
export function demoBanner(base: string, key: string, hasGraphiql: boolean): string {
  const graphiql = hasGraphiql ? `  GraphiQL  ${base}/graphql\n` : ''
  return `
Operations Gateway ${VERSION}: demo data, for you to try things out.

${graphiql}  REST      ${base}/v1
  OpenAPI   ${base}/v1/openapi.json
  API key   ${key}  (every scope, valid for one day)

Try it:
  curl -H "Authorization: Bearer ${key}" "${base}/v1/risks?limit=3"

With your own data (Ctrl-C first):
  npx operations keys create --name me --scope personnel.manage --scope projects.read --expires 90d
  npx operations serve
`
}
