import { describe, expect, test } from 'vitest'
import { changeGroup } from '../../src/personnel/groups.js'
import { changePerson } from '../../src/personnel/people.js'
import { addGroup } from '../support/fixtures.js'
import { type Caller, type Gateway, openGateway, type TestResponse } from '../support/harness.js'

const LATER = new Date('2026-11-03T10:00:00.000Z')

interface TaggedStage {
  readonly gateway: Gateway
  readonly caller: Caller
  /** The path of each noun. */
  readonly paths: Readonly<Record<Noun, string>>
  readonly ids: Readonly<Record<Noun, string>>
  readonly membership: string
}
type Noun = 'person' | 'group'
const NOUNS: Noun[] = ['person', 'group']

/** Bea, who is in no group, and a group with a description that is long enough to be compressed. */
async function openTagged(): Promise<TaggedStage> {
  const gateway = openGateway()
  const caller = await gateway.as('personnel.manage')
  const group = await gateway.write((write) => addGroup(write, { name: 'Divers', description: 'deep '.repeat(400) }))
  const person = (await caller.post('/v1/personnel', { name: 'Bea', email: 'bea@example.com' })).body.id
  gateway.clock.now = LATER
  const paths = { person: `/v1/personnel/${person}`, group: `/v1/groups/${group}` }
  return { gateway, caller, paths, ids: { person, group }, membership: `${paths.group}/members/${person}` }
}

async function tagOf(
  { caller, paths }: TaggedStage,
  noun: Noun,
  headers: Record<string, string> = {},
): Promise<string> {
  return (await caller.request(paths[noun], { method: 'HEAD', headers })).headers.get('etag') ?? ''
}

const rename = ({ caller, paths }: TaggedStage, noun: Noun, name: string, tag: string, headers = {}) =>
  caller.patch(paths[noun], { name }, { 'if-match': tag, ...headers })

/** Everything that a change could store. */
async function traces({ gateway }: TaggedStage): Promise<unknown> {
  const { db, t } = gateway.store.read
  const rows = [t.person, t.group, t.membership, t.change].map((table) => db.select().from(table))
  return { rows: await Promise.all(rows), version: await gateway.store.version() }
}

/** Checks that the request is refused with this error, and that nothing was stored. */
async function refused(
  stage: TaggedStage,
  work: () => Promise<TestResponse>,
  status: 400 | 412 = 412,
): Promise<TestResponse> {
  const before = await traces(stage)
  const answer = await work()
  expect(answer).toMatchProblem(status, status === 412 ? 'PRECONDITION_FAILED' : 'BAD_REQUEST')
  expect(await traces(stage)).toEqual(before)
  return answer
}

const FITTING: [string, (tag: string) => string][] = [
  ['the tag itself', (tag) => tag],
  ['its form for brotli', (tag) => tag.replace(/"$/, '-br"')],
  ['its form for gzip', (tag) => tag.replace(/"$/, '-gzip"')],
  ['a list with it', (tag) => `"other" , ${tag}`],
  ['a list with commas in a tag and between nothing', (tag) => `, "a,b",,${tag},`],
  ['a list with it and a weak one', (tag) => `W/"weak", ${tag}`],
  ['anything that exists', () => '*'],
]

test.each(FITTING)('If-Match with %s lets a change through', async (_, headerOf) => {
  const stage = await openTagged()
  for (const noun of NOUNS) {
    const { status, body } = await rename(stage, noun, 'New', headerOf(await tagOf(stage, noun)))
    expect([status, body.name, body.updatedAt]).toEqual([200, 'New', LATER.toISOString()])
  }
})

const STALE: [string, (tag: string) => string][] = [
  ['another tag', () => '"other"'],
  ['an empty tag', () => '""'],
  ['a weak tag, even of the same', (tag) => `W/${tag}`],
  ['a list of others', (tag) => `"other", W/${tag}, ${tag.toUpperCase()}`],
  ['the form for an encoding that there is not', (tag) => tag.replace(/"$/, '-zstd"')],
  ['a part of the tag', (tag) => tag.replace(/..."$/, '"')],
]

test.each(STALE)('If-Match with %s changes nothing', async (_, headerOf) => {
  const stage = await openTagged()
  for (const noun of NOUNS) {
    const header = headerOf(await tagOf(stage, noun))
    const { body } = await refused(stage, () => rename(stage, noun, 'New', header))
    expect(body.detail).toBe('This has changed since you read it. Read it again, and retry with its ETag.')
  }
})

const MALFORMED = ['', ' ', 'other', '"open', 'closed"', '"a" "b"', '"a""b"', '*, "a"', 'w/"a"', "'a'", '"a b"', ',']

test.each(MALFORMED)('If-Match: %j is malformed', async (header) => {
  const stage = await openTagged()
  for (const noun of NOUNS) await refused(stage, () => rename(stage, noun, 'New', header), 400)
  await refused(stage, () => stage.caller.put(stage.membership, { 'if-match': header }), 400)
})

test.each(NOUNS)('of two concurrent changes of a %s with the same tag, one gets 412', async (noun) => {
  const stage = await openTagged()
  const tag = await tagOf(stage, noun)
  const answers: TestResponse[] = []
  const history = await stage.gateway.historyOf(async () => {
    answers.push(...(await Promise.all(['One', 'Two'].map((name) => rename(stage, noun, name, tag)))))
  })
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412])
  const winner = answers.find(({ status }) => status === 200)?.body
  expect((await stage.caller.get(stage.paths[noun])).body).toEqual(winner)
  const was = noun === 'person' ? 'Bea' : 'Divers'
  expect(history).toMatchObject([{ entityId: stage.ids[noun], fields: { name: [was, winner.name] } }])
})

test.each(NOUNS)(
  'the tag of a %s is compared once the write has begun, after whoever writes just now',
  async (noun) => {
    const stage = await openTagged()
    const { gateway, ids } = stage
    const tag = await tagOf(stage, noun)
    const change = noun === 'person' ? changePerson : changeGroup
    let proceed = () => {}
    const held = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const earlier = gateway.write(async (write) => {
      await held
      await change(write, ids[noun], { externalId: 'X-1' })
    })
    const later = rename(stage, noun, 'New', tag)
    // Long enough for the request to finish its reads before it writes.
    setTimeout(proceed, 100)
    await earlier
    expect(await later).toMatchProblem(412, 'PRECONDITION_FAILED')
    expect((await stage.caller.get(stage.paths[noun])).body).toMatchObject({ externalId: 'X-1' })
  },
)

test('the ETag of a change works for the next one, and the previous ETag no longer', async () => {
  const stage = await openTagged()
  for (const noun of NOUNS) {
    const first = await tagOf(stage, noun)
    const second = (await rename(stage, noun, 'Second', first)).headers.get('etag') ?? ''
    await refused(stage, () => rename(stage, noun, 'Third', first))
    expect((await rename(stage, noun, 'Third', second)).status).toBe(200)
  }
})

test('the ETag of a compressed response works too, of a GET as of a PATCH', async () => {
  const stage = await openTagged()
  const read = await tagOf(stage, 'group', { 'accept-encoding': 'br' })
  expect(read).toMatch(/-br"$/)
  // Without the harness, which reads every response as plain text.
  const changed = await stage.gateway.app.fetch(
    new Request(`http://localhost${stage.paths.group}`, {
      method: 'PATCH',
      headers: {
        authorization: stage.caller.authorization ?? '',
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
        'if-match': read,
      },
      body: '{"externalId":"DIR-1"}',
    }),
  )
  const tag = changed.headers.get('etag') ?? ''
  expect([changed.status, tag]).toEqual([200, expect.stringMatching(/-gzip"$/)])
  expect((await rename(stage, 'group', 'New', tag)).status).toBe(200)
})

test('a new membership makes the tags of the person and of the group stale', async () => {
  const stage = await openTagged()
  const tags = { person: await tagOf(stage, 'person'), group: await tagOf(stage, 'group') }
  await stage.caller.put(stage.membership)
  for (const noun of NOUNS) await refused(stage, () => rename(stage, noun, 'New', tags[noun]))
})

test('a change that changes nothing keeps the tag', async () => {
  const stage = await openTagged()
  const tag = await tagOf(stage, 'person')
  const { headers } = await stage.caller.patch(stage.paths.person, {}, { 'if-match': tag })
  expect(headers.get('etag')).toBe(tag)
})

test.each(['"x"', '*'])('what is not there is not found, whatever If-Match asks: %s', async (header) => {
  const { caller } = await openTagged()
  for (const path of ['/v1/personnel/usr_nobody', '/v1/groups/grp_nowhere']) {
    expect(await caller.patch(path, {}, { 'if-match': header })).toMatchProblem(404, 'NOT_FOUND')
  }
})

test('a stale ETag is reported before errors in the content, and the scope before both', async () => {
  const stage = await openTagged()
  await refused(stage, () => stage.caller.patch(stage.paths.person, { name: '' }, { 'if-match': '"old"' }))
  const reader = await stage.gateway.as('personnel.read', 'projects.manage')
  for (const header of ['"old"', '*', 'malformed', await tagOf(stage, 'person')]) {
    const answer = await reader.patch(stage.paths.person, { name: '' }, { 'if-match': header })
    expect(answer).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
  }
})

describe('a membership has no tag', () => {
  test('so that none can match', async () => {
    const stage = await openTagged()
    for (const header of ['"x"', 'W/"x"', await tagOf(stage, 'group')]) {
      for (const method of ['PUT', 'DELETE']) {
        const headers = { 'if-match': header }
        const { body } = await refused(stage, () => stage.caller.request(stage.membership, { method, headers }))
        expect(body.detail).toMatch(/^Nothing at this path has an ETag.*Read again.*retry without If-Match\.$/)
      }
    }
  })

  test('but * is fine', async () => {
    const stage = await openTagged()
    const any = { 'if-match': '*' }
    const count = async () => (await stage.caller.get(stage.paths.group)).body.memberCount
    expect([(await stage.caller.put(stage.membership, any)).status, await count()]).toEqual([204, 1])
    expect([(await stage.caller.delete(stage.membership, any)).status, await count()]).toEqual([204, 0])
  })
})
