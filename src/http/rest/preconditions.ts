import { Fault } from '../../errors.js'
import type { RootResult } from '../../graph/query/readers.js'
import { Content, JSON_TYPE } from '../wire/content.js'
import type { HttpRequest } from '../wire/request.js'

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
const TAGS = new RegExp(String.raw`^[\s,]*${TAG}(?:\s*,[\s,]*${TAG})*[\s,]*$`)

/** The strong tags of `If-Match`, since weak ones never match; undefined if there is no condition. */
export function tagsToMatch(request: HttpRequest): readonly string[] | undefined {
  const wanted = request.header('if-match')?.trim()
  // `*` requires only that the resource exists, and a missing one is a 404 anyway (RFC 9110, 13.2.1).
  if (wanted === undefined || wanted === '*') return undefined
  if (!TAGS.test(wanted)) {
    throw new Fault('BAD_REQUEST', 'The header If-Match must hold ETags as they were received, in quotes, or `*`.')
  }
  const tags = wanted.match(new RegExp(TAG, 'g')) ?? []
  return tags.filter((tag) => !tag.startsWith('W/'))
}

/** Throws unless a tag matches the current resource. A missing resource passes: the change itself reports a 404. */
export function requireMatch(tags: readonly string[], { isThere, json }: RootResult): void {
  if (!isThere) return
  const content = new Content(JSON_TYPE, Buffer.concat(json))
  if (tags.some((tag) => content.isTagged(tag))) return
  throw new Fault('PRECONDITION_FAILED', 'This has changed since you read it. Read it again, and retry with its ETag.')
}

/** For paths without a GET route, which never have an ETag. */
export function unmatchable(): Fault {
  const advice = 'Read again what you want to change, and retry without If-Match.'
  return new Fault('PRECONDITION_FAILED', `Nothing at this path has an ETag, so none can match. ${advice}`)
}
