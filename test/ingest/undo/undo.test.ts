import { expect, test } from 'vitest'
import { runHere } from '../../support/inProcess.js'
import { type Desk, lines, openDesk } from '../importing.js'

interface Report {
  readonly importId: string | null
  readonly restored: number
  readonly closed: number
  readonly left: number
  readonly entities: readonly {
    readonly name: string
    readonly outcome: string
    readonly fields: Readonly<Record<string, readonly [unknown, unknown]>>
    readonly left: readonly { readonly field?: string; readonly reason: string }[]
  }[]
}

/** Imports a sheet of these lines, and returns the id of the run. */
async function imported(desk: Desk, noun: string, flags: readonly string[], ...sheet: string[]): Promise<string> {
  const { report } = await desk.report(noun, desk.put(`${noun}.csv`, lines(...sheet)), ...flags)
  return String(report.files[0]?.importId)
}

async function undo(desk: Desk, id: string, ...flags: string[]): Promise<Report> {
  const { stdout, stderr } = await runHere(desk.folder, ['undo', id, '--json', ...flags, '--database', desk.own.url])
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

async function requireSound({ folder, own }: Desk): Promise<void> {
  const { code, stderr } = await runHere(folder, ['check', '--database', own.url])
  expect([code, stderr]).toEqual([0, expect.any(String)])
}

const RISKS = ['reference,title,likelihood,impact,status,owner,Cost,Site', 'R-1,Flood,4,5,OPEN,ada@example.com,10,Quay']
const OF_APOLLO = ['--project', 'APOLLO', '--create-projects', '--close-missing']
const STATE = `select reference, title, likelihood, impact, status, live, score, owner_id, details, search_folded from risk
  order by reference`

test('undoing an import restores what it updated and closed, and closes what it created, and can be undone', async () => {
  const desk = openDesk()
  await imported(desk, 'people', [], 'name,email', 'Ada,ada@example.com', 'Grace,grace@example.com')
  await imported(desk, 'risks', OF_APOLLO, ...RISKS, 'R-2,Strike,1,1,OPEN,,,')
  const before = desk.rows(STATE)
  const id = await imported(
    desk,
    ...(['risks', OF_APOLLO] as const),
    'reference,title,likelihood,impact,status,owner,Cost,Site',
    'R-1,Flood of the cellar,2,2,OCCURRED,grace@example.com,20,Pier',
    'R-3,Frost,3,3,OPEN,,,',
  )
  const after = desk.rows(STATE)
  const stored = desk.dump()
  const shown = await undo(desk, id)
  expect(shown).toMatchObject({ importId: null, restored: 2, closed: 1, left: 0 })
  expect(desk.dump()).toEqual(stored)
  const { stderr } = await runHere(desk.folder, ['undo', id, '--database', desk.own.url])
  expect(stderr).toMatch(/\n {2}close risk R-3 Frost: status OPEN → CLOSED\n/)
  expect(stderr).toMatch(
    /\n2 would be restored, 1 closed, 0 left as they are\. Nothing was changed: add --yes to do it\.\n$/,
  )

  const done = await undo(desk, id, '--yes', '--as', 'Charles')
  const created = after.filter(([reference]) => reference === 'R-3').map((row) => row.with(4, 'CLOSED').with(5, 0))
  expect(desk.rows(STATE)).toEqual([...before, ...created])
  await requireSound(desk)
  expect(
    desk.rows('select kind, source, operator, undoes, updated, closed from import_run order by id desc limit 1'),
  ).toEqual([['UNDO', 'risks', 'Charles', id, 2, 1]])
  expect(
    desk
      .changes()
      .slice(-3)
      .map(({ entity, action }) => [entity, action]),
  ).toEqual(Array(3).fill(['RISK', 'UPDATED']))

  await undo(desk, String(done.importId), '--yes')
  expect(desk.rows(STATE)).toEqual(after)
  await undo(desk, id, '--yes')
  expect(desk.rows(STATE)).toEqual([...before, ...created])
  await requireSound(desk)
})

test('imports are undone one after the other, the newest first', async () => {
  const desk = openDesk()
  const first = await imported(desk, 'risks', OF_APOLLO, ...RISKS)
  const second = await imported(desk, 'risks', OF_APOLLO, RISKS[0] ?? '', 'R-1,Flood,1,1,OPEN,,10,Quay')
  expect(await undo(desk, first)).toMatchObject({ restored: 0, closed: 0, left: 2 })
  await undo(desk, second, '--yes')
  expect(await undo(desk, first, '--yes')).toMatchObject({ restored: 0, closed: 2, left: 0 })
  expect(desk.rows('select reference, status, score from risk')).toEqual([['R-1', 'CLOSED', 20]])
  expect(desk.rows('select key, status from project')).toEqual([['APOLLO', 'CLOSED']])
})

test('what was changed again since, or erased, is left and listed with its reason', async () => {
  const desk = openDesk()
  const header = 'name,email,title,department'
  await imported(
    desk,
    'people',
    [],
    header,
    'Ada,ada@example.com,Fellow,Sums',
    'Joan,joan@example.com,,',
    'Eve,eve@example.com,,',
  )
  const id = await imported(
    desk,
    ...(['people', []] as const),
    ...[header, 'Ada,ada@example.com,Lead,Engines', 'Joan,joan@example.com,Lead,', 'New,new@example.com,,'],
    'Eve,eve-2@example.com,Lead,',
  )
  await imported(desk, 'people', [], 'name,email,title', 'Ada,ada@example.com,Head', 'New,new@example.com,Head')
  await runHere(desk.folder, ['erase', 'joan@example.com', '--yes', '--database', desk.own.url])
  const { entities, ...counts } = await undo(desk, id, '--yes')
  expect(counts).toMatchObject({ restored: 1, closed: 1, left: 2 })
  const again = expect.stringMatching(/^It was changed again at 20\d\d-/)
  const sorted = entities.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  expect(sorted).toMatchObject([
    {
      name: 'Ada',
      outcome: 'restored',
      fields: { department: ['Engines', 'Sums'] },
      left: [{ field: 'title', reason: again }],
    },
    { name: 'Erased person', outcome: 'left', left: [{ reason: 'This person was erased since.' }] },
    { name: 'Eve', outcome: 'closed' },
    { name: 'New', outcome: 'left', left: [{ reason: again }] },
  ])
  const people =
    "select name, title, department, status from person where email like 'ada%' or email like 'new%' order by 1"
  expect(desk.rows(people)).toEqual([
    ['Ada', 'Head', 'Sums', 'ACTIVE'],
    ['New', 'Head', null, 'ACTIVE'],
  ])
})

test('people get their groups back, groups that were created stay, and an address that was given away stays there', async () => {
  const desk = openDesk()
  const header = 'externalId,name,email,groups'
  const flags = ['--create-groups']
  await imported(desk, 'people', flags, header, 'A,Ada,ada@example.com,Divers;Welders')
  const id = await imported(
    desk,
    'people',
    flags,
    header,
    'A,Ada,ada@example.org,Cooks;Welders',
    'B,Bob,bob@example.com,Cooks',
  )
  await imported(desk, 'people', [], 'externalId,name,email', 'C,Cy,ada@example.com')
  const taken = await undo(desk, id)
  expect(taken).toMatchObject({ restored: 0, closed: 1, left: 2 })
  const ada = taken.entities.find(({ name }) => name === 'Ada')
  expect(ada?.left[0]?.reason).toMatch(/^email: It belongs to Cy \(externalId C, usr_/)
  await imported(desk, 'people', [], 'externalId,name,email', 'C,Cy,cy@example.com')
  const { entities } = await undo(desk, id, '--yes')
  expect(entities.filter(({ outcome }) => outcome === 'left')).toMatchObject([
    { name: 'Cooks', left: [{ reason: 'It was created, and undoing removes nothing.' }] },
  ])
  const members = `select person.name, email, status, groups.name, membership.live from person left join membership
    on person_id = person.id left join groups on groups.id = group_id order by 1, 4`
  expect(desk.rows(members)).toEqual([
    ['Ada', 'ada@example.com', 'ACTIVE', 'Divers', 1],
    ['Ada', 'ada@example.com', 'ACTIVE', 'Welders', 1],
    ['Bob', 'bob@example.com', 'INACTIVE', null, null],
    ['Cy', 'cy@example.com', 'ACTIVE', null, null],
  ])
  expect(desk.changes().findLast(({ fields }) => 'email' in fields)?.fields).toEqual({
    email: ['ada@example.org', 'ada@example.com'],
    groups: [
      ['Cooks', 'Welders'],
      ['Divers', 'Welders'],
    ],
  })
})

test('an undo that is undone is in effect again, and so is what it had undone', async () => {
  const desk = openDesk()
  const first = await imported(desk, 'risks', OF_APOLLO, 'reference,title', 'R-1,Flood')
  const second = await imported(desk, 'risks', OF_APOLLO, 'reference,title,category', 'R-1,Flood,Weather')
  const undone = await undo(desk, second, '--yes')
  expect(await undo(desk, first)).toMatchObject({ closed: 2, left: 0 })
  const redone = await undo(desk, String(undone.importId), '--yes')
  const again = expect.stringMatching(/^It was changed again at 20\d\d-/)
  expect((await undo(desk, first, '--yes')).entities).toMatchObject([
    { name: 'R-1 Flood', outcome: 'left', left: [{ reason: again }] },
    { name: 'APOLLO APOLLO', outcome: 'left', left: [{ reason: 'It still has 1 live risks.' }] },
  ])
  expect(
    desk.rows('select category, risk.status, project.status from risk join project on project.id = project_id'),
  ).toEqual([['Weather', 'OPEN', 'ACTIVE']])
  await undo(desk, String(redone.importId), '--yes')
  const already = expect.stringMatching(/^It was undone already at 20\d\d-/)
  expect((await undo(desk, second)).entities).toMatchObject([
    { outcome: 'left', left: [{ field: 'category', reason: already }] },
  ])
  expect(await undo(desk, first, '--yes')).toMatchObject({ closed: 2, left: 0 })
})

test('what an import closed counts with the next ones again after it was undone and redone', async () => {
  const desk = openDesk()
  const night = (count: number) => {
    const rows = Array.from({ length: count }, (_, at) => `R-${at},Title ${at}`)
    return imported(desk, 'risks', OF_APOLLO, 'reference,title', ...rows)
  }
  await night(40)
  const undone = await undo(desk, await night(33), '--yes')
  await undo(desk, String(undone.importId), '--yes')
  const { report } = await desk.report(
    'risks',
    desk.put('risks.csv', lines('reference,title', ...Array.from({ length: 27 }, (_, at) => `R-${at},Title ${at}`))),
    ...OF_APOLLO,
  )
  expect(report.files[0]?.notClosed[0]?.detail).toContain('with the 7 of the last 7 imports')
  expect(desk.list('select count(*) from risk where live = 1')).toEqual([33])
})

test('a project that an import created is closed only if nothing of others is left in it', async () => {
  const desk = openDesk()
  const id = await imported(desk, 'risks', OF_APOLLO, 'reference,title', 'R-1,Flood')
  await imported(desk, 'issues', ['--project', 'APOLLO'], 'reference,title,severity', 'I-1,No crane,LOW')
  expect(await undo(desk, id, '--yes')).toMatchObject({ closed: 1, left: 1 })
  expect(desk.rows('select status from project union all select status from risk')).toEqual([['ACTIVE'], ['CLOSED']])
  await imported(desk, 'issues', ['--project', 'APOLLO'], 'reference,title,severity,status', 'I-1,No crane,LOW,CLOSED')
  expect(await undo(desk, id, '--yes')).toMatchObject({ closed: 1, left: 1 })
  expect(desk.list('select status from project')).toEqual(['CLOSED'])
})

test('values that were swapped, or went on from one to the next, are restored together', async () => {
  const desk = openDesk()
  const header = 'externalId,name,email'
  const [a, b, c] = ['A,Ada,ada@example.com', 'B,Bob,bob@example.com', 'C,Cy,cy@example.com']
  await imported(desk, 'people', [], header, ...[a, b, c].map(String))
  const state = 'select external_id, email, email_folded from person order by 1'
  const before = desk.rows(state)
  const swapped = ['A,Ada,bob@example.com', 'B,Bob,cy@example.com', 'C,Cy,ada@example.com']
  const id = await imported(desk, 'people', [], header, ...swapped)
  expect(await undo(desk, id, '--yes')).toMatchObject({ restored: 3, left: 0 })
  expect(desk.rows(state)).toEqual(before)
  await requireSound(desk)

  await imported(desk, 'groups', [], 'externalId,name', '1,Divers', '2,Welders')
  await imported(desk, 'groups', [], 'externalId,name', '1,Cooks')
  const moved = await imported(desk, 'groups', [], 'externalId,name', '2,Divers')
  await undo(desk, moved, '--yes')
  const [latest] = desk.list('select id from import_run order by id desc limit 1')
  await undo(desk, String(latest), '--yes')
  expect(desk.rows('select external_id, name from groups order by 1')).toEqual([
    ['1', 'Cooks'],
    ['2', 'Divers'],
  ])
})

test('a run that is not there is named, and nothing is done', async () => {
  const desk = openDesk()
  const answer = await runHere(desk.folder, ['undo', 'imp_nothing', '--yes', '--database', desk.own.url])
  expect(answer).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There is no import "imp_nothing". See `operations imports`.\n',
  })
})
