import { readFileSync } from 'node:fs'

interface Manifest {
  readonly version: string
  readonly description: string
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest

export const VERSION = manifest.version
export const DESCRIPTION = manifest.description
