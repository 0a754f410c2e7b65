import { openapi } from '../http/openapi.js'
import { LIMIT_MEANINGS } from '../limits.js'
import { apiSdl, schema, sdl } from '../schema.js'

/** The contracts as they are printed and committed, by the names of their files. */
export const CONTRACTS = {
  'schema.graphql': sdl,
  'api.graphql': apiSdl,
  'openapi.json': () => `${JSON.stringify(openapi(schema), null, 2)}\n`,
} as const

/** docs/limits.md, as it is printed and committed. */
export function limitsPage(): string {
  const rows = LIMIT_MEANINGS.map(
    ({ name, value, meaning }) => `| \`${name}\` | ${value.toLocaleString('en')} | ${meaning} |`,
  )
  return `# Limits

Every limit there is, from \`src/limits.ts\`; \`operations serve --help\` and \`x-limits\` in the OpenAPI document show the
same. The unit is in the name. A query that is refused is told which limit, its value, and its own figure.

| limit | value | meaning |
|---|---|---|
${rows.join('\n')}
`
}
