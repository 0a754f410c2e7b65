import { inputMeaning } from '../fields.js'
import { openapi } from '../http/openapi/document.js'
import { SHIPPED_MAPS } from '../ingest/shippedMaps.js'
import { LIMIT_GROUPS } from '../limits.js'
import { derivedColumns, SHEETS } from '../nouns.js'
import { apiSdl, sdl } from '../schema.js'
import { NOUN_PLURALS, type NounPlural } from '../vocabulary.js'
import { templateOf } from './import/run.js'

/** The printed and committed contracts, by file name. */
export const CONTRACTS = {
  'schema.graphql': sdl,
  'api.graphql': apiSdl,
  'openapi.json': () => `${JSON.stringify(openapi(), null, 2)}\n`,
} as const

/** docs/limits.md, as printed and committed. */
export function limitsPage(): string {
  const groups = Object.entries(LIMIT_GROUPS).map(([heading, group]) => {
    const rows = Object.entries(group).map(
      ([name, [value, meaning]]) => `| \`${name}\` | ${value.toLocaleString('en')} | ${meaning} |`,
    )
    return [`## ${heading}`, '', '| limit | value | meaning |', '|---|---|---|', ...rows].join('\n')
  })
  return `# Limits

The limits that a caller can meet or an operator can set, from \`src/limits.ts\`; \`operations serve --help-limits\` and
\`x-limits\` in the OpenAPI document list the same. The unit is in the name. An error names the limit, its value and the
value of the refused query.

The bound of a single field, argument or parameter is in the schema and in the OpenAPI document, those of imported files
are in [import.md](import.md#workbooks).

${groups.join('\n\n')}

## What takes turns

Keys share read workers, connections of the store, the processing of large bodies and the write queue in turns. A key alone
may use all of them. While another key waits, it has at most half: one of two read workers, 50 of the 100
writes of a batch, \`storeConnectionsMax\` / 2 connections; and \`queueShareMax\` places in the queue, beyond which it
gets 503 with \`Retry-After\`. A heavy read that runs in a second worker is stopped for another key and run again.

## What runs in one piece

Work that grows with a request is done in slices, between which others are served, with these exceptions:

| work | how long others wait |
|---|---|
| decoding and \`JSON.parse\` of a body of \`syncBodyBytesMax\`, one such body at a time | 0.1 to 0.2 s |
| the variables of a sync at \`/graphql\`, which graphql-js coerces at once | up to 0.5 s with 16 MB |
`
}

/** docs/columns.md, as printed and committed. */
export function columnsPage(): string {
  const maps = SHIPPED_MAPS.map(({ name, noun, reads }) => row(`\`${name}\``, noun, reads.replaceAll('|', '\\|')))
  return `# Columns

The exact names, which exports have and \`--strict\` asks for. \`operations import NOUN --template\` prints an empty sheet
with an example in a comment; remove the \`# \` to use it. Only the required columns must be present, and only for new
records. The others are optional, in any order. \`id\`, and the columns without an example, are written by exports;
\`scoreGiven\` is also for registers that give a score alone.

What a source has besides these columns goes into \`details\`: a column such as \`details.Cost\` for each, or in JSON a list
\`[{"name": "Cost", "text": "12,000 EUR"}]\`. An entity has at most 50, each with a name of at most 100 and a text of at most
2,000 characters, in the order of the source. All texts and details of one row have at most 64 KB together. A blank cell
removes that detail, and details without a column stay; a list in JSON is the complete one. Details are shown and exported,
not searched, ranked or filtered by.

${NOUN_PLURALS.map(sectionOfSheet).join('\n\n')}

## Maps that come with the command

${table(['map', 'noun', 'reads'], maps)}
`
}

/** What the tables do not say. */
const REMARKS: Readonly<Partial<Record<NounPlural, string>>> = {
  people: 'A person needs an e-mail or an `externalId`.',
  groups:
    'A directory often exports one row for each membership. With the column `member` instead of `members`, all rows of a\n' +
    'group, wherever they are in the file, are its complete list of members; a blank `member` is a group without members.',
}

function sectionOfSheet(noun: NounPlural): string {
  const plan = SHEETS[noun]
  const rows = Object.entries(plan.inputs).map(([name, field]) => {
    const { form, isRequired, example } = field
    return row(`\`${name}\``, inputMeaning(field), form, isRequired ? 'yes' : 'no', example && `\`${example}\``)
  })
  const computed = derivedColumns(plan).map((column) => `\`${column}\``)
  const template = templateOf(noun).replaceAll('\r\n', '\n')
  return [
    `## ${noun}`,
    ...(REMARKS[noun] === undefined ? [] : [REMARKS[noun]]),
    table(['column', 'meaning', 'value', 'required', 'example'], rows),
    `\`\`\`csv\n${template}\n\`\`\``,
    `An export has these besides, which are computed, so that an import ignores them: ${computed.join(' ')}.`,
  ].join('\n\n')
}

function table(names: readonly string[], rows: readonly string[]): string {
  return [row(...names), `|${'---|'.repeat(names.length)}`, ...rows].join('\n')
}

function row(...cells: string[]): string {
  return `| ${cells.join(' | ')} |`.replace('|  |', '| |')
}
