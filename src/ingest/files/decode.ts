import { constants, isUtf8 } from 'node:buffer'
import { attempt, UnreadableSheet } from './table.js'

const SIGNATURES = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    kind: 'a workbook (.xlsx, .ods) or another zip file',
    advice: 'If it is a workbook, give --format xlsx.',
  },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], kind: 'an old workbook (.xls)', advice: 'Save it as .xlsx and import that file.' },
  { bytes: [0x25, 0x50, 0x44, 0x46], kind: 'a PDF', advice: 'Save the table as "CSV UTF-8" and import that file.' },
]

/** Byte order marks, which name the encoding of a text. */
const MARKS = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
]

export function decode(bytes: Uint8Array, name: string, encoding?: string): string {
  const refuse = (sentence: string, line?: number): never => {
    throw new UnreadableSheet(name, sentence, { line })
  }
  if (bytes.length > constants.MAX_STRING_LENGTH) refuse('The file is too large; split it.')
  const other = SIGNATURES.find((one) => startsWith(bytes, one.bytes))
  if (other) refuse(`This is ${other.kind}, not text. ${other.advice}`)
  const marked = MARKS.find((one) => startsWith(bytes, one.bytes))?.encoding
  const decoder =
    attempt(() => new TextDecoder(encoding ?? marked ?? 'utf-8', { fatal: true })) ??
    refuse(`Unknown encoding "${encoding}"; try utf-8, windows-1252 or utf-16le.`)
  if ((marked ?? decoder.encoding) !== decoder.encoding)
    refuse(`The byte order mark says ${marked}; leave --encoding out.`)

  const text = attempt(() => decoded(bytes, decoder)) ?? refuse(...invalid(bytes, decoder.encoding))
  const nul = text.indexOf('\0')
  const line = () => text.slice(0, nul).split(/\r\n?|\n/).length
  if (nul >= 0) refuse('Here is a NUL byte: this is not text, or it is UTF-16; then give --encoding utf-16le.', line())
  if (text.trim() === '') refuse('The file is empty.')
  return text
}

function startsWith(bytes: Uint8Array, beginning: readonly number[]): boolean {
  return beginning.every((byte, index) => bytes[index] === byte)
}

function decoded(bytes: Uint8Array, decoder: TextDecoder): string {
  const text = decoder.decode(bytes)
  return decoder.encoding === 'windows-1252'
    ? text.replace(/[\x80-\x9f]/g, (control) => WINDOWS_1252.charAt(control.charCodeAt(0) - 0x80))
    : text
}

// Node 20.18.3 to 24 decodes windows-1252 as Latin-1 (nodejs/node#56542), which has control characters here.
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

function invalid(bytes: Uint8Array, encoding: string): [sentence: string, line?: number] {
  if (encoding !== 'utf-8') return [`The file is not in ${encoding}.`]
  // Line by line, because no byte of a multi-byte character looks like a line end.
  const latin = Buffer.from(bytes).toString('latin1')
  const before = latin.split(/\r\n?|\n/).findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')))
  const advice = 'Save the file as UTF-8, or give --encoding windows-1252, which is what Excel on Windows writes.'
  return [`Here is a byte that is not UTF-8. ${advice}`, 1 + before]
}
