// Builds dist/, unless it is byte for byte what the last build made of the same sources and packages: most npm scripts
// begin with a build, and compiling takes seconds.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commit } from './commit.mjs'

const RECORD = 'node_modules/.cache/operations/build'
const SOURCES = ['src', 'package.json', 'tsconfig.json', '.ci/build.mjs', '.ci/bundle.mjs']
const COMMIT = 'dist/commit.json'
/** npm writes it with every installation. */
const PACKAGES = 'node_modules/.package-lock.json'

const sources = digestOf([...SOURCES, PACKAGES])
if (!isBuilt()) {
  rmSync(RECORD, { force: true })
  for (const project of ['src', 'src/web']) {
    const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], { stdio: 'inherit' })
    if (tsc.status !== 0) process.exit(1)
  }
  await import('./bundle.mjs')
  mkdirSync(dirname(RECORD), { recursive: true })
  writeFileSync(RECORD, `${sources} ${digestOf(['dist'])}`)
}

// Not part of the digests: a commit of something else changes nothing in the build.
writeFileSync(COMMIT, JSON.stringify(commit()))

function isBuilt() {
  if (!existsSync(RECORD) || !existsSync('dist')) return false
  return readFileSync(RECORD, 'utf8') === `${sources} ${digestOf(['dist'])}`
}

/** A digest of the names and contents of files and of all files in folders. */
function digestOf(paths) {
  const hash = createHash('sha256')
  const add = (path) => {
    if (path === COMMIT) return
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name))
    else hash.update(`${path}\0${createHash('sha256').update(readFileSync(path)).digest('hex')}\0`)
  }
  for (const path of paths) add(path)
  return hash.digest('hex')
}
