import { Command } from 'commander'
import { type ApiKey, expireKey, keyById, keys, type MintedKey, mintKey, revokeKey } from '../auth/keys.js'
import { grants, isScope, SCOPE_NAMES, SCOPES, type Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { projectKey } from '../fields.js'
import { shownAddress } from '../store/address.js'
import type { Write } from '../store/store.js'
import { checkText, escapedLine } from '../text.js'
import { commandWith, databaseOf, type JsonFlags, print, say, WrongUsage, withStore } from './command.js'
import { readDuration, readEnd } from './durations.js'

const EXAMPLES = `  operations keys create --name spreadsheet --scope projects.read --expires 90d
  operations keys create --name tracker --scope projects.manage --scope personnel.read --project APOLLO --expires 90d

A tracker's key needs personnel.read to match owners and assignees with the roster; without it they stay names.`

interface CreateFlags extends JsonFlags {
  readonly name: string
  readonly scope: string[]
  readonly project?: string[]
  readonly expires?: string
}

const DEFAULT_GRACE = '24h'
const PROJECT_KEY = projectKey('', '')

export function keysCommand(clock: () => Date): Command {
  return new Command('keys')
    .description('create, list, revoke and rotate API keys')
    .addCommand(createCommand(clock))
    .addCommand(listCommand(clock))
    .addCommand(revokeCommand(clock))
    .addCommand(rotateCommand(clock))
}

function createCommand(clock: () => Date): Command {
  return commandWith('create', 'create a key; it is shown once', ['database'])
    .requiredOption('--name <name>', 'what the key is for')
    .requiredOption('--scope <scope>', `what it may do: ${SCOPE_NAMES.join(', ')}; may be given several times`, gather)
    .option(
      '--project <key>',
      'with projects.manage: limit changes to this project; may be given several times',
      gather,
    )
    .option('--expires <when>', 'when it expires: after 90d, 24h or 30m, or at the end of the day 2027-01-31 (UTC)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nScopes:\n${scopeHelp()}\n\nExamples:\n${EXAMPLES}`)
    .action(async (flags: CreateFlags) => {
      const draft = {
        name: readName(flags.name),
        scopes: flags.scope.map(readScope),
        projects: readProjects(flags.project, flags.scope),
        expiresAt: flags.expires === undefined ? undefined : readEnd('--expires', flags.expires, clock()),
      }
      await showMinted(await written(flags, clock, (write) => mintKey(write, draft), true), flags)
    })
}

function listCommand(clock: () => Date): Command {
  return commandWith('list', 'list the keys, without their secrets', ['database'])
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  operations keys list --json')
    .action(async (flags: JsonFlags) => {
      const all = await withStore(flags, { create: false }, (store) => keys(store.read))
      if (flags.json) return print(JSON.stringify(all, null, 2))
      if (all.length === 0) return say('There are no keys yet. Create one with `operations keys create`.')
      const lines = all.map((key) => {
        const used = key.lastUsedAt ? `last used ${key.lastUsedAt}` : 'never used'
        return `${key.id}  ${key.prefix}...  ${escapedLine(key.name)}  [${mayDo(key)}]  ${statusOf(key, clock())}, ${used}`
      })
      return print(lines.join('\n'))
    })
}

function revokeCommand(clock: () => Date): Command {
  return commandWith('revoke', 'revoke a key at once, also in running servers', ['database'])
    .argument('<id>', 'the id of the key, from `operations keys list`')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  operations keys revoke key_01k9zq3v5rf8ta4mbw2xnc7dhe')
    .action(async (id: string, flags: JsonFlags) => {
      const key = await written(flags, clock, async (write) => {
        await existing(write, id)
        await revokeKey(write, id)
        return existing(write, id)
      })
      if (flags.json) return print(JSON.stringify({ id, revokedAt: key.revokedAt }))
      say(`The key ${escapedLine(key.name)} (${id}) was revoked at ${key.revokedAt}.`)
    })
}

function rotateCommand(clock: () => Date): Command {
  return commandWith('rotate', 'create a key that replaces another', ['database'])
    .argument('<id>', 'the id of the key to replace, from `operations keys list`')
    .option('--grace <time>', 'how long the old key keeps working; 0m revokes it at once', DEFAULT_GRACE)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  operations keys rotate key_01k9zq3v5rf8ta4mbw2xnc7dhe --grace 24h')
    .action(async (id: string, flags: JsonFlags & { grace: string }) => {
      const now = clock()
      const oldEndsAt = new Date(now.getTime() + readDuration('--grace', flags.grace))
      const key = await written(flags, clock, async (write) => {
        const old = await existing(write, id)
        const status = statusOf(old, now)
        if (status !== 'active' && !status.startsWith('expires'))
          throw new Fault('CONFLICT', `The key ${id} is no longer valid (${status}). Create a new one instead.`)
        if (oldEndsAt > now) await expireKey(write, id, oldEndsAt)
        else await revokeKey(write, id)
        return mintKey(write, { ...old, expiresAt: sameLife(old, now) })
      })
      say(`The old key ${id} works until ${oldEndsAt.toISOString()} at the latest.`)
      await showMinted(key, flags)
    })
}

async function showMinted(key: MintedKey, { json, database }: JsonFlags): Promise<void> {
  const { id, name, secret, scopes, projects, expiresAt } = key
  if (expiresAt === null) say('Warning: this key never expires. Create one that does with `keys create --expires 90d`.')
  if (json) return print(JSON.stringify({ id, name, key: secret, scopes, projects, expiresAt }))
  say(
    `The key ${escapedLine(name)} (${id}) was created in ${shownAddress(databaseOf({ database }))} with ${mayDo(key)}.`,
  )
  if (expiresAt !== null) say(`It expires at ${expiresAt}.`)
  const held = new Set(scopes)
  if (grants(held, 'projects.manage') && !grants(held, 'personnel.read'))
    say(
      'Without personnel.read, a sync with this key does not match owners and assignees with the roster; they stay names.',
    )
  say('Store it safely: it is shown only once.')
  return print(secret)
}

/** A rotated key gets the same lifetime as the one before. */
function sameLife(old: ApiKey, now: Date): Date | undefined {
  if (old.expiresAt === null) return undefined
  return new Date(now.getTime() + (Date.parse(old.expiresAt) - Date.parse(old.createdAt)))
}

function statusOf({ revokedAt, expiresAt }: ApiKey, now: Date): string {
  if (revokedAt) return `revoked ${revokedAt}`
  if (expiresAt === null) return 'active'
  return Date.parse(expiresAt) <= now.getTime() ? `expired ${expiresAt}` : `expires ${expiresAt}`
}

function written<T>(flags: JsonFlags, clock: () => Date, work: (write: Write) => Promise<T>, create = false) {
  return withStore(flags, { create }, (store) => store.write({ by: 'cli', at: clock }, work))
}

async function existing(write: Write, id: string): Promise<ApiKey> {
  const key = await keyById(write, id)
  if (!key) throw new Fault('NOT_FOUND', `There is no key with the id ${id}. See \`operations keys list\`.`)
  return key
}

function readName(raw: string): string {
  const checked = checkText(raw, 'name')
  if ('violation' in checked) throw new WrongUsage(`--name cannot be used: ${checked.violation}`)
  return checked.text
}

function readScope(text: string): Scope {
  if (isScope(text)) return text
  throw new WrongUsage(`There is no scope ${JSON.stringify(text)}. The scopes are ${SCOPE_NAMES.join(', ')}.`)
}

function readProjects(keys: readonly string[] | undefined, scopes: readonly string[]): string[] | null {
  if (keys === undefined) return null
  if (!scopes.includes('projects.manage')) throw new WrongUsage('--project goes with --scope projects.manage.')
  return keys.map((text) => {
    const reading = PROJECT_KEY.read(text)
    if ('violation' in reading) throw new WrongUsage(`--project is ${JSON.stringify(text)}. ${reading.violation}`)
    return reading.value
  })
}

function mayDo({ scopes, projects }: ApiKey): string {
  return `${scopes.join(', ')}${projects ? `; changes only ${projects.join(', ')}` : ''}`
}

function gather(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function scopeHelp(): string {
  return Object.entries(SCOPES)
    .map(([scope, meaning]) => `  ${scope.padEnd(18)}${meaning}`)
    .join('\n')
}
