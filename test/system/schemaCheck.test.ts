import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CHECK = join(ROOT, '.ci/schema-check.mjs')
const SDL = readFileSync(join(ROOT, 'schema/schema.graphql'), 'utf8')
const API = readFileSync(join(ROOT, 'schema/api.graphql'), 'utf8')
const OPENAPI = readFileSync(join(ROOT, 'schema/openapi.json'), 'utf8')

const folder = mkdtempSync(join(tmpdir(), 'contracts-'))
// A git hook sets GIT_DIR in the environment; these commits must not go there.
const options = { cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'] } } as const
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], options)

beforeAll(() => {
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '--message', 'Nothing yet')
  git('tag', 'empty')
  cpSync(join(ROOT, 'schema'), join(folder, 'schema'), { recursive: true })
  git('add', '.')
  git('commit', '--quiet', '--message', 'The contracts')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function check(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CHECK, ...args], options)
  return { code: status, stdout, stderr }
}

type Changes = readonly { contract: string; path: string; change: string }[]

/** The result of the check with these contracts in the working folder. */
function verdict({ sdl = SDL, api = API, openapi = OPENAPI }) {
  writeFileSync(join(folder, 'schema/schema.graphql'), sdl)
  writeFileSync(join(folder, 'schema/api.graphql'), api)
  writeFileSync(join(folder, 'schema/openapi.json'), openapi)
  const { code, stdout } = check('HEAD', '--json')
  const found: { breaking: Changes; dangerous: Changes; compatible: number } = JSON.parse(stdout)
  const outcome = (changes: Changes) => changes.map((one) => `${one.contract} ${one.path}: ${one.change}`).sort()
  return { code, ...found, breaking: outcome(found.breaking), dangerous: outcome(found.dangerous) }
}

/** A text with one part replaced; throws if the part is missing. */
function changed(text: string, place: RegExp, instead: string) {
  expect(text).toMatch(place)
  return text.replace(place, instead)
}

type Node = Record<string, unknown>

/** The REST contract with other values at these paths, written as `paths > /v1/key`; undefined removes one. */
function changedApi(changes: Readonly<Record<string, unknown>>) {
  const document: Node = JSON.parse(OPENAPI)
  for (const [place, value] of Object.entries(changes)) {
    const keys = place.split(' > ')
    const parent = keys.slice(0, -1).reduce((node, key) => node[key] as Node, document)
    parent[keys.at(-1) ?? ''] = value
  }
  return JSON.stringify(document)
}

const SEARCH = 'paths > /v1/personnel > get > parameters > 5'
const SCHEMAS = 'components > schemas'
const OPEN_STATUS = `${SCHEMAS} > OpenIssueStatus`

test('unchanged contracts have no breaking change', () => {
  expect(verdict({})).toEqual({ code: 0, breaking: [], dangerous: [], compatible: 0 })
})

test('a new field, a new member and a new optional parameter are not breaking', () => {
  const sdl = changed(SDL, /type ApiKey \{/, '$& comment: String ')
  const openapi = changedApi({
    [`${SCHEMAS} > ApiKey > properties > comment`]: { type: 'string' },
    'paths > /v1/key > parameters': [{ name: 'verbose', in: 'query', schema: { type: 'boolean' } }],
  })
  expect(verdict({ sdl, openapi })).toEqual({ code: 0, breaking: [], dangerous: [], compatible: 3 })
})

test('a removed field breaks callers', () => {
  const sdl = changed(SDL, /"""When it expires; null for never."""\s+expiresAt: DateTime\n/, '')
  const breaking = ["schema.graphql ApiKey.expiresAt: Field 'expiresAt' was removed from object type 'ApiKey'"]
  expect(verdict({ sdl })).toEqual({ code: 1, breaking, dangerous: [], compatible: 0 })
})

test('a loss in both printed graphs is reported once, and one for clients only is reported too', () => {
  const sdl = changed(SDL, /type ApiKey \{/, 'type ApiKey { comment: String')
  const added = changed(API, /type ApiKey \{/, 'type ApiKey { comment: String')
  expect(verdict({ sdl, api: added })).toEqual({ code: 0, breaking: [], dangerous: [], compatible: 1 })
  const without = changed(API, /type Group implements Node \{/, 'type Group {')
  const breaking = ["api.graphql Group: 'Group' object type no longer implements 'Node' interface"]
  expect(verdict({ api: without })).toMatchObject({ code: 1, breaking })
})

test('a removed key, another key and a field hidden from the router break other subgraphs', () => {
  const without = changed(SDL, /@key\(fields: "key"\)/, '')
  const another = changed(without, /(type Group\s+@key\(fields: ")id/, '$1description')
  const breaking = [
    'schema.graphql ApiKey.scopes: @inaccessible was added',
    'schema.graphql Group: @key(id) was removed',
    'schema.graphql Project: @key(key) was removed',
  ]
  const sdl = changed(another, /scopes: \[String!\]!/, '$& @inaccessible')
  expect(verdict({ sdl })).toEqual({ code: 1, breaking, dangerous: [], compatible: 1 })
})

const listPersonnel = 'GET /v1/personnel query parameter'

test.each([
  ['a removed route', 'GET /v1/key: was removed', { 'paths > /v1/key': undefined }],
  ['a newly required parameter', `${listPersonnel} search: is now required`, { [`${SEARCH} > required`]: true }],
  ['a removed member', 'response Risk.title: was removed', { [`${SCHEMAS} > Risk > properties > title`]: undefined }],
  [
    'a removed value',
    'request OpenIssueStatus: no longer takes OPEN',
    { [`${OPEN_STATUS} > enum`]: ['BLOCKED', 'IN_PROGRESS'] },
  ],
])('%s in REST breaks callers and is named', (_, change, changes) => {
  expect(verdict({ openapi: changedApi(changes) })).toMatchObject({ code: 1, breaking: [`openapi.json ${change}`] })
})

test('changes that break callers are all named, and each once', () => {
  const openapi = changedApi({
    'paths > /v1/key > get > x-required-scope': 'projects.read',
    'paths > /v1/groups > get > x-required-scope': 'personnel.manage',
    'paths > /v1/issues > get > x-required-scope': undefined,
    'paths > /v1/groups/{id} > get > responses > 200': undefined,
    [`${SEARCH} > schema > maxLength`]: 20,
    'paths > /v1/personnel > get > parameters > 10 > name': 'first',
    [`${SCHEMAS} > AddPersonInput > required`]: ['name', 'email'],
    [`${SCHEMAS} > Person > properties > name > type`]: ['string', 'null'],
    [`${SCHEMAS} > Issue > properties > title > type`]: 'integer',
  })
  expect(verdict({ openapi }).breaking).toEqual([
    'openapi.json GET /v1/groups/{id} 200: was removed',
    'openapi.json GET /v1/groups: {"apiKey":["personnel.read"]} no longer grants access',
    'openapi.json GET /v1/key: {"apiKey":[]} no longer grants access',
    `openapi.json ${listPersonnel} limit: was removed`,
    `openapi.json ${listPersonnel} search: no longer takes what breaks the maxLength 20`,
    'openapi.json request AddPersonInput.email: is now required',
    'openapi.json response Issue.title: the type changed from string to integer',
    'openapi.json response Person.name: can now be null',
  ])
})

test('an enum value added to a response is dangerous but not breaking', () => {
  const openapi = changedApi({ [`${SCHEMAS} > RiskResponse > enum > 4`]: 'SHARE' })
  const dangerous = ['openapi.json response Risk.response: can now be SHARE']
  expect(verdict({ openapi })).toMatchObject({ code: 0, breaking: [], dangerous })
})

test.each([
  ['an unknown revision', ['nowhere'], 'There is no git revision nowhere here.\n'],
  ['a revision without contracts', ['empty'], 'The revision empty has no schema/schema.graphql.\n'],
  ['an unknown option', ['--yes'], 'Usage: npm run schema:check -- [REVISION] [--json]\n'],
])('%s is rejected with one sentence', (_, args, stderr) => {
  expect(check(...args)).toEqual({ code: 2, stdout: '', stderr })
})
