import type { GraphQLInputType } from 'graphql'
import { flawed } from '../../errors.js'
import { checkedInput } from '../../graph/inputFlaws.js'

/** Coerces a body to its input type, or throws a Fault with a JSON Pointer for every flaw. */
export async function readBody(body: unknown, type: GraphQLInputType): Promise<unknown> {
  const { value, flaws, isCut } = await checkedInput(body, type, false)
  if (flaws.length === 0) return value
  const cut = isCut ? ` These are the first ${flaws.length} flaws.` : ''
  throw flawed('VALIDATION_FAILED', `The body does not match its schema.${cut}`, flaws)
}
