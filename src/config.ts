import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { LIMITS } from './limits.js'

/** One setting: where it can be given, its meaning, and how its text is parsed. */
export interface Setting<T> {
  readonly flag: string
  /** By default named after the flag: OPERATIONS_BASE_PATH. */
  readonly env: string
  readonly help: string
  readonly fallback: T
  readonly read: (text: string) => T | undefined
  /** A valid value, for the error message. */
  readonly form: string
  /** Whether the flag may be given several times; the texts are then joined by commas. */
  readonly isRepeatable?: boolean
}

/** Bytes. */
export const MEGABYTE = 1_000_000

/** Room for two of the largest bodies. */
const IN_FLIGHT_MEGABYTES_MIN = (2 * LIMITS.syncBodyBytesMax) / MEGABYTE

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** What is on unless it is switched off. */
const ON = {
  fallback: true,
  read: (text: string) => (text === 'true' ? true : text === 'false' ? false : undefined),
  form: 'true or false',
}

/** Every setting; flags override the environment, which overrides the default. */
export const SETTINGS = {
  database: setting({
    flag: '--database <url>',
    env: 'DATABASE_URL',
    help: 'the store: file:PATH or postgres://USER:PASSWORD@HOST/DATABASE',
    fallback: 'file:./data/operations.db',
    read: (text) => (/^(file:(?!:memory:)|postgres(ql)?:\/\/)./.test(text) ? text : undefined),
    form: 'an address such as file:./data/operations.db or postgres://operations@localhost/operations',
  }),
  host: setting({
    flag: '--host <address>',
    env: 'HOST',
    help: 'the address to listen on',
    fallback: '127.0.0.1',
    read: (text) => (text.trim() === '' ? undefined : text),
    form: 'an address such as 127.0.0.1 or 0.0.0.0',
  }),
  port: setting({
    flag: '--port <number>',
    env: 'PORT',
    help: 'the port to listen on; 0 for any free port',
    fallback: 4000,
    ...wholeNumber(0, 65_535, 'a whole number from 0 to 65535'),
  }),
  basePath: setting({
    flag: '--base-path <path>',
    help: 'the path below which everything is served',
    fallback: '',
    // URLs resolve a segment of dots as a relative path, so such a base path could never match.
    read: (text) => (/^(\/(?!\.+(\/|$))[\w.~-]+)*\/?$/.test(text) ? text.replace(/\/$/, '') : undefined),
    form: 'a path such as /ops',
  }),
  graphiql: setting({
    flag: '--no-graphiql',
    help: 'do not serve the GraphiQL page',
    ...ON,
  }),
  overview: setting({
    flag: '--no-overview',
    help: 'do not serve the overview page at /',
    ...ON,
  }),
  frameAncestors: setting({
    flag: '--frame-ancestors <origins>',
    help: 'origins whose pages may show the overview in a frame, separated by commas; none by default',
    fallback: "'none'",
    read: frameAncestors,
    form: "'none', 'self' or origins such as https://intranet.example.com, separated by commas",
  }),
  migrate: setting({
    flag: '--no-migrate',
    help: 'do not apply migrations at start',
    ...ON,
  }),
  wholeListRowsMax: setting({
    flag: '--whole-list-rows-max <rows>',
    help: 'the most rows of a list without `first` or `limit`',
    fallback: LIMITS.wholeListRowsMax,
    ...wholeNumber(1, 10_000_000, 'a whole number of at least 1'),
  }),
  rateLimit: setting({
    flag: '--rate-limit <number>',
    help: 'requests a minute for each key, weighted by what they read; 0 for no limit',
    fallback: LIMITS.ratePerMinute,
    ...wholeNumber(0, 10_000_000, 'a whole number, or 0 for no limit'),
  }),
  responseCacheMegabytes: setting({
    flag: '--response-cache-megabytes <number>',
    help: 'the size of the response cache; 0 for none',
    fallback: LIMITS.responseCacheBytesMax / MEGABYTE,
    ...wholeNumber(0, 100_000, 'a whole number of megabytes, or 0 for none'),
  }),
  readWorkers: setting({
    flag: '--read-workers <number>',
    help: 'SQLite: threads for heavy reads, 2 by default, or 1 on one core; 0 to read everything in place',
    fallback: undefined as number | undefined,
    ...wholeNumber(0, 64, 'a whole number up to 64, or 0 for none'),
  }),
  writesTogether: setting({
    flag: '--writes-together <number>',
    help: 'waiting writes that are committed in one transaction at most, 100 by default; 1 for each alone',
    fallback: undefined as number | undefined,
    ...wholeNumber(1, 1_000, 'a whole number from 1 to 1000'),
  }),
  inFlightMegabytes: setting({
    flag: '--in-flight-megabytes <number>',
    help: 'memory for request bodies being received and responses being sent; beyond it requests get 503',
    fallback: LIMITS.inFlightBytesMax / MEGABYTE,
    ...wholeNumber(
      IN_FLIGHT_MEGABYTES_MIN,
      100_000,
      `a whole number of megabytes, at least ${IN_FLIGHT_MEGABYTES_MIN}`,
    ),
  }),
  responseMegabytes: setting({
    flag: '--response-megabytes <number>',
    help: 'the largest response; a larger one is refused before it is built',
    fallback: LIMITS.responseBytesMax / MEGABYTE,
    ...wholeNumber(1, 900, 'a whole number of megabytes from 1 to 900'),
  }),
  connectionsPerAddress: setting({
    flag: '--connections-per-address <number>',
    help: 'connections from one address, loopback excepted; 0 for no limit by address',
    fallback: LIMITS.connectionsPerAddressMax,
    ...wholeNumber(0, LIMITS.connectionsMax, `a whole number up to ${LIMITS.connectionsMax}, or 0 for no limit`),
  }),
  deadlineMs: setting({
    flag: '--deadline-ms <milliseconds>',
    help: 'how long a request may read before it gets 503',
    fallback: LIMITS.deadlineMs,
    ...wholeNumber(1, 600_000, 'a whole number of milliseconds, at least 1'),
  }),
  drainMs: setting({
    flag: '--drain-ms <milliseconds>',
    help: 'at a stop: how long to serve on with /readyz at 503, so that a load balancer turns away first',
    fallback: 0,
    ...wholeNumber(0, 600_000, 'a whole number of milliseconds'),
  }),
  trustedProxies: setting({
    flag: '--trusted-proxies <networks>',
    help: 'proxies whose Forwarded or X-Forwarded-For header tells the address of a client, separated by commas',
    fallback: undefined as BlockList | undefined,
    read: networksIn,
    form: 'addresses or networks such as 10.0.0.0/8, separated by commas',
  }),
  slowMs: setting({
    flag: '--slow-ms <milliseconds>',
    help: 'log requests that take longer than this',
    fallback: LIMITS.slowQueryMs,
    ...wholeNumber(0, 600_000, 'a whole number of milliseconds'),
  }),
  documents: setting({
    flag: '--documents <file>',
    help: 'a JSON file with the GraphQL documents of your clients: kept by their SHA-256, and named in the metrics',
    fallback: undefined as Documents | undefined,
    read: documentsIn,
    form: 'a JSON file with GraphQL texts by any names, or the manifest of Apollo Client',
  }),
  metricsPort: setting({
    flag: '--metrics-port <number>',
    help: 'serve /metrics for Prometheus on this port, on the same address; not served by default',
    fallback: undefined as number | undefined,
    ...wholeNumber(0, 65_535, 'a whole number from 0 to 65535'),
  }),
  corsOrigins: setting({
    flag: '--cors-origins <origins>',
    help: 'origins whose pages may call (CORS), separated by commas',
    fallback: '',
    read: (text) => (text.split(',').every((origin) => /^https?:\/\/[^\s/*]+$/.test(origin.trim())) ? text : undefined),
    form: 'origins such as https://app.example.com, each in full and without *, separated by commas',
  }),
  oidcIssuer: setting({
    flag: '--oidc-issuer <url>',
    help: 'the identity provider whose tokens are accepted beside API keys, exactly as in their claim `iss`',
    fallback: undefined as string | undefined,
    read: (text) => (isSafeUrl(text) ? text : undefined),
    form: 'a URL with https, such as https://login.example.com/realms/staff; http for loopback only',
  }),
  oidcAudience: setting({
    flag: '--oidc-audience <text>',
    help: 'what tokens for this service have in their claim `aud`',
    fallback: undefined as string | undefined,
    read: oneWord,
    form: 'a text without blanks, such as https://operations.example.com',
  }),
  oidcScopeClaim: setting({
    flag: '--oidc-scope-claim <name>',
    help: 'the claim with the scopes, or a path to it such as realm_access.roles; scope, else scp, by default',
    fallback: undefined as string | undefined,
    read: oneWord,
    form: 'a name or a path such as realm_access.roles',
  }),
  oidcScopeMap: setting({
    flag: '--oidc-scope-map <name=scopes>',
    help: 'the scopes of a name in that claim, such as Ops.Reader=projects.read,personnel.read; may be repeated',
    fallback: undefined as ReadonlyMap<string, readonly string[]> | undefined,
    read: scopesByName,
    form: 'names with their scopes, such as Ops.Reader=projects.read,personnel.read',
    isRepeatable: true,
  }),
  oidcProjectsClaim: setting({
    flag: '--oidc-projects-claim <name>',
    help: 'the claim with the keys of the projects that a token may change; all by default',
    fallback: undefined as string | undefined,
    read: oneWord,
    form: 'a name or a path such as operations.projects',
  }),
  oidcClientId: setting({
    flag: '--oidc-client-id <text>',
    help: 'the public client as which people sign in on the pages; without it they cannot',
    fallback: undefined as string | undefined,
    read: oneWord,
    form: 'a text without blanks',
  }),
  oidcRequest: setting({
    flag: '--oidc-request <text>',
    help: 'the scopes that the pages request, and resource=URI or audience=URI where the provider needs it',
    fallback: undefined as string | undefined,
    read: (text) => text.trim() || undefined,
    form: 'a text such as "openid ops.read resource=https://operations.example.com"',
  }),
  logLevel: setting({
    flag: '--log-level <level>',
    help: `the log level: ${LOG_LEVELS.join(', ')}`,
    fallback: 'info',
    read: (text) => (LOG_LEVELS.includes(text) ? text : undefined),
    form: `one of ${LOG_LEVELS.join(', ')}`,
  }),
}

type Settings = typeof SETTINGS
export type SettingName = keyof Settings
export type Config = { readonly [Name in SettingName]: Settings[Name]['fallback'] }

/** Invalid settings; the message names all of them. */
export class BadSettings extends Error {}

/** The given flags, by the names of their settings; a switch that was turned off is `false`. */
export type Flags = { readonly [Name in SettingName]?: string | boolean | undefined }

/** Where the settings of a command are, besides its flags, and how a complaint calls a flag. */
export const ofCommand = () => ({ env: process.env, called: (name: SettingName) => SETTINGS[name].flag.split(' ')[0] })
/** A program that embeds the service gives them by their names. */
export const OF_HOST: ReturnType<typeof ofCommand> = { env: {}, called: (name) => name }

/** A frozen configuration of these settings, or one error that lists every invalid one. */
export function readConfig<Name extends SettingName>(
  flags: Pick<Flags, Name>,
  names: readonly Name[],
  { env, called } = ofCommand(),
): Pick<Config, Name> {
  const complaints = unknownNames(env)
  const entries = names.map((name) => {
    const { env: variable, fallback, read, form } = SETTINGS[name]
    const given = flags[name]
    const [source, text] =
      given === undefined || given === true ? [variable, env[variable] || undefined] : [called(name), String(given)]
    if (text === undefined) return [name, fallback]
    const value = read(text)
    if (value === undefined) complaints.push(`${source} is ${JSON.stringify(text)}; it must be ${form}.`)
    return [name, value]
  })
  if (complaints.length > 0) throw new BadSettings(complaints.join('\n'))
  return Object.freeze(Object.fromEntries(entries)) as Pick<Config, Name>
}

function setting<T>(definition: Omit<Setting<T>, 'env'> & { readonly env?: string }): Setting<T> {
  const [flag = ''] = definition.flag.split(' ')
  const name = flag.replace('--no-', '').replace('--', '').replaceAll('-', '_')
  return { env: `OPERATIONS_${name.toUpperCase()}`, ...definition }
}

/** GraphQL texts by their SHA-256. */
export type Documents = ReadonlyMap<string, string>

/** Reads what Relay or GraphQL Code Generator writes, texts by names, or Apollo's manifest with a list of operations. */
function documentsIn(file: string): Documents | undefined {
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const operations: readonly { readonly body: unknown }[] | undefined = manifest.operations
    const texts: readonly unknown[] = operations?.map(({ body }) => body) ?? Object.values(manifest)
    if (!texts.every((text) => typeof text === 'string')) return undefined
    return new Map(texts.map((text) => [createHash('sha256').update(text).digest('hex'), text]))
  } catch {
    return undefined
  }
}

/** Parses addresses and networks such as `10.0.0.0/8`, separated by commas; undefined if one is neither. */
function networksIn(text: string): BlockList | undefined {
  const networks = new BlockList()
  for (const part of text.split(',')) {
    const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part.trim()) ?? []
    const [type, bitsMax] = isIPv6(address) ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
    const bits = Number(prefix ?? bitsMax)
    if (!isIP(address) || bits > bitsMax) return undefined
    networks.addSubnet(address, bits, type)
  }
  return networks
}

// Kubernetes sets these in every container if a service is named `operations`.
const NOT_OURS = /^OPERATIONS_(PORT|SERVICE)(_|$)/

// A misspelt variable would otherwise be ignored silently.
function unknownNames(env: NodeJS.ProcessEnv): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map((one) => one.env))
  return Object.keys(env)
    .filter((name) => name.startsWith('OPERATIONS_') && !known.has(name) && !NOT_OURS.test(name))
    .map((name) => `${name} is not a known setting.`)
}

function wholeNumber(least: number, most: number, form: string) {
  const read = (text: string) => {
    const value = Number(text)
    return /^\d+$/.test(text) && value >= least && value <= most ? value : undefined
  }
  return { read, form }
}

/** A URL that nobody on the way can read or change: https, or http on this machine. */
export function isSafeUrl(text: string): boolean {
  if (!/^https?:\/\/\S+$/.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

function oneWord(text: string): string | undefined {
  return /^\S+$/.test(text) ? text : undefined
}

/** Parses `NAME=SCOPE,SCOPE,NAME=SCOPE`: an item without `=` belongs to the name before it. */
function scopesByName(text: string): ReadonlyMap<string, readonly string[]> | undefined {
  const scopes = new Map<string, string[]>()
  let name: string | undefined
  for (const item of text.split(',')) {
    const end = item.lastIndexOf('=')
    if (end >= 0) name = item.slice(0, end).trim()
    const scope = item.slice(end + 1).trim()
    if (!name || scope === '') return undefined
    scopes.set(name, [...(scopes.get(name) ?? []), scope])
  }
  return scopes
}

/** As in the CSP directive, which separates by blanks. */
function frameAncestors(text: string): string | undefined {
  const all = text.split(',').map((one) => one.trim())
  const isOrigin = (one: string) => /^https?:\/\/[^\s/;,']+$/.test(one) || one === "'self'"
  return text.trim() === "'none'" || all.every(isOrigin) ? all.join(' ') : undefined
}

/** Sets NODE_ENV unless it is set: graphql-js then skips looking for a second copy of itself at each type check. */
export function assumeProduction(): void {
  // Not assigned to the name itself, in whose place bundlers put a text.
  Object.assign(process.env, { NODE_ENV: process.env['NODE_ENV'] ?? 'production' })
}
