import { LIMITS } from './limits.js'

/** One setting: where it can be given, what it means, and how its text is read. */
export interface Setting<T> {
  readonly flag: string
  readonly env: string
  readonly help: string
  readonly fallback: T
  readonly read: (text: string) => T | undefined
  /** What a right value looks like, for the message about a wrong one. */
  readonly form: string
  /** Names that it had once: whoever still uses them is told the new ones. */
  readonly formerly?: { readonly flag: string; readonly env: string }
}

/** Bytes. */
export const MEGABYTE = 1_000_000

/** Two of the largest bodies. */
const IN_FLIGHT_MEGABYTES_MIN = (2 * LIMITS.syncBodyBytesMax) / MEGABYTE

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Every setting there is; flags come before the environment, the environment before the fallback. */
export const SETTINGS = {
  database: setting({
    flag: '--database <url>',
    env: 'DATABASE_URL',
    help: 'the store, as file:PATH or postgres://USER:PASSWORD@HOST/DATABASE',
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
    help: 'the port to listen on; 0 takes a free one',
    fallback: 4000,
    read: (text) => wholeNumber(text, 0, 65_535),
    form: 'a whole number from 0 to 65535',
  }),
  basePath: setting({
    flag: '--base-path <path>',
    env: 'OPERATIONS_BASE_PATH',
    help: 'the path below which everything is served',
    fallback: '',
    // Dots alone would be taken for a way up, and never arrive.
    read: (text) => (/^(\/(?!\.+(\/|$))[\w.~-]+)*\/?$/.test(text) ? text.replace(/\/$/, '') : undefined),
    form: 'a path such as /ops',
  }),
  graphiql: setting({
    flag: '--no-graphiql',
    env: 'OPERATIONS_GRAPHIQL',
    help: 'do not serve the GraphiQL page',
    fallback: true,
    read: yesOrNo,
    form: 'true or false',
  }),
  migrate: setting({
    flag: '--no-migrate',
    env: 'OPERATIONS_MIGRATE',
    help: 'do not bring the store up to date at start',
    fallback: true,
    read: yesOrNo,
    form: 'true or false',
  }),
  wholeListRowsMax: setting({
    flag: '--whole-list-rows-max <rows>',
    env: 'OPERATIONS_WHOLE_LIST_ROWS_MAX',
    help: 'the most rows of a list that is asked for without a page',
    fallback: LIMITS.wholeListRowsMax as number,
    read: (text) => wholeNumber(text, 1, 10_000_000),
    form: 'a whole number of at least 1',
  }),
  rateLimit: setting({
    flag: '--rate-limit <number>',
    env: 'OPERATIONS_RATE_LIMIT',
    help: 'what a key may spend in a minute: a request is 1; 0 for no limit',
    fallback: LIMITS.ratePerMinute as number,
    read: (text) => wholeNumber(text, 0, 10_000_000),
    form: 'a whole number, or 0 for no limit',
  }),
  responseCacheMegabytes: setting({
    flag: '--response-cache-megabytes <number>',
    env: 'OPERATIONS_RESPONSE_CACHE_MEGABYTES',
    formerly: { flag: '--ready-megabytes', env: 'OPERATIONS_READY_MEGABYTES' },
    help: 'how much memory the response cache may take; 0 for no cache',
    fallback: LIMITS.readyBytesMax / MEGABYTE,
    read: (text) => wholeNumber(text, 0, 100_000),
    form: 'a whole number of megabytes, or 0 for none',
  }),
  inFlightMegabytes: setting({
    flag: '--in-flight-megabytes <number>',
    env: 'OPERATIONS_IN_FLIGHT_MEGABYTES',
    help: 'how much memory bodies being received and answers being sent may take; beyond it requests get 503',
    fallback: LIMITS.inFlightBytesMax / MEGABYTE,
    read: (text) => wholeNumber(text, IN_FLIGHT_MEGABYTES_MIN, 100_000),
    form: `a whole number of megabytes, at least ${IN_FLIGHT_MEGABYTES_MIN}`,
  }),
  connectionsPerAddress: setting({
    flag: '--connections-per-address <number>',
    env: 'OPERATIONS_CONNECTIONS_PER_ADDRESS',
    help: 'how many connections one address may have, loopback excepted; 0 for no limit but that of all',
    fallback: LIMITS.connectionsPerAddressMax as number,
    read: (text) => wholeNumber(text, 0, LIMITS.connectionsMax),
    form: `a whole number up to ${LIMITS.connectionsMax}, or 0 for no limit`,
  }),
  deadlineMs: setting({
    flag: '--deadline-ms <milliseconds>',
    env: 'OPERATIONS_DEADLINE_MS',
    help: 'how long a request may read before it is answered 503',
    fallback: LIMITS.deadlineMs as number,
    read: (text) => wholeNumber(text, 1, 600_000),
    form: 'a whole number of milliseconds, at least 1',
  }),
  slowMs: setting({
    flag: '--slow-ms <milliseconds>',
    env: 'OPERATIONS_SLOW_MS',
    help: 'a request that takes longer is logged as slow',
    fallback: LIMITS.slowQueryMs as number,
    read: (text) => wholeNumber(text, 0, 600_000),
    form: 'a whole number of milliseconds',
  }),
  metricsPort: setting({
    flag: '--metrics-port <number>',
    env: 'OPERATIONS_METRICS_PORT',
    help: 'the port for Prometheus to read /metrics from, on the same address; none unless given',
    fallback: undefined as number | undefined,
    read: (text) => wholeNumber(text, 0, 65_535),
    form: 'a whole number from 0 to 65535',
  }),
  corsOrigins: setting({
    flag: '--cors-origins <origins>',
    env: 'OPERATIONS_CORS_ORIGINS',
    help: 'the origins whose pages may call, with commas between them',
    fallback: '',
    read: (text) => (text.split(',').every((origin) => /^https?:\/\/[^\s/]+$/.test(origin.trim())) ? text : undefined),
    form: 'origins such as https://app.example.com, with commas between them',
  }),
  logLevel: setting({
    flag: '--log-level <level>',
    env: 'OPERATIONS_LOG_LEVEL',
    help: `how much to log: ${LOG_LEVELS.join(', ')}`,
    fallback: 'info',
    read: (text) => (LOG_LEVELS.includes(text) ? text : undefined),
    form: `one of ${LOG_LEVELS.join(', ')}`,
  }),
}

type Settings = typeof SETTINGS
export type SettingName = keyof Settings
export type Config = { readonly [Name in SettingName]: Settings[Name]['fallback'] }

/** Settings that cannot be used; the message names all of them. */
export class BadSettings extends Error {}

/** What flags were given, under their settings' names; a switch that was turned off is `false`. */
export type Flags = { readonly [Name in SettingName]?: string | boolean | undefined }

/** One frozen configuration of the settings asked for, or every one of them that is wrong, all at once. */
export function readConfig<Name extends SettingName>(flags: Flags, names: readonly Name[]): Pick<Config, Name> {
  const env = process.env
  const complaints = unknownNames(env)
  const entries = names.map((name) => {
    const { flag, env: variable, fallback, read, form } = SETTINGS[name]
    const given = flags[name]
    const [source, text] =
      given === undefined || given === true
        ? [variable, env[variable] || undefined]
        : [flag.split(' ')[0], String(given)]
    if (text === undefined) return [name, fallback]
    const value = read(text)
    if (value === undefined) complaints.push(`${source} is ${JSON.stringify(text)}; it must be ${form}.`)
    return [name, value]
  })
  if (complaints.length > 0) throw new BadSettings(complaints.join('\n'))
  return Object.freeze(Object.fromEntries(entries)) as Pick<Config, Name>
}

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}

// Kubernetes puts these beside every container when a service is named `operations`.
const NOT_OURS = /^OPERATIONS_(PORT|SERVICE)(_|$)/

// A misspelt name would otherwise be passed over in silence.
function unknownNames(env: NodeJS.ProcessEnv): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map((one) => one.env))
  return Object.keys(env)
    .filter((name) => name.startsWith('OPERATIONS_') && !known.has(name) && !NOT_OURS.test(name))
    .map((name) => renamed(name) ?? `${name} is no setting of this program.`)
}

function renamed(name: string): string | undefined {
  const setting = Object.values<Setting<unknown>>(SETTINGS).find(({ formerly }) => formerly?.env === name)
  return setting && `${name} is called ${setting.env} now.`
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const value = Number(text)
  return /^\d+$/.test(text) && value >= least && value <= most ? value : undefined
}

function yesOrNo(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/** Unless the environment says otherwise: graphql then spares itself a check of every type that it meets. */
export function assumeProduction(): void {
  process.env['NODE_ENV'] ??= 'production'
}
