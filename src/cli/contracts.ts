import { openapi } from '../http/openapi/document.js'
import { LIMIT_MEANINGS } from '../limits.js'
import { apiSdl, schema, sdl } from '../schema.js'

/** The printed and committed contracts, by file name. */
export const CONTRACTS = {
  'schema.graphql': sdl,
  'api.graphql': apiSdl,
  'openapi.json': () => `${JSON.stringify(openapi(schema), null, 2)}\n`,
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
`
}
