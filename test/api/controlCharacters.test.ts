import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createLog } from '../../src/http/observe/log.js'
import { mintKey, openStore } from '../../src/index.js'
import { ada } from '../support/fixtures.js'
import { openGateway, openOffice, sharedByTests } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'
import { newStore } from '../support/stores.js'
import { BRIDGE, sync, synced } from '../support/syncing.js'

const ESCAPE = '\x1b[2J'
/** One of each kind: C0, DEL, C1 (U+009B begins what ESC [ does), line ends, overrides and isolates of direction. */
const CONTROLS = [
  '\x01',
  '\t',
  '\n',
  '\r',
  '\x1b',
  '\x7f',
  '\x85',
  '\x9b',
  '\u2028',
  '\u2029',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
]
/** For what is refused, so that nothing is stored. */
const sharedOffice = sharedByTests((atEnd) => openOffice({}, atEnd))

const named = (control: string) => `a${control}b`
const detailOf = (control: string) =>
  `Must not contain control characters; this has U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}.`

describe('a name with a control character is refused, with its place and what it has', () => {
  test.each(CONTROLS)('by REST and GraphQL: %j', async (control) => {
    const { caller } = await sharedOffice()
    const name = named(control)
    const detail = detailOf(control)
    const violation = (pointer: string) => ({ pointer, detail })
    const added = await caller.post('/v1/personnel', { ...ada, name, title: name, department: name, externalId: name })
    expect(added).toMatchProblem(422, 'VALIDATION_FAILED')
    expect(added.body.errors).toEqual(['/name', '/externalId', '/title', '/department'].map(violation))
    const group = 'mutation ($input: AddGroupInput!) { addGroup(input: $input) { id } }'
    const grouped = await caller.graphql(group, { input: { name } })
    expect(grouped.body.errors[0].extensions).toEqual({ code: 'VALIDATION_FAILED', errors: [violation('/name')] })
    const risks = [{ reference: name, title: 'x', category: name }]
    const synced = await sync(caller, { ...BRIDGE, name: 'Fine', risks, issues: undefined })
    expect(synced.body.errors[0].extensions.errors).toEqual(['/risks/0/reference', '/risks/0/category'].map(violation))
  })

  test('by a sync in the project, owners and assignees, with and without the roster', async () => {
    const { gateway, caller } = await openOffice()
    for (const sender of [caller, await gateway.as('projects.manage')]) {
      const violationsOf = async (state: object) =>
        (await sync(sender, { ...BRIDGE, ...state })).body.errors[0].extensions.errors
      expect(await violationsOf({ name: named('\x9b') })).toEqual([{ pointer: '/name', detail: detailOf('\x9b') }])
      const risks = [{ reference: 'R', title: 'x', owner: named('\u202e') }]
      expect(await violationsOf({ risks })).toEqual([{ pointer: '/risks/0/owner', detail: detailOf('\u202e') }])
    }
  })

  test('by an import, with its line, and in a key', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'people.csv'), `name,email\nAda,a@x.org\nA${ESCAPE}da,b@x.org\n`)
    const { code, stderr } = await runHere(folder, ['import', 'people', 'people.csv'])
    expect(code).toBe(1)
    expect(stderr).toContain(`  line 3, name "A\\u001b[2Jda": ${detailOf('\x1b')}\n`)
    const key = await runHere(folder, ['keys', 'create', '--scope', 'projects.read', '--name', named('\x1b')])
    expect(key).toEqual({ code: 2, stdout: '', stderr: `--name cannot be used: ${detailOf('\x1b')}\n` })
    const own = newStore()
    const store = await openStore(own.url)
    await expect(mintKey(store, { name: named('\x9b'), scopes: [] })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    })
    await store.close()
    own.remove()
  })

  test('but a headline may be broken into lines, and a description may have anything but NUL', async () => {
    const { caller } = await openOffice()
    const title = 'Steel\r\nis\tlate'
    const description = `x${CONTROLS.join('')}y`
    const state = { ...BRIDGE, issues: undefined, risks: [{ reference: 'R', title, description }] }
    await synced(caller, state)
    const [stored] = (await caller.get('/v1/risks?project=BRIDGE')).body.data
    expect(stored).toMatchObject({ title, description })
    const bad = await sync(caller, { ...state, risks: [{ reference: 'R', title: named('\x1b') }] })
    expect(bad.body.errors[0].extensions.errors).toEqual([{ pointer: '/risks/0/title', detail: detailOf('\x1b') }])
  })
})

/** Spaces without width, soft hyphens, marks of direction, fillers, variation selectors, tags, and joiners of nothing. */
const INVISIBLES = [
  ...['\u200b', '\u2060', '\ufeff', '\u00ad', '\u200e', '\u200f', '\u061c', '\u2064', '\u180e', '\u034f'],
  ...['\u3164', '\ufe00', '\u{e0061}', '\u200c', '\u200d'],
]
const invisibleOf = (one: string) =>
  `Must not contain invisible characters; this has U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}.`

describe('a new name or identifier with an invisible character is refused, with its place and what it has', () => {
  test.each(INVISIBLES)('by REST, GraphQL and a sync: %j', async (invisible) => {
    const { caller } = await sharedOffice()
    const name = `Crisis${invisible}Team`
    const violation = (pointer: string) => ({ pointer, detail: invisibleOf(invisible) })
    const added = await caller.post('/v1/personnel', { name, email: `${name}@x.org`, externalId: name })
    expect(added).toMatchProblem(422, 'VALIDATION_FAILED')
    expect(added.body.errors).toEqual(['/name', '/email', '/externalId'].map(violation))
    expect((await caller.post('/v1/groups', { name, externalId: name })).body.errors).toEqual(
      ['/name', '/externalId'].map(violation),
    )
    const synced = await sync(caller, { key: `A${invisible}B`, name, risks: [{ reference: name, title: name }] })
    expect(synced.body.errors[0].extensions.errors).toEqual(['/key', '/name', '/risks/0/reference'].map(violation))
    const people = [{ name: 'Ada', externalId: 'A', groups: [name] }]
    const batch = await caller.post('/v1/personnel/batch', { people })
    const detail = `${JSON.stringify(name)}: ${invisibleOf(invisible)}`
    expect(batch.body.errors).toEqual([{ pointer: '/people/0/groups', detail }])
  })

  test('by an import, with its line, and in a key', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'groups.csv'), 'name\nCrisis Team\nCrisis\u200b Team\n')
    const { code, stderr } = await runHere(folder, ['import', 'groups', 'groups.csv'])
    expect(code).toBe(1)
    expect(stderr).toContain(`  line 3, name "Crisis\u200b Team": ${invisibleOf('\u200b')}\n`)
    const key = await runHere(folder, ['keys', 'create', '--scope', 'projects.read', '--name', 'CI\u2060'])
    expect(key).toEqual({ code: 2, stdout: '', stderr: `--name cannot be used: ${invisibleOf('\u2060')}\n` })
  })

  test.each([
    ['Persian', 'نیم\u200cفاصله'],
    ['Sinhala', 'ශ්\u200dරී'],
    ['Malayalam', 'രാജന്\u200d'],
    ['emoji of several parts', '👩🏽\u200d🚀 Crew ❤\ufe0f\u200d🔥 1\ufe0f\u20e3'],
    ['a variant of an ideograph', '葛\u{e0100}城'],
  ])('but what shapes letters and emoji stays: %s', async (_, name) => {
    const { caller } = await openOffice()
    expect(await caller.post('/v1/groups', { name })).toMatchObject({ status: 201, body: { name } })
  })

  test('and an older one is read, found, and changed in all else', async () => {
    const gateway = openGateway()
    const caller = await gateway.as('personnel.manage')
    const { id } = (await caller.post('/v1/groups', { name: 'Crisis Team' })).body
    const name = 'Crisis\u200bTeam'
    gateway.own.run(`update groups set name = '${name}', name_folded = '${name.toLowerCase()}'`)
    expect((await caller.patch(`/v1/groups/${id}`, { description: 'For crises.' })).body).toMatchObject({ name })
    const people = [{ name: 'Ada', externalId: 'A', groups: [name] }]
    expect((await caller.post('/v1/personnel/batch', { people })).status).toBe(200)
    const { data } = (await caller.get(`/v1/personnel?group=${encodeURIComponent(name)}`)).body
    expect(data).toMatchObject([{ name: 'Ada', groups: [{ id }] }])
  })
})

describe('what was stored before it was refused', () => {
  const OLD = `Old${ESCAPE}\u009b31m\u202eName`
  const SHOWN = 'Old\\u001b[2J\\u009b31m\\u202eName'

  async function open() {
    const gateway = openGateway()
    const caller = await gateway.as('personnel.manage', 'projects.manage')
    const { id } = (await caller.post('/v1/personnel', ada)).body
    await synced(caller, BRIDGE)
    // Directly in the database, as an earlier release would have stored it.
    const stored = `'Old' || '${OLD.slice(3)}'`
    gateway.own.run(`update person set name = ${stored}, name_folded = ${stored}`)
    gateway.own.run(`update project set name = ${stored}; update api_key set name = ${stored} || '\nforged'`)
    gateway.own.run(`update change set fields = replace(fields, 'Ada Lovelace', '${JSON.stringify(OLD).slice(1, -1)}')`)
    return { gateway, caller, id, folder: newFolder(), database: ['--database', gateway.own.url] }
  }

  test('is read as it is, and what else is known of it can be changed', async () => {
    const { caller, id } = await open()
    expect((await caller.get(`/v1/personnel/${id}`)).body.name).toBe(OLD)
    const changed = await caller.graphql(
      `mutation { changePerson(id: "${id}", input: { title: "Lead" }) { name title } }`,
    )
    expect(changed.body).toEqual({ data: { changePerson: { name: OLD, title: 'Lead' } } })
    expect((await caller.get('/v1/projects', { accept: 'text/csv' })).text).toContain(OLD)
  })

  test('is exported as it is, and shown on a terminal so that it does nothing', async () => {
    const { folder, database } = await open()
    expect((await runHere(folder, ['export', 'people', ...database])).stdout).toContain(OLD)
    const onTerminal = await asTerminal(() => runHere(folder, ['export', 'people', ...database]))
    expect(onTerminal.stdout).toContain(`,${SHOWN},`)
    expect(onTerminal.stdout).not.toContain('\x1b')
  })

  test('is escaped by every command that shows it', async () => {
    const { id, folder, database } = await open()
    const list = await runHere(folder, ['keys', 'list', ...database])
    expect(list.stdout).toContain(`  ${SHOWN}\\u000aforged  [`)
    const json = await runHere(folder, ['keys', 'list', '--json', ...database])
    expect(json.stdout).toContain(SHOWN)
    expect(JSON.parse(json.stdout)[0].name).toBe(`${OLD}\nforged`)
    const history = await runHere(folder, ['history', id, ...database])
    expect(history.stdout).toContain(`name nothing → ${SHOWN}`)
    writeFileSync(join(folder, 'risks.csv'), `project,reference,title,owner\nBRIDGE,R-9,x,"=x\u009b"\n`)
    writeFileSync(join(folder, 'people.csv'), 'name,email\nNew,ada@example.com\nNewer,ADA@example.com\n')
    for (const args of [
      ['import', 'risks', 'risks.csv', ...database],
      ['import', 'people', 'people.csv', ...database],
      ['import', 'people', `no\x9bfile\u202e.csv`, ...database],
      ['import', `\x1b]0;x\x07`],
      ['keys', 'revoke', `\x9b31m`, ...database],
      ['history', `\u202e`, ...database],
      [`--\x9b31m`],
    ]) {
      const { stdout, stderr } = await runHere(folder, args)
      expect({ args, text: stdout + stderr }).toEqual({ args, text: expect.stringMatching(/^[^\p{Cc}\u202e]*\n/u) })
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
    }
  })
})

/** Runs work with standard output as a terminal. */
async function asTerminal<T>(work: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY')
  Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true })
  try {
    return await work()
  } finally {
    if (before) Object.defineProperty(process.stdout, 'isTTY', before)
    else Reflect.deleteProperty(process.stdout, 'isTTY')
  }
}

test('the log of a server shows them escaped on a terminal', () => {
  const stream = new PassThrough()
  // The logger writes to it, and only checks `isTTY`.
  const terminal = Object.assign(stream as unknown as NodeJS.WriteStream, { isTTY: true })
  const log = createLog('info', terminal)
  log.error({ path: '/\x9b31m\nforged', err: new Error('\x1b[2J') }, 'request')
  log.flush()
  expect(String(stream.read())).toMatch(/ERROR request path=\/\\u009b31m\\u000aforged\nError: \\u001b\[2J\n/)
})

test('printing leaves no listener behind', async () => {
  const folder = newFolder()
  const count = () => process.stdout.listenerCount('error')
  const before = count()
  for (let i = 0; i < 3; i++) expect((await runHere(folder, ['import', 'people', '--template'])).code).toBe(0)
  expect(count()).toBe(before)
})
