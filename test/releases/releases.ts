import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** The lists whose entries are kept with a release. */
export const LISTS = ['personnel', 'groups', 'projects', 'risks', 'issues', 'changes?limit=1000'].map(
  (name) => `/v1/${name}`,
)

const HERE = new URL('./', import.meta.url)

/** The releases that are kept. */
export const RELEASES = readdirSync(HERE).filter((name) => existsSync(new URL(`${name}/lists.json.gz`, HERE)))

/** A compressed file of a release. */
export function releasedFile(release: string, name: string): Buffer {
  return gunzipSync(readFileSync(new URL(`${release}/${name}.gz`, HERE)))
}
