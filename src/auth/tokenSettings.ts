import { BadSettings, type Config, ofCommand } from '../config.js'
import { isScope, SCOPE_NAMES, type Scope } from './scopes.js'

/** The identity provider whose tokens are accepted, and what their claims mean. */
export interface TokenSettings {
  readonly issuer: string
  readonly audience: string
  /** `scope`, else `scp`, if it is not given. */
  readonly scopeClaim?: string | undefined
  /** The scopes of each name in that claim; without it, the claim has names of our scopes. */
  readonly scopeMap?: ReadonlyMap<string, readonly Scope[]> | undefined
  readonly projectsClaim?: string | undefined
  readonly signIn?: SignInSettings | undefined
}

/** How the pages ask the provider for a token. */
interface SignInSettings {
  readonly clientId: string
  /** Parameters of the request: `scope`, and `resource` or `audience`. */
  readonly parameters: Readonly<Record<string, string>>
}

const NAMES = ['oidcScopeClaim', 'oidcScopeMap', 'oidcProjectsClaim', 'oidcClientId', 'oidcRequest'] as const

type Called = ReturnType<typeof ofCommand>['called']
type TokenConfig = Pick<Config, (typeof BOTH)[number] | (typeof NAMES)[number]>

/** Undefined if no identity provider is configured; throws if the settings do not go together. */
export function tokenSettingsOf(config: TokenConfig, { called } = ofCommand()): TokenSettings | undefined {
  const { oidcIssuer: issuer, oidcAudience: audience } = config
  if (issuer === undefined || audience === undefined) {
    const [given] = [...BOTH, ...NAMES].filter((name) => config[name] !== undefined)
    if (given === undefined) return undefined
    const missing = BOTH.filter((name) => config[name] === undefined)
    throw new BadSettings(`${called(given)} also needs ${missing.map(called).join(' and ')}.`)
  }
  if (config.oidcClientId === audience)
    throw new BadSettings(
      `${called('oidcAudience')} must be another than ${called('oidcClientId')}, which ID tokens have.`,
    )
  const { oidcScopeClaim: scopeClaim, oidcProjectsClaim: projectsClaim } = config
  const [scopeMap, signIn] = [scopeMapOf(config, called), signInOf(config, called)]
  return { issuer, audience, scopeClaim, scopeMap, projectsClaim, signIn }
}

const BOTH = ['oidcIssuer', 'oidcAudience'] as const

function scopeMapOf({ oidcScopeMap: given }: TokenConfig, called: Called): TokenSettings['scopeMap'] {
  if (!given) return undefined
  const checked = [...given].map(([name, scopes]) => {
    const wrong = scopes.find((scope) => !isScope(scope))
    if (wrong === undefined) return [name, scopes.filter(isScope)] as const
    const problem = `${called('oidcScopeMap')}: there is no scope ${JSON.stringify(wrong)}.`
    throw new BadSettings(`${problem} There are ${SCOPE_NAMES.join(', ')}.`)
  })
  return new Map(checked)
}

function signInOf({ oidcClientId: clientId, oidcRequest: request }: TokenConfig, called: Called) {
  if (clientId === undefined && request === undefined) return undefined
  if (clientId === undefined || request === undefined)
    throw new BadSettings(`${called('oidcClientId')} and ${called('oidcRequest')} are needed together.`)
  const words = request.split(/\s+/)
  const isParameter = (word: string) => /^(resource|audience)=./.test(word)
  const scope = words.filter((word) => !isParameter(word)).join(' ')
  const others = words
    .filter(isParameter)
    .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)])
  return { clientId, parameters: { scope, ...Object.fromEntries(others) } }
}
