import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

interface Manifest {
  readonly version: string
  readonly description: string
  readonly peerDependencies: { readonly graphql: string }
}

// Found by the package's own name: the build puts this module into `dist/`, and into a chunk of the bundle below it.
const file = createRequire(import.meta.url).resolve('operations-gateway/package.json')
const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest

/** What paths inside the package are resolved against. */
export const PACKAGE: URL = pathToFileURL(file)

export const VERSION = manifest.version
export const DESCRIPTION = manifest.description
/** The versions of graphql that a host may have. */
export const GRAPHQL_RANGE = manifest.peerDependencies.graphql
