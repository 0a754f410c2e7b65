import { readFileSync } from 'node:fs'

interface Manifest {
  readonly version: string
  readonly description: string
  readonly peerDependencies: { readonly graphql: string }
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest

export const VERSION = manifest.version
export const DESCRIPTION = manifest.description
/** The versions of graphql that a host may have. */
export const GRAPHQL_RANGE = manifest.peerDependencies.graphql
