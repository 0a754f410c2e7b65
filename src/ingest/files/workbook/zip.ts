import zlib from 'node:zlib'

/** A zip file that is damaged, or is not as workbooks are; the message says what to do. */
export class BadZip extends Error {}

type Entry = Readonly<Record<'method' | 'flags' | 'crc' | 'packedBytes' | 'bytes' | 'offset', number>>

const END = { signature: 0x06054b50, bytes: 22, commentBytesMax: 0xffff } as const
const DIRECTORY = { signature: 0x02014b50, bytes: 46 } as const
const LOCAL = { signature: 0x04034b50, bytes: 30 } as const
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 1

/** Reads a file of a zip; undefined if there is none of this name, in any case. */
export type Zip = (name: string) => Buffer | undefined

/** The files in a zip, inflated when they are read, and all together at most so many bytes. */
export function zipOf({ buffer, byteOffset, byteLength }: Uint8Array, bytesMax: number): Zip {
  const file = Buffer.from(buffer, byteOffset, byteLength)
  const entries = entriesOf(file)
  let bytesLeft = bytesMax
  return (name) => {
    const entry = entries.get(name.toLowerCase())
    if (!entry) return undefined
    if ((entry.flags & ENCRYPTED) !== 0) throw new BadZip('The workbook is encrypted. Save it without a password.')
    if (entry.bytes > bytesLeft)
      throw new BadZip('The workbook is too large when unpacked. Split it, or save the table as "CSV UTF-8".')
    const content = inflated(packed(file, entry), entry)
    if (content.length !== entry.bytes) throw damaged(`${name} does not have the size that it should have`)
    // Node 22.0 and 22.1 have no crc32.
    const crc = zlib.crc32?.(content) ?? entry.crc
    if (crc !== entry.crc) throw damaged(`${name} does not have its checksum`)
    bytesLeft -= content.length
    return content
  }
}

export function damaged(reason: string): BadZip {
  const advice = 'Open it in a spreadsheet program and save it again, or copy it again.'
  return new BadZip(`The workbook is damaged: ${reason}. ${advice}`)
}

/** The central directory, which is at the end of the file. */
function entriesOf(file: Buffer): ReadonlyMap<string, Entry> {
  const end = endOf(file)
  const count = file.readUInt16LE(end + 10)
  const bytes = file.readUInt32LE(end + 12)
  let at = file.readUInt32LE(end + 16)
  if (count === 0xffff || at === 0xffffffff)
    throw new BadZip('The workbook is packed for more than 4 GB (zip64). Save the table as "CSV UTF-8".')
  if (at + bytes > end) throw damaged('its directory is cut')
  const entries = new Map<string, Entry>()
  for (let index = 0; index < count; index++) {
    if (at + DIRECTORY.bytes > end || file.readUInt32LE(at) !== DIRECTORY.signature)
      throw damaged('its directory is wrong')
    const nameEnd = at + DIRECTORY.bytes + file.readUInt16LE(at + 28)
    const name = file.toString('utf8', at + DIRECTORY.bytes, Math.min(nameEnd, end)).toLowerCase()
    // Programs differ in which of two entries of one name they read.
    if (entries.has(name)) throw damaged(`${JSON.stringify(name)} is in it twice`)
    entries.set(name, {
      flags: file.readUInt16LE(at + 8),
      method: file.readUInt16LE(at + 10),
      crc: file.readUInt32LE(at + 16),
      packedBytes: file.readUInt32LE(at + 20),
      bytes: file.readUInt32LE(at + 24),
      offset: file.readUInt32LE(at + 42),
    })
    at = nameEnd + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return entries
}

function endOf(file: Buffer): number {
  const first = Math.max(0, file.length - END.bytes - END.commentBytesMax)
  for (let at = file.length - END.bytes; at >= first; at--) if (file.readUInt32LE(at) === END.signature) return at
  throw damaged('its end is missing')
}

function packed(file: Buffer, { offset, packedBytes }: Entry): Buffer {
  if (offset + LOCAL.bytes > file.length || file.readUInt32LE(offset) !== LOCAL.signature)
    throw damaged('a part is not where it should be')
  const start = offset + LOCAL.bytes + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28)
  if (start + packedBytes > file.length) throw damaged('a part is cut')
  return file.subarray(start, start + packedBytes)
}

function inflated(content: Buffer, { method, bytes }: Entry): Buffer {
  if (method === STORED) return content
  if (method !== DEFLATED)
    throw new BadZip('The workbook is packed in an unknown way. Open it in a spreadsheet program and save it again.')
  try {
    // One chunk that is never filled, so that it is neither followed by another nor copied; zlib wants at least 64 bytes.
    const chunkSize = Math.max(64, bytes + 1)
    return zlib.inflateRawSync(content, { maxOutputLength: Math.max(1, bytes), chunkSize })
  } catch (error) {
    if (error instanceof RangeError) throw damaged('a part is larger than its directory says')
    throw damaged('a part cannot be unpacked')
  }
}
