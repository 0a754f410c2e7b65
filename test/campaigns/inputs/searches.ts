/** Searches for texts that match nowhere, but nearly everywhere: what finds them must not compare each from its start. */
import { type Attack, attack } from './attacks.js'
import { posted } from './graphqlCalls.js'
import { PROJECT, type Stage } from './stage.js'
import { times } from './values.js'

/** Folds to four characters, each the same. */
const LETTER = '\u2a0c'
const TITLES = 400
const NAMES = 240

function addTitles(stage: Stage): Promise<unknown> {
  const risks = times(TITLES, (i) => ({ reference: `S-${i}`, title: LETTER.repeat(500) }))
  const body = JSON.stringify({ key: PROJECT, mode: 'PARTIAL', name: 'x', risks })
  return stage.send({ as: 'tracker', sent: () => posted(body, '/v1/projects') })
}

function addNames(stage: Stage): Promise<unknown> {
  const groups = times(NAMES, (i) => ({ name: `${LETTER.repeat(195)}${i}`, externalId: `SEARCHED-${i}` }))
  return stage.send({ as: 'manager', sent: () => posted(JSON.stringify({ groups }), '/v1/personnel/batch') })
}

let distinct = 0

/** Each time another one, which no cache has. */
const searching = (list: string, letters: number) => () => ({
  target: `/v1/${list}search=${encodeURIComponent(LETTER.repeat(letters) + String.fromCodePoint(0x4e00 + distinct++))}`,
})

const IN_TITLES = `risks?project=${PROJECT}&`

export const SEARCHES: readonly Attack[] = [
  attack(`search: 199 x U+2A0C in ${TITLES} titles of it`, 'projects', searching(IN_TITLES, 199), addTitles),
  attack(`search: 99 x U+2A0C in ${TITLES} titles of it`, 'projects', searching(IN_TITLES, 99)),
  attack(`search: 199 x U+2A0C in ${NAMES} names of groups`, 'personnel', searching('groups?', 199), addNames),
  attack(`search: 99 x U+2A0C in ${NAMES} names of groups`, 'personnel', searching('groups?', 99)),
]
