import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

const ITEM_COMMAS_MAX = LIMITS.bodyItemsMax - 1
const TOO_MANY_ITEMS = `The lists of the body have more than ${LIMITS.bodyItemsTotalMax} entries together. Send it in parts.`

/**
 * Refuses JSON that is too deep or has too many parts: parsing and checking it would block the event loop for seconds.
 * Does not check the syntax; `JSON.parse` does. Yields after each slice, for others to be served in between.
 */
export function* requireModestShape(bytes: Uint8Array): Generator<undefined> {
  // For each open container, by depth: its commas so far, and the limit.
  const commas = new Uint32Array(LIMITS.bodyDepthMax + 1)
  const commasMax = new Uint32Array(LIMITS.bodyDepthMax + 1)
  let depth = 0
  let opened = 0
  let items = 0
  let sliceEnd: number = LIMITS.sliceBytes
  for (let at = 0; at < bytes.length; at++) {
    if (at >= sliceEnd) {
      sliceEnd = at + LIMITS.sliceBytes
      yield
    }
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA) {
      const count = (commas[depth] ?? 0) + 1
      commas[depth] = count
      const most = commasMax[depth] ?? 0
      if (depth > 0 && count > most) throw tooMany(most)
      if (most === ITEM_COMMAS_MAX) items += 1
      if (items > LIMITS.bodyItemsTotalMax) throw new Fault('BAD_REQUEST', TOO_MANY_ITEMS)
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1
      opened += 1
      if (opened > LIMITS.bodyContainersMax) {
        throw new Fault('BAD_REQUEST', `The body has more than ${LIMITS.bodyContainersMax} lists and objects.`)
      }
      if (depth > LIMITS.bodyDepthMax) {
        throw new Fault('BAD_REQUEST', `The body is nested deeper than ${LIMITS.bodyDepthMax} levels.`)
      }
      commas[depth] = 0
      commasMax[depth] = byte === OPEN_LIST ? ITEM_COMMAS_MAX : LIMITS.bodyMembersMax - 1
      if (byte === OPEN_LIST) items += 1
    } else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && depth > 0) depth -= 1
  }
}

function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at += 1
    else if (bytes[at] === QUOTE) return at
  }
  return bytes.length
}

function tooMany(commasMax: number): Fault {
  const isList = commasMax === ITEM_COMMAS_MAX
  const [what, units] = isList ? ['A list', 'entries'] : ['An object', 'members']
  return new Fault('BAD_REQUEST', `${what} of the body has more than ${commasMax + 1} ${units}.`)
}
