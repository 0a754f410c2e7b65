import { projectKey, text } from '../fields.js'

export const projectColumn = projectKey('The key of the project; --project gives it for the whole file.', 'APOLLO')

const WHO = 'an e-mail, a user id, an externalId, or a name that is unique on the roster'

/** The three ways to say who stands behind a risk or an issue. */
export function handlerColumns<const N extends 'owner' | 'assignee'>(name: N, what: string) {
  return {
    // As long as an e-mail can be; a name that is kept has its own bound.
    [name]: text('email', `Who ${what}: ${WHO}.`, 'ada@example.com'),
    [`${name}Id`]: text('reference', `The user id of who ${what}, instead of ${name}.`, ''),
    [`${name}Name`]: text('name', `Who ${what}, as the source writes it.`, ''),
  } as Record<N | `${N}Id` | `${N}Name`, ReturnType<typeof text>>
}
