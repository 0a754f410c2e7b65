import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

interface Manifest {
  readonly version: string
  readonly description: string
  readonly peerDependencies: { readonly graphql: string }
}

// Found by the package's own name: the build puts this module into `dist/` and into a chunk of the bundle.
const resolver = createRequire(import.meta.url)
const MANIFEST = 'operations-gateway/package.json'
const manifest = resolver(MANIFEST) as Manifest

/** A URL inside the package's folder, to resolve what lies beside it. */
export const PACKAGE: URL = pathToFileURL(resolver.resolve(MANIFEST))

export const VERSION = manifest.version
export const DESCRIPTION = manifest.description
/** The versions of graphql that a host may have. */
export const GRAPHQL_RANGE = manifest.peerDependencies.graphql
