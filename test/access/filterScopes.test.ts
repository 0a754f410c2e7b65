import { expect, test } from 'vitest'
import { grants, SCOPE_NAMES, type Scope } from '../../src/auth/scopes.js'
import { openFilled } from '../support/harness.js'

/** Filters that tell about what another scope guards, and those beside them that do not. */
const FILTERS: readonly (readonly [list: string, filter: string, needed: readonly Scope[]])[] = [
  ['risks', 'ownership: [PERSON]', ['projects.read', 'personnel.read']],
  ['risks', 'ownership: [NONE, LEFT]', ['projects.read', 'personnel.read']],
  ['risks', 'ownership: [NONE, NAMED]', ['projects.read']],
  ['risks', 'ownerDepartment: ["Bridges"]', ['projects.read', 'personnel.read']],
  ['risks', 'mitigated: false, dueAfter: "2026-01-01", projectStatus: [ACTIVE]', ['projects.read']],
  ['issues', 'assignment: [LEFT]', ['projects.read', 'personnel.read']],
  ['issues', 'assignment: [NAMED]', ['projects.read']],
  ['issues', 'assigneeDepartment: ["Bridges"]', ['projects.read', 'personnel.read']],
  ['personnel', 'ownsNothing: true', ['personnel.read', 'projects.read']],
  ['personnel', 'ownsNothing: false', ['personnel.read', 'projects.read']],
  ['personnel', 'allGroups: []', ['personnel.read']],
  ['projects', 'topLevel: [CRITICAL]', ['projects.read']],
  ['riskMatrix', 'ownership: [LEFT]', ['projects.read', 'personnel.read']],
  ['issueCounts', 'assignment: [PERSON]', ['projects.read', 'personnel.read']],
]
const SETS = Array.from({ length: 2 ** SCOPE_NAMES.length }, (_, bits) =>
  SCOPE_NAMES.filter((_name, index) => bits & (1 << index)),
).filter((set) => set.length > 0)

test('a filter needs the scope of what it tells, whatever else a key holds', async () => {
  const { gateway } = await openFilled()
  for (const scopes of SETS) {
    const caller = await gateway.as(...scopes)
    for (const [list, filter, needed] of FILTERS) {
      const shown = list === 'riskMatrix' ? 'unassessed' : list === 'issueCounts' ? 'total' : 'totalCount nodes { id }'
      const { body } = await caller.graphql(`{ ${list}(filter: { ${filter} }) { ${shown} } }`)
      const lacked = needed.find((scope) => !grants(new Set(scopes), scope))
      const seen = [body.data[list] === null, body.errors?.[0]?.extensions.requiredScope]
      expect([scopes, list, filter, ...seen]).toEqual([scopes, list, filter, lacked !== undefined, lacked])
    }
  }
})
