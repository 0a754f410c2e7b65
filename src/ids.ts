import { randomBytes } from 'node:crypto'

/** What each kind of id begins with. */
export const ID_PREFIX = {
  person: 'usr',
  group: 'grp',
  project: 'prj',
  risk: 'rsk',
  issue: 'iss',
  key: 'key',
} as const
export type IdKind = keyof typeof ID_PREFIX

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_LENGTH = 26

/** A UUIDv7 in Crockford's base32: ids made later sort later. */
export function newId(kind: IdKind, at: Date, random: Uint8Array = randomBytes(10)): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes.set(random, 6)
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f)
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f)
  return `${ID_PREFIX[kind]}_${base32(bytes)}`
}

function base32(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (let i = 0; i < ID_LENGTH; i++) {
    text = CROCKFORD.charAt(Number(value & 31n)) + text
    value >>= 5n
  }
  return text
}
