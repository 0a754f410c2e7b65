import { openapi } from '../http/openapi/document.js'
import { LIMIT_MEANINGS } from '../limits.js'
import { apiSdl, sdl } from '../schema.js'

/** The printed and committed contracts, by file name. */
export const CONTRACTS = {
  'schema.graphql': sdl,
  'api.graphql': apiSdl,
  'openapi.json': () => `${JSON.stringify(openapi(), null, 2)}\n`,
} as const

/** docs/limits.md, as printed and committed. */
export function limitsPage(): string {
  const rows = LIMIT_MEANINGS.map(
    ({ name, value, meaning }) => `| \`${name}\` | ${value.toLocaleString('en')} | ${meaning} |`,
  )
  return `# Limits

Every limit, from \`src/limits.ts\`; \`operations serve --help\` and \`x-limits\` in the OpenAPI document show the same.
The unit is in the name. An error names the limit, its value and the value of the refused query.

| limit | value | meaning |
|---|---|---|
${rows.join('\n')}

## What takes turns

Keys share read workers, connections of the store, the processing of large bodies and the write queue in turns. A key alone
may use all of them. While another key waits, it has at most half: one of two read workers, \`writesTogetherMax\` / 2
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
