import { expect, test } from 'vitest'
import type { Scope } from '../../src/auth/scopes.js'
import { type Caller, openOffice, sharedByTests } from '../support/harness.js'

const office = sharedByTests(async (atEnd) => {
  const { gateway, caller } = await openOffice({}, atEnd)
  await caller.post('/v1/personnel/batch', { people: [{ name: 'Ada', email: 'ada@example.com' }] })
  await caller.post('/v1/projects', { key: 'BRIDGE', name: 'Bridge', risks: [{ reference: 'R-7', title: 'Fog' }] })
  return gateway
})

const PERSON = ['PERSON', 'person(id: "ada@example.com")', '/v1/personnel/ada@example.com'] as const
const RISK = ['RISK', 'risk(project: "BRIDGE", reference: "R-7")', '/v1/projects/BRIDGE/risks/R-7'] as const
const NODES = 'nodes { by import { source } }'

interface Entry {
  readonly by?: string | null
  readonly import?: { readonly source: string } | null
}

/** What an answer tells of who made the last change; an absent member is not a null. */
function authorIn(entries: readonly Entry[] | undefined) {
  if (!entries) return 'refused'
  const { by, import: run } = entries.at(-1) ?? {}
  return { by: by === null ? null : by?.slice(0, 4), import: run === null ? null : run?.source }
}

/** The author of the last change of an entity by each way to its history, and the scopes that GraphQL says are missing. */
async function authorsOf([entity, field, path]: typeof PERSON | typeof RISK, caller: Caller) {
  const query = async (text: string) => {
    const { data, errors = [] } = (await caller.graphql(`{ ${text} }`)).body
    const missing = errors.map((one: { extensions: object }) => Object.values(one.extensions).at(-1))
    return [authorIn((data.one?.history ?? data.changes)?.nodes), ...missing]
  }
  const get = async (target: string) => [authorIn((await caller.get(target)).body.data)]
  return {
    history: await query(`one: ${field} { history { ${NODES} } }`),
    changes: await query(`changes(first: 1000, filter: { entity: ${entity} }) { ${NODES} }`),
    restHistory: await get(`${path}/history`),
    restFeed: await get(`/v1/changes?entity=${entity}&limit=1000`),
  }
}

const SHOWN = { by: 'key_', import: 'personnel.manage projects.manage' }
const WITHHELD = { by: null, import: null }

/** The same of each way; beside what it withholds, GraphQL has an error for each field. */
const everywhere = (author: object | string, ...missing: readonly Scope[]) => ({
  history: [author, ...missing],
  changes: [author, ...missing],
  restHistory: [author],
  restFeed: [author],
})
const OF_PEOPLE = {
  none: everywhere('refused', 'personnel.read'),
  read: everywhere(WITHHELD, 'personnel.manage', 'personnel.manage'),
  manage: everywhere(SHOWN),
}
const OF_PROJECTS = {
  none: everywhere('refused', 'projects.read'),
  read: everywhere(WITHHELD, 'projects.manage', 'projects.manage'),
  manage: everywhere(SHOWN),
}
const HELD = ['none', 'read', 'manage'] as const
const KEYS = HELD.flatMap((people) => HELD.map((projects) => ({ people, projects })))

test.each(KEYS)(
  'a key with people: $people and projects: $projects sees the same author in every history',
  async ({ people, projects }) => {
    const scopes = [`personnel.${people}`, `projects.${projects}`].filter((one) => !one.endsWith('none'))
    const caller = await (await office()).as(...(scopes as Scope[]))
    expect(await authorsOf(PERSON, caller)).toEqual(OF_PEOPLE[people])
    expect(await authorsOf(RISK, caller)).toEqual(OF_PROJECTS[projects])
    // In a feed of both, each entry is shown as in the feed of its kind.
    const { data = [] } = (await caller.get('/v1/changes?limit=1000')).body
    const isManaged = ({ entity }: { entity: string }) => (/PERSON|GROUP/.test(entity) ? people : projects) === 'manage'
    for (const one of data) expect(one.by === null).toBe(!isManaged(one))
  },
)
