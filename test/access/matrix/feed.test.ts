import { afterAll, expect, test } from 'vitest'
import type { Scope } from '../../../src/auth/scopes.js'
import { isEnough } from './paths.js'
import type { Refusal } from './results.js'
import { checksMin, type Holder, openStage, sameness, Tally } from './stage.js'

/** Fewer would mean that a filter was left out. */
const CHECKS_MIN = 150

const { holders, everything, nowhere, rows } = await openStage(afterAll)
const tally = new Tally()

const AREA: Readonly<Record<string, string>> = {
  ...{ PERSON: 'personnel', GROUP: 'personnel' },
  ...{ PROJECT: 'projects', RISK: 'projects', ISSUE: 'projects' },
}

interface Entry {
  readonly entity: string
  readonly project: { readonly key: string } | null
  readonly by?: string | null
  readonly import?: object | null
}

const mayDo = ({ self }: Holder, { entity }: Entry, action: string) =>
  isEnough(self.scopes, `${AREA[entity]}.${action}` as Scope)

interface FilterCase {
  readonly filter: string
  /** The scopes that the filter itself needs. */
  readonly needs: readonly Scope[]
  readonly matches: (entry: Entry) => boolean
}

const FILTERS: readonly FilterCase[] = [
  { filter: '', needs: [], matches: () => true },
  ...Object.entries(AREA).map(([kind, area]) => ({
    filter: `entity=${kind.toLowerCase()}`,
    needs: [`${area}.read` as Scope],
    matches: ({ entity }: Entry) => entity === kind,
  })),
  {
    filter: 'entity=risk,person',
    needs: ['projects.read', 'personnel.read'],
    matches: ({ entity }) => entity === 'RISK' || entity === 'PERSON',
  },
  { filter: 'project=APOLLO', needs: ['projects.read'], matches: ({ project }) => project?.key === 'APOLLO' },
]

/** What a key is refused for, if anything: the first scope of the filter that it lacks, or any at all. */
function refusedFor({ self }: Holder, { needs }: FilterCase): Scope | undefined {
  if (needs.length > 0) return needs.find((scope) => !isEnough(self.scopes, scope))
  return self.scopes.length === 0 ? 'personnel.read' : undefined
}

test.each(FILTERS)('REST: with "$filter" a key sees what it may read, or is refused by name', async (filterCase) => {
  const path = `/v1/changes?limit=1000${filterCase.filter && `&${filterCase.filter}`}`
  const { body: whole } = await everything.caller.get('/v1/changes?limit=1000')
  expect(whole.data.length).toBeGreaterThan(10)
  for (const holder of holders) {
    const answer = await holder.caller.get(path)
    const refused = refusedFor(holder, filterCase)
    const what = `${path} with ${holder.label}`
    if (refused) {
      const { status, body } = answer
      tally.check(what, [status, body.code, body.requiredScope], [403, 'INSUFFICIENT_SCOPE', refused])
      continue
    }
    const entries = whole.data.filter((one: Entry) => filterCase.matches(one) && mayDo(holder, one, 'read'))
    const expected = entries.map((one: Entry) =>
      mayDo(holder, one, 'manage') ? one : { ...one, by: null, import: null },
    )
    tally.check(what, answer.body.data, expected)
  }
  expect(tally.findings()).toEqual([])
})

const NODE = `entity by import { id } project { key } person { id name groups { id } } group { id members { nodes { id } } }
  risk { id owner { name } } issue { id assignee { name } }`

test('GraphQL: a key sees the changes that it may read, and is refused each field that it may not', async () => {
  const query = `{ changes(first: 100) { nodes { ${NODE} } } }`
  const { data } = (await everything.caller.graphql(query)).body
  for (const holder of holders) {
    const { body } = await holder.caller.graphql(query)
    if (holder.self.scopes.length === 0) {
      const extensions = { code: 'INSUFFICIENT_SCOPE', requiredScope: 'personnel.read' }
      tally.check(holder.label, [body.data, body.errors[0].extensions], [{ changes: null }, extensions])
      continue
    }
    const mayReadPeople = isEnough(holder.self.scopes, 'personnel.read')
    const nodes = data.changes.nodes
      .filter((one: Entry) => mayDo(holder, one, 'read'))
      .map((one: Seen) => ({
        ...one,
        by: mayDo(holder, one, 'manage') ? one.by : null,
        import: mayDo(holder, one, 'manage') ? one.import : null,
        risk: one.risk && { ...one.risk, owner: mayReadPeople ? one.risk.owner : null },
        issue: one.issue && { ...one.issue, assignee: mayReadPeople ? one.issue.assignee : null },
      }))
    tally.check(holder.label, body.data.changes.nodes, nodes)
    const mayRead = Object.keys(AREA).filter((entity) => mayDo(holder, { entity, project: null }, 'read'))
    const unmanaged = mayRead.find((entity) => !mayDo(holder, { entity, project: null }, 'manage'))
    const refused = [
      ...(unmanaged ? ['by', 'import'].map((name) => [name, `${AREA[unmanaged]}.manage`]) : []),
      ...(mayReadPeople ? [] : [['risk.owner', 'personnel.read']]),
      ...(mayReadPeople ? [] : [['issue.assignee', 'personnel.read']]),
    ].map(([path, requiredScope]) => ({
      path: ['changes', 'nodes', '@', ...(path?.split('.') ?? [])],
      extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope },
    }))
    const errors = (body.errors ?? []).map(({ path, extensions }: Refusal) => ({ path, extensions }))
    tally.check(`${holder.label}: errors`, errors.toSorted(byPath), refused.toSorted(byPath))
  }
  expect(tally.findings()).toEqual([])
})

const byPath = (one: { path: readonly unknown[] }, other: { path: readonly unknown[] }) =>
  String(one.path) < String(other.path) ? -1 : 1

interface Seen extends Entry {
  readonly risk: { readonly owner: object | null } | null
  readonly issue: { readonly assignee: object | null } | null
}

test('a project that is not there is no more visible than one that is', async () => {
  const within = ({ caller }: Holder, on: typeof rows) => caller.get(`/v1/changes?project=${on['Project']}`)
  for (const holder of holders.filter(({ self }) => !isEnough(self.scopes, 'projects.read'))) {
    const [one, other] = [await within(holder, rows), await within(holder, nowhere)]
    tally.check(holder.label, sameness(other), sameness(one))
  }
  expect(tally.findings()).toEqual([])
})

test('no filter was left out: the number of checks is as expected', () => {
  expect(tally.checks).toBeGreaterThan(checksMin(CHECKS_MIN))
})
