import { describe, expect, test } from 'vitest'
import { addIssue, addRisk, issue, risk } from '../support/fixtures.js'
import { type AtEnd, openPlain, sharedByTests, type TestResponse } from '../support/harness.js'
import { LATER, openContract as openDefault } from './contractStage.js'

/** The entries of a response, each by its distinguishing member. */
function entries({ body }: TestResponse): string[] {
  return body.data.map(({ reference, key, name }: TestResponse['body']) => reference ?? key ?? name)
}

const MODES: [string, (atEnd?: AtEnd) => ReturnType<typeof openDefault>][] = [
  ['by default', openDefault],
  ['without workers, batches and response cache', (atEnd) => openDefault(atEnd, openPlain(atEnd))],
]

describe.each(MODES)('%s', (_, openContract) => {
  const sharedContract = sharedByTests(openContract)

  test.each<[string, string[]]>([
    ['/v1/personnel', ['Ada', 'bea', 'Ｃleo', 'Zoë', 'Åsa']],
    ['/v1/personnel?status=inactive', ['Gone']],
    ['/v1/personnel?status=Active,INACTIVE', ['Ada', 'bea', 'Ｃleo', 'Gone', 'Zoë', 'Åsa']],
    ['/v1/personnel?group={alpha}', ['Ada', 'bea']],
    ['/v1/personnel?group={alpha},{zulu}', ['Ada', 'bea', 'Åsa']],
    ['/v1/personnel?group={alpha}&status=inactive', ['Gone']],
    ['/v1/personnel?group={empty}', []],
    ['/v1/personnel?group=grp_00000000000000000000000000', []],
    ['/v1/personnel?search=EA', ['bea']],
    ['/v1/personnel?search=cleo', ['Ｃleo']],
    ['/v1/personnel?search=ÅS', ['Åsa']],
    ['/v1/personnel?search=@example', ['bea', 'Ｃleo', 'Zoë', 'Åsa']],
    ['/v1/personnel?search=_', ['Ｃleo']],
    ['/v1/personnel?search=%25', []],
    ['/v1/personnel?search=engineer', ['bea']],
    ['/v1/personnel?search=bridg', ['bea']],
    ['/v1/personnel?allGroups={alpha}', ['Ada', 'bea']],
    ['/v1/personnel?allGroups={alpha},zulu%20team', []],
    ['/v1/personnel?ownsNothing=true', ['bea', 'Ｃleo', 'Åsa']],
    ['/v1/personnel?ownsNothing=false', ['Ada', 'Zoë']],
    ['/v1/personnel?order=NAME', ['Ada', 'bea', 'Ｃleo', 'Zoë', 'Åsa']],
    ['/v1/personnel?order=updated', ['Åsa', 'Ｃleo', 'Ada', 'bea', 'Zoë']],
    ['/v1/personnel?email=BEA@example.COM', ['bea']],
    ['/v1/personnel?email=bea@example', []],
    ['/v1/personnel?email=gone@example.com', []],
    ['/v1/personnel?externalId=HR-7', ['Ada']],
    ['/v1/personnel?externalId=HR', []],
    [`/v1/personnel?updatedSince=${LATER}`, ['Åsa']],
    ['/v1/personnel?updatedSince=2026-11-02T10:30:00%2B01:00', ['Åsa']],
    ['/v1/personnel?updatedSince=2026-11-02T09:30:00.001Z', []],
    ['/v1/groups', ['alpha Team', 'Empty', 'Zulu team']],
    ['/v1/groups?search=TEAM', ['alpha Team', 'Zulu team']],
    [`/v1/groups?updatedSince=${LATER}`, ['Zulu team']],
    ['/v1/projects', ['APOLLO', 'HARBOR-2', 'OLD']],
    ['/v1/projects?status=on_hold,Closed', ['HARBOR-2', 'OLD']],
    ['/v1/projects?search=harBOUR', ['HARBOR-2']],
    ['/v1/projects?topLevel=critical', ['APOLLO', 'HARBOR-2']],
    ['/v1/projects?topLevel=low,unassessed', []],
    ['/v1/projects?search=apo', ['APOLLO']],
    [`/v1/projects?updatedSince=${LATER}`, ['HARBOR-2']],
    ['/v1/risks', ['R-1', 'R-2', 'R-3', 'R-5', 'R-4', 'R-6', 'R-7', 'R-8']],
    ['/v1/risks?project=apollo', ['R-1', 'R-3', 'R-5', 'R-7']],
    ['/v1/risks?project={harbor}', ['R-2', 'R-4', 'R-6', 'R-8']],
    ['/v1/risks?project=OLD,{harbor}', ['R-2', 'R-4', 'R-6', 'R-8']],
    ['/v1/risks?project=prj_00000000000000000000000000', []],
    ['/v1/risks?status=closed', ['R-9']],
    ['/v1/risks?status=occurred,Closed', ['R-9', 'R-4']],
    ['/v1/risks?status=OPEN&level=high', ['R-5']],
    ['/v1/risks?level=Critical', ['R-1', 'R-2', 'R-3']],
    ['/v1/risks?level=low,unassessed', ['R-7', 'R-8']],
    ['/v1/risks?level=low&level=unassessed', ['R-7', 'R-8']],
    ['/v1/risks?level=low&minScore=0&level=unassessed,low', ['R-7', 'R-8']],
    ['/v1/risks?level=medium&project=apollo', []],
    ['/v1/risks?minScore=12', ['R-1', 'R-2', 'R-3', 'R-5', 'R-4']],
    ['/v1/risks?minScore=13', ['R-1', 'R-2', 'R-3']],
    ['/v1/risks?likelihood=5', ['R-1', 'R-3']],
    ['/v1/risks?impact=4', ['R-3', 'R-5', 'R-4']],
    ['/v1/risks?likelihood=5&impact=4', ['R-3']],
    ['/v1/risks?unplaced=true', ['R-6']],
    ['/v1/risks?unplaced=false&level=medium,unassessed', ['R-8']],
    ['/v1/risks?owner={Ada}', ['R-1', 'R-3']],
    ['/v1/risks?owner=none', ['R-2', 'R-5', 'R-4', 'R-6', 'R-7', 'R-8']],
    ['/v1/risks?owner={Ada},none&minScore=20', ['R-1', 'R-2', 'R-3']],
    ['/v1/risks?owner={Zoë}', []],
    ['/v1/risks?category=SUPPLY', ['R-1', 'R-3']],
    ['/v1/risks?category=supply,%20weather', ['R-1', 'R-3', 'R-7']],
    ['/v1/risks?reviewBefore=2026-05-02', ['R-1']],
    ['/v1/risks?reviewBefore=2026-05-03', ['R-1', 'R-6']],
    ['/v1/risks?dueBefore=2026-06-02', ['R-1']],
    ['/v1/risks?dueBefore=2026-06-01', []],
    ['/v1/risks?dueAfter=2026-05-31', ['R-1']],
    ['/v1/risks?dueAfter=2026-06-01', []],
    ['/v1/risks?reviewAfter=2026-05-01', ['R-6']],
    ['/v1/risks?mitigated=true', ['R-1']],
    ['/v1/risks?mitigated=false&level=critical', ['R-2', 'R-3']],
    ['/v1/risks?ownership=none', ['R-5', 'R-4', 'R-6', 'R-7', 'R-8']],
    ['/v1/risks?ownership=named', ['R-2']],
    ['/v1/risks?ownership=PERSON,named', ['R-1', 'R-2', 'R-3']],
    ['/v1/risks?ownership=left', []],
    ['/v1/risks?ownerDepartment=bridges', []],
    ['/v1/risks?owner=ADA', ['R-1', 'R-3']],
    ['/v1/risks?projectStatus=on_hold', ['R-2', 'R-4', 'R-6', 'R-8']],
    ['/v1/risks?order=due&minScore=12', ['R-1', 'R-2', 'R-3', 'R-5', 'R-4']],
    ['/v1/risks?order=updated&minScore=12&ownership=none', ['R-4', 'R-5']],
    ['/v1/risks?order=rank&minScore=20', ['R-1', 'R-2', 'R-3']],
    ['/v1/risks?minResidualScore=8', ['R-1']],
    ['/v1/risks?minResidualScore=9', []],
    ['/v1/risks?search=STEEL', ['R-1']],
    ['/v1/risks?search=r-4', ['R-4']],
    ['/v1/risks?search=100%25', ['R-8']],
    [`/v1/risks?updatedSince=${LATER}`, ['R-4']],
    ['/v1/issues', ['I-1', 'I-3', 'I-2', 'I-4']],
    ['/v1/issues?project=HARBOR-2', ['I-2', 'I-4']],
    ['/v1/issues?project={apollo},harbor-2', ['I-1', 'I-3', 'I-2', 'I-4']],
    ['/v1/issues?severity=high', ['I-3', 'I-2']],
    ['/v1/issues?severity=Low,CRITICAL', ['I-1', 'I-4']],
    ['/v1/issues?status=open', ['I-1', 'I-4']],
    ['/v1/issues?status=in_progress,Blocked', ['I-3', 'I-2']],
    ['/v1/issues?assignee={Zoë}', ['I-1', 'I-2']],
    ['/v1/issues?assignee=none', ['I-3', 'I-4']],
    ['/v1/issues?assignee=none,{Zoë}&severity=HIGH', ['I-3', 'I-2']],
    ['/v1/issues?dueBefore=2026-12-01', ['I-1']],
    ['/v1/issues?dueAfter=2026-11-30', ['I-4']],
    ['/v1/issues?assignment=none', ['I-3', 'I-4']],
    ['/v1/issues?assignment=person', ['I-1', 'I-2']],
    ['/v1/issues?assigneeDepartment=bridges', []],
    ['/v1/issues?projectStatus=active', ['I-1', 'I-3']],
    ['/v1/issues?order=due', ['I-1', 'I-4', 'I-3', 'I-2']],
    ['/v1/issues?order=due&dueAfter=2026-01-01', ['I-1', 'I-4']],
    ['/v1/issues?order=updated&dueAfter=2026-01-01', ['I-4', 'I-1']],
    ['/v1/issues?search=CRANE', ['I-1']],
    ['/v1/issues?search=i-5', []],
    [`/v1/issues?updatedSince=${LATER}`, ['I-4']],
  ])('GET %s lists %j', async (path, expected) => {
    const { get } = await sharedContract()
    const answer = await get(path)
    expect([answer.status, answer.body.page]).toEqual([200, { next: null, total: null }])
    expect(entries(answer)).toEqual(expected)
  })

  test('a risk or an issue is found by a reference with letters beyond ASCII, in any case', async () => {
    const { gateway, ids, caller } = await openContract()
    await gateway.write((write) => addRisk(write, risk(ids['apollo'] ?? '', { reference: 'BRÜCKE-1' })))
    await gateway.write((write) => addIssue(write, issue(ids['apollo'] ?? '', { reference: 'BRÜCKE-2' })))
    for (const [path, reference] of Object.entries({ risks: 'BRÜCKE-1', issues: 'BRÜCKE-2' })) {
      const answer = await caller.get(`/v1/${path}?search=brücke`)
      expect(entries(answer)).toEqual([reference])
    }
  })

  test('the rank of a risk is its place by score among all live risks, whatever the filter', async () => {
    const { get } = await openContract()
    const ranks = ({ body }: TestResponse) =>
      body.data.map(({ reference, score, rank }: TestResponse['body']) => `${reference}: ${score}, ${rank}`).join('; ')
    expect(ranks(await get('/v1/risks'))).toBe(
      'R-1: 25, 1; R-2: 20, 2; R-3: 20, 2; R-5: 12, 4; R-4: 12, 4; R-6: 6, 6; R-7: 2, 7; R-8: 0, 8',
    )
    expect(ranks(await get('/v1/risks?minScore=12&project=harbor-2'))).toBe('R-2: 20, 2; R-4: 12, 4')
  })
})
