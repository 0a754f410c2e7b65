/** Cursors as the gateway writes them, so that responses can be compared. */
import { crc32 } from 'node:zlib'

const CHECKSUM_LENGTH = 8

const checksum = (text) => crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')

export function cursorOf(list, ...place) {
  const text = JSON.stringify([list, ...place])
  return Buffer.from(checksum(text) + text).toString('base64url')
}

/** The position of a cursor; undefined if it is not for this list. */
export function placeOf(list, cursor) {
  const decoded = Buffer.from(cursor, 'base64url').toString()
  const text = decoded.slice(CHECKSUM_LENGTH)
  if (decoded.slice(0, CHECKSUM_LENGTH) !== checksum(text)) return undefined
  const [name, ...place] = JSON.parse(text)
  return name === list ? place : undefined
}
