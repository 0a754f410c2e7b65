import { projectKey, text } from '../fields.js'

export const projectColumn = projectKey('The key of the project; or give --project for the whole file.', 'APOLLO')

const WHO = 'an e-mail, a user id, an externalId, or a name that is unique on the roster'

/** The three columns that name the owner of a risk or the assignee of an issue. */
export function handlerColumns<const N extends 'owner' | 'assignee'>(name: N) {
  return {
    // As long as an e-mail; a name that is stored has its own limit.
    [name]: text('email', `The ${name}: ${WHO}.`, 'ada@example.com'),
    [`${name}Id`]: text('reference', `The user id of the ${name}, instead of ${name}.`, ''),
    [`${name}Name`]: text('name', `The ${name} as named by the source.`, ''),
  } as Record<N | `${N}Id` | `${N}Name`, ReturnType<typeof text>>
}
