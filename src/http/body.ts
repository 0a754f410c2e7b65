import { setImmediate as turn } from 'node:timers/promises'
import type { Principal } from '../auth/principal.js'
import { grants } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { type Asked, tooLarge } from './asked.js'
import { requireModestShape } from './jsonShape.js'

/** What a body may come as; a merge patch (RFC 7396) and plain JSON mean the same in a PATCH. */
export const BODY_TYPES = ['application/json'] as const
export const PATCH_TYPES = ['application/merge-patch+json', 'application/json'] as const

/** A patch in a form that is not taken: whoever sent it is told which ones are (RFC 5789). */
export class UnsupportedPatch extends Fault {}

/** The JSON of a request's body, or a Fault that says what is wrong with it. */
export async function readJson(asked: Asked, principal: Principal | undefined): Promise<unknown> {
  requireJsonType(asked)
  const bytesMax = bodyBytesMax(principal)
  if (Number(asked.header('content-length')) > bytesMax) throw tooLarge(bytesMax)
  const bytes = await asked.body(bytesMax)
  requireModestShape(bytes)
  // A whole project takes a while to read: others are heard in between.
  if (bytes.length > LIMITS.bodyBytesMax) await turn()
  try {
    return JSON.parse(UTF8.decode(bytes))
  } catch (cause) {
    throw new Fault('BAD_REQUEST', 'The body is not valid JSON in UTF-8.', { cause })
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

// Exactly JSON: forms and plain text are what a foreign page can make a browser send.
function requireJsonType(asked: Asked): void {
  const isPatch = asked.method === 'PATCH'
  const types: readonly string[] = isPatch ? PATCH_TYPES : BODY_TYPES
  const refuse = (sentence: string): never => {
    throw new (isPatch ? UnsupportedPatch : Fault)('UNSUPPORTED_MEDIA_TYPE', sentence)
  }
  const type = asked.header('content-type') ?? ''
  const [essence = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (!types.includes(essence) || !isUtf8) {
    refuse(`Send the body as \`Content-Type: ${types.join('` or `')}\`, in UTF-8.`)
  }
  if (asked.header('content-encoding')) refuse('Send the body uncompressed, without Content-Encoding.')
}

function bodyBytesMax(principal: Principal | undefined): number {
  return principal && grants(principal.scopes, 'projects.manage') ? LIMITS.syncBodyBytesMax : LIMITS.bodyBytesMax
}
