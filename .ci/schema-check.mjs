// Lists breaking changes of the printed contracts in the working folder, compared with the last release or a git revision.
// Exit code 0: none; 1: some; 2: nothing to compare.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'

/** @typedef {import('./openapi-changes.mjs').Note} Note */

const USAGE = 'Usage: npm run schema:check -- [REVISION] [--json]'
const CONTRACTS = {
  'schema/schema.graphql': './graphql-changes.mjs',
  'schema/api.graphql': './graphql-changes.mjs',
  'schema/openapi.json': './openapi-changes.mjs',
}

class WrongUsage extends Error {}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' })

/** The result of `read`; throws WrongUsage with this sentence if it fails. */
function orSay(sentence, read) {
  try {
    return read()
  } catch (cause) {
    throw new WrongUsage(sentence, { cause })
  }
}

/** @returns {{ revision: string | undefined, json: boolean }} */
function asked() {
  const { values, positionals } = orSay(USAGE, () =>
    parseArgs({ options: { json: { type: 'boolean', default: false } }, allowPositionals: true }),
  )
  if (positionals.length > 1) throw new WrongUsage(USAGE)
  return { revision: positionals[0], json: values.json }
}

/** @returns {string | undefined} */
function commitOf(revision) {
  try {
    return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`).trim()
  } catch {
    return undefined
  }
}

/** Added later than the other contracts: a revision without it has nothing to break. */
const isNewer = (file, commit) => file === 'schema/api.graphql' && !git('ls-tree', commit, `./${file}`)

/** The contracts of a git revision. */
function ofRevision(revision) {
  const commit = commitOf(revision)
  if (!commit) throw new WrongUsage(`There is no git revision ${revision} here.`)
  const read = (file) => (isNewer(file, commit) ? undefined : git('show', `${commit}:./${file}`))
  return { name: revision, read }
}

const RELEASES = 'test/releases'

/** The contracts of the last release. */
function ofRelease() {
  const names = existsSync(RELEASES) ? readdirSync(RELEASES).filter((name) => /^\d/.test(name)) : []
  const [name] = names.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
  if (!name) throw new WrongUsage(`There is no release here. ${USAGE}`)
  return { name, read: (file) => readFileSync(`${RELEASES}/${name}/${basename(file)}`, 'utf8') }
}

/** @param {Note} note */
async function compare(file, { name: revision, read: readOf }, note) {
  const was = orSay(`The revision ${revision} has no ${file}.`, () => readOf(file))
  if (was === undefined) return
  const is = orSay(`There is no ${file} in this folder.`, () => readFileSync(file, 'utf8'))
  if (was === is) return
  // Imported lazily: loading the inspector takes longer than the rest of the check.
  const { read, compareContracts } = await import(CONTRACTS[file])
  const before = orSay(`${file} of ${revision} cannot be read.`, () => read(was))
  const after = orSay(`${file} in this folder cannot be read.`, () => read(is))
  await compareContracts(before, after, note)
}

function say(revision, { breaking, dangerous, compatible }) {
  for (const [word, changes] of Object.entries({ BREAKING: breaking, DANGEROUS: dangerous }))
    for (const { contract, path, change } of changes) console.log(`${word.padEnd(9)}  ${contract}  ${path}: ${change}`)
  const counts = `${breaking.length} breaking, ${dangerous.length} dangerous, ${compatible} compatible`
  console.log(`Changes of the contracts since ${revision}: ${counts}.`)
}

async function check() {
  const { revision, json } = asked()
  const before = revision === undefined ? ofRelease() : ofRevision(revision)
  const found = { breaking: [], dangerous: [], compatible: 0 }
  // Report a change once: the two printed schemas overlap.
  const noted = new Set()
  for (const file of Object.keys(CONTRACTS))
    await compare(file, before, (level, path, change) => {
      const what = JSON.stringify([CONTRACTS[file], path, change])
      if (noted.has(what)) return
      noted.add(what)
      if (level === 'compatible') found.compatible += 1
      else found[level].push({ contract: basename(file), change, path })
    })
  if (json) console.log(JSON.stringify(found))
  else say(before.name, found)
  return found.breaking.length ? 1 : 0
}

try {
  process.exitCode = await check()
} catch (error) {
  if (!(error instanceof WrongUsage)) throw error
  console.error(error.message)
  process.exitCode = 2
}
