import { readFileSync } from 'node:fs'

interface Manifest {
  readonly version: string
  readonly description: string
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest

export const VERSION = manifest.version
export const DESCRIPTION = manifest.description

/** What npm leaves out where it does not fit, by name. */
export const OPTIONAL_DEPENDENCIES = manifest.optionalDependencies
