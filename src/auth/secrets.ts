import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

// 178 random bits, and a checksum: a typo is refused without a look-up, and secret scanners recognise a leaked key.
const PREFIX = 'ops_'
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
const SHOWN_LENGTH = PREFIX.length + 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newSecret(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('')
  return PREFIX + random + checksum(random)
}

export function isWellFormed(secret: string): boolean {
  const random = secret.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH)
  return random.length === RANDOM_LENGTH && secret === PREFIX + random + checksum(random)
}

// SHA-256 and not a slow hash: the secret has 178 random bits, and this runs on every request.
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Enough to recognise the key, far too little to use it. */
export function shownPart(secret: string): string {
  return secret.slice(0, SHOWN_LENGTH)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(rest % BASE62.length) + digits
    rest = Math.floor(rest / BASE62.length)
  }
  return digits
}
