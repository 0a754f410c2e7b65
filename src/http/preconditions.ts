import { Fault } from '../errors.js'
import type { Asked } from './asked.js'
import { Content } from './represent.js'

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
const TAGS = new RegExp(String.raw`^[\s,]*${TAG}(?:\s*,[\s,]*${TAG})*[\s,]*$`)

/** The tags of `If-Match` that can hold, which weak ones never do; undefined when none has to. */
export function tagsToMatch(asked: Asked): readonly string[] | undefined {
  const wanted = asked.header('if-match')?.trim()
  // `*` asks that something be there, and what is not there is a 404 anyway (RFC 9110, 13.2.1).
  if (wanted === undefined || wanted === '*') return undefined
  if (!TAGS.test(wanted)) {
    throw new Fault('BAD_REQUEST', 'The header If-Match must hold ETags as they were given, in quotes, or `*`.')
  }
  const tags = wanted.match(new RegExp(TAG, 'g')) ?? []
  return tags.filter((tag) => !tag.startsWith('W/'))
}

/** Throws unless one of the tags is that of what stands there now. What is not there is left to say so itself. */
export function requireMatch(tags: readonly string[], current: unknown): void {
  if (current === null || current === undefined) return
  const content = Content.json(current)
  if (tags.some((tag) => content.isTagged(tag))) return
  throw new Fault('PRECONDITION_FAILED', 'This has changed since you read it. Read it again, and retry with its ETag.')
}

/** What cannot be read has no tag that the caller could have seen. */
export function unmatchable(): Fault {
  const advice = 'Read again what you want to change, and retry without If-Match.'
  return new Fault('PRECONDITION_FAILED', `Nothing at this path has an ETag, so none can match. ${advice}`)
}
