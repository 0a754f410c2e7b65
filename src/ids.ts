import { randomFillSync } from 'node:crypto'
import { NOUN_NAMES, NOUNS, type NounName } from './vocabulary.js'

/** The prefix of each kind of id. */
export const ID_PREFIX = {
  ...(Object.fromEntries(NOUN_NAMES.map((name) => [name, NOUNS[name].prefix])) as {
    [N in NounName]: (typeof NOUNS)[N]['prefix']
  }),
  key: 'key',
  import: 'imp',
} as const
export type IdKind = keyof typeof ID_PREFIX

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_FORM = new RegExp(`^[0-7][${CROCKFORD}]{25}$`)

/** A UUIDv7 in Crockford's base32: later ids sort later, also within one millisecond of one process. */
export function newId(kind: IdKind, at: Date, random: Uint8Array = randomAfter(at.getTime())): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes.set(random, 6)
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f)
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f)
  return `${ID_PREFIX[kind]}_${base32(bytes)}`
}

const TAIL_BYTES = 10
const tail = Buffer.alloc(TAIL_BYTES)
let tailMs = Number.NaN

// Random bytes are drawn for many ids at once: the call takes longer than the rest of an id.
const drawn = Buffer.alloc(TAIL_BYTES * 100)
let drawnLeft = 0

// Within one millisecond each tail is higher than the last, so that an import appends to its indexes.
function randomAfter(ms: number): Uint8Array {
  if (ms !== tailMs) {
    if (drawnLeft === 0) drawnLeft = randomFillSync(drawn).length
    drawn.copy(tail, 0, drawnLeft - TAIL_BYTES, drawnLeft)
    drawnLeft -= TAIL_BYTES
    tailMs = ms
    return tail
  }
  let carry = 1 + Math.floor(Math.random() * 0xffff)
  for (let place = tail.length - 1; carry > 0 && place >= 0; place--) {
    carry += tail.readUInt8(place)
    tail.writeUInt8(carry & 0xff, place)
    carry >>= 8
  }
  return tail
}

function base32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let rest = 2 // 26 characters hold 130 bits: the first has two bits to spare.
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    for (rest += 8; rest >= 5; rest -= 5) text += CROCKFORD.charAt((bits >> (rest - 5)) & 31)
    bits &= (1 << rest) - 1
  }
  return text
}

/** Whether a text has the form of an id of this kind. */
export function isId(kind: IdKind, text: string): boolean {
  const [prefix, rest = '', ...more] = text.split('_')
  return prefix === ID_PREFIX[kind] && more.length === 0 && ID_FORM.test(rest)
}
