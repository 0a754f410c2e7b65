import { openapi } from '../http/openapi.js'
import { schema, sdl } from '../schema.js'

/** The contracts as they are printed and committed, by the names of their files. */
export const CONTRACTS = {
  'schema.graphql': sdl,
  'openapi.json': () => `${JSON.stringify(openapi(schema), null, 2)}\n`,
} as const
