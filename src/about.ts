import { readFileSync } from 'node:fs'
// Not `createRequire` by its name: webpack evaluates it.
import Module from 'node:module'
import { pathToFileURL } from 'node:url'

interface Manifest {
  readonly version: string
  readonly description: string
  readonly peerDependencies: { readonly graphql: string }
}

const file = manifestFile()
const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest

/** What paths inside the package are resolved against. */
export const PACKAGE: URL = pathToFileURL(file)

/** Loads a package that this one depends on, wherever this module is. */
export const requireFromPackage: NodeJS.Require = Module.createRequire(file)

const built = new URL('dist/commit.json', PACKAGE)

export const VERSION = manifest.version
/** The commit that the program was built from. */
export const COMMIT = builtCommit()
/**
 * How documents, hints and banners call this program: by a name on the PATH. Where it is missing the shell refuses it,
 * whereas `npx` would fetch a package of that name from the public registry.
 */
export const COMMAND = 'operations'
export const DESCRIPTION = manifest.description
/** The versions of graphql that a host may have. */
export const GRAPHQL_RANGE = manifest.peerDependencies.graphql

/** Found by the package's own name: this module may be in `dist/`, in our bundle below it, or in the bundle of a host. */
function manifestFile(): string {
  try {
    return Module.createRequire(import.meta.url).resolve('operations-gateway/package.json')
  } catch (cause) {
    const advice = 'Install it in a node_modules beside the bundle, which must be an ES module.'
    throw new Error(`operations-gateway is not found from ${import.meta.url ?? 'a CommonJS bundle'}. ${advice}`, {
      cause,
    })
  }
}

function builtCommit(): string {
  try {
    return JSON.parse(readFileSync(built, 'utf8'))
  } catch {
    // Not built, or not completely: nothing else depends on it.
    return 'unknown'
  }
}

/** Whether a version such as `0.2.0` is older than another. */
export function isOlder(version: string, other: string): boolean {
  const [one, two] = [version, other].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)))
  // A version that cannot be read is none that this program knows.
  if (two?.some(Number.isNaN)) return true
  const at = [0, 1, 2].find((place) => one?.[place] !== two?.[place])
  return at !== undefined && (one?.[at] ?? 0) < (two?.[at] ?? 0)
}
