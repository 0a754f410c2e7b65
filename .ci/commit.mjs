// The commit that is built: of a checkout, with or without git, or of an archive of the sources. Never an error.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Filled in by `git archive`, and so in the tarballs of GitHub (.gitattributes). */
const ARCHIVED = '$Format:%H$'
const HASH = /^[0-9a-f]{7,64}$/

/** Its first 12 digits, or `unknown`. SOURCE_COMMIT is for an image that is built without `.git`. */
export function commit() {
  for (const text of [process.env.SOURCE_COMMIT, ARCHIVED, fromGit(), fromFiles()]) {
    if (text !== undefined && HASH.test(text)) return text.slice(0, 12)
  }
  return 'unknown'
}

/** Only in the root of a checkout: the sources may have been unpacked inside a repository of something else. */
function fromGit() {
  if (!existsSync('.git')) return undefined
  return spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout?.trim()
}

/** The builder of the image has no git. */
function fromFiles() {
  const head = read('.git/HEAD')
  const [, ref] = /^ref: (.+)/.exec(head) ?? []
  if (ref === undefined) return head
  const packed = read('.git/packed-refs').split('\n')
  return read(`.git/${ref}`) || packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0]
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
}
