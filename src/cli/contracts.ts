import { openapi } from '../http/openapi/document.js'
import { LIMIT_GROUPS } from '../limits.js'
import { apiSdl, sdl } from '../schema.js'

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
are in [feeding.md](feeding.md#workbooks).

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
