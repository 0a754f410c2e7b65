import { test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { reportFigure } from '../support/figures.js'
import { addRisks, risk } from '../support/fixtures.js'
import { type Attack, campaign, isShort, openArena, query, type Row } from './support/arena.js'
import { fine, wrongDocument } from './support/verdicts.js'

/** Texts as large as a body allows, each put into a filter as often as a query allows. */

const RISKS = 2_000
const BODY = LIMITS.bodyBytesMax - 10_000
const REPEATS = isShort ? 240 : 480

const arena = openArena(import.meta.filename, async (write) => {
  const { project } = write.t
  const [first] = await write.db.select().from(project).limit(1)
  const drafts = Array.from({ length: RISKS }, (_, i) =>
    risk(first?.id ?? '', { reference: `F-${i}`, category: `Category ${i % 50}` }),
  )
  await addRisks(write, drafts)
})

/** NFKC makes 18 characters of one U+FDFA; é is taken through both normalisations; a plain text through none. */
const LETTERS = { 'U+FDFA': '\ufdfa', é: 'é', a: 'a' }

const repeated = (text: string) => Array.from({ length: REPEATS }, () => text).join(' ')

type Shape = readonly [argument: string, query: string]
const SHAPES: Shape[] = [
  ['category', `query ($s: String!) { risks(filter: { category: [${repeated('$s')}] }) { totalCount } }`],
  ['category', `query ($s: String!) { risks(first: 1, filter: { category: [${repeated('$s')}] }) { nodes { id } } }`],
  ['project', `query ($s: String!) { issues(filter: { project: [${repeated('$s')}] }) { totalCount } }`],
  ['owner', `query ($s: ID!) { risks(filter: { owner: [${repeated('$s')}] }) { totalCount } }`],
  ['group', `query ($s: ID!) { personnel(filter: { group: [${repeated('$s')}] }) { totalCount } }`],
  ['email', 'query ($s: String!) { personnel(filter: { email: $s }) { totalCount } }'],
  ['key', 'query ($s: String!) { project(key: $s) { id } }'],
  ['id', 'query ($s: ID!) { person(id: $s) { id } }'],
  ['after', 'query ($s: String!) { risks(first: 1, after: $s) { nodes { id } } }'],
]

const rows: Row[] = SHAPES.flatMap(([argument, text]) =>
  Object.entries(LETTERS).map(([name, letter]): Row => {
    const attack: Attack = query(text, { s: letter.repeat(Math.floor(BODY / Buffer.byteLength(letter))) })
    // An id that is too long is simply not found.
    const verdict = argument === 'id' ? fine() : wrongDocument(new RegExp(`^${argument}: Must be at most`))
    return [`${argument}: ${name}, ${text.slice(0, 60)}`, attack, verdict]
  }),
)

campaign(arena, rows)

test('the server needs little memory for it', () => {
  const megabytes = arena.peakBytes() / 1e6
  reportFigure('filters.test.ts: memory of the server', megabytes, 400, 'MB')
})
