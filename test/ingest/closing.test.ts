import { describe, expect, test } from 'vitest'
import { addIssue, addProject, addRisk, issue, project, risk } from '../support/fixtures.js'
import { type Desk, lines, openDesk } from './importing.js'

/** The references from one number to another. */
function references(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `E-${from + index}`)
}

function assessed(reference: string): { likelihood: number; impact: number } {
  return { likelihood: 1 + (Number(reference.slice(2)) % 5), impact: 5 }
}

/** A sheet of these risks, as they are stored. */
function risks(all: readonly string[]): string {
  const rows = all.map((one) => `${one},x,${assessed(one).likelihood},${assessed(one).impact}`)
  return lines('reference,title,likelihood,impact', ...rows)
}

/** A desk with this many risks in APOLLO, of which these are closed. */
async function openRisks(count = 10, closed: readonly string[] = []): Promise<Desk> {
  const desk = openDesk()
  await desk.write(async (write) => {
    const projectId = await addProject(write, project())
    for (const reference of references(1, count)) {
      const status = closed.includes(reference) ? 'CLOSED' : 'OPEN'
      await addRisk(write, risk(projectId, { reference, title: 'x', ...assessed(reference), status }))
    }
  })
  return desk
}

const CLOSE = ['risks', '--project', 'APOLLO', '--close-missing']
const CLOSED = "select reference from risk where status = 'CLOSED' order by reference"

/** The number of live risks per score: counted, and from the tally that ranks are read from. */
function tallies(desk: Desk): { counted: unknown; kept: unknown } {
  return {
    counted: desk.rows('select score, count(*) from risk where live = 1 group by score order by score'),
    kept: desk.rows('select score, live from risk_tally where live > 0 order by score'),
  }
}

describe('--close-missing', () => {
  test('closes a fifth of a project at once, and the tally of the ranks and the history follow', async () => {
    const desk = await openRisks()
    desk.put('fewer.csv', risks(references(3, 10)))
    const before = desk.dump()
    const dry = await desk.importSheet(...CLOSE, '--dry-run', 'fewer.csv')
    expect(dry).toMatchObject({ code: 0, stderr: 'fewer.csv (dry run, nothing is stored): 2 closed, 8 unchanged.\n' })
    expect(desk.dump()).toEqual(before)

    expect(await desk.importSheet(...CLOSE, 'fewer.csv')).toMatchObject({
      code: 0,
      stderr: 'fewer.csv: 2 closed, 8 unchanged.\n',
    })
    expect(desk.list(CLOSED)).toEqual(['E-1', 'E-2'])
    const counted = [
      [5, 2],
      [10, 1],
      [15, 1],
      [20, 2],
      [25, 2],
    ]
    expect(tallies(desk)).toEqual({ counted, kept: counted })
    const closing = { action: 'CLOSED', entity: 'RISK', by: 'cli', fields: { status: ['OPEN', 'CLOSED'] } }
    expect(desk.changes().slice(11)).toEqual([closing, closing])
    expect(desk.wronglyTimestamped()).toEqual([])
  })

  test('refuses to close more than a fifth, and stores the rest, unless --close-limit allows just so many', async () => {
    const desk = await openRisks(20)
    desk.put('fewer.csv', `${risks(references(6, 20))}E-21,new,1,1\n`)
    const refusal = (most: number, done: string) => ({
      ...{ code: 1, stdout: '' },
      stderr: lines(
        `fewer.csv: ${done}.`,
        `  not closed: APOLLO: 5 of its ${most === 1 ? 21 : 20} live risks are missing; ` +
          `at most ${most} are closed at once. Is the list complete? If so, allow it with --close-limit 5.`,
        'Not everything that is missing was closed.',
      ),
    })
    expect(await desk.importSheet(...CLOSE, 'fewer.csv')).toEqual(refusal(4, '1 created, 15 unchanged'))
    const again = await desk.importSheet(...CLOSE, '--close-limit', '1', 'fewer.csv')
    expect(again).toEqual(refusal(1, 'nothing has changed, 16 unchanged'))
    expect([desk.list(CLOSED), desk.list("select title from risk where reference = 'E-21'")]).toEqual([[], ['new']])
    expect(await desk.importSheet(...CLOSE, '--close-limit', '5', 'fewer.csv')).toMatchObject({ code: 0 })
    expect(desk.list(CLOSED)).toEqual(['E-1', 'E-2', 'E-3', 'E-4', 'E-5'])
  })

  test('closes up to three in a small project, where a fifth would be none', async () => {
    const desk = await openRisks(4)
    desk.put('three.csv', risks(references(2, 4)))
    desk.put('none.csv', 'reference,title\n')
    expect(await desk.importSheet(...CLOSE, 'three.csv')).toMatchObject({
      stderr: 'three.csv: 1 closed, 3 unchanged.\n',
    })
    expect(await desk.importSheet(...CLOSE, 'none.csv')).toMatchObject({ code: 0 })
    expect(desk.list(CLOSED)).toEqual(references(1, 4))
  })

  test('names projects of earlier imports that a list of several no longer has, and leaves them open', async () => {
    const desk = openDesk()
    const rows = ['A,R-1', 'A,R-2', 'B,R-1', 'C,R-1', 'C,R-2'].map((one) => `${one},x`)
    desk.put('all.csv', lines('project,reference,title', ...rows))
    await desk.importSheet('risks', '--create-projects', 'all.csv')
    desk.put('two.csv', lines('project,reference,title', ...rows.slice(0, 3)))
    desk.put('first.csv', lines('project,reference,title', ...rows.slice(0, 2)))
    desk.put('rest.csv', lines('project,reference,title', ...rows.slice(2)))
    const of = (...files: string[]) => desk.importSheet('risks', '--close-missing', ...files)
    expect(await of('two.csv')).toMatchObject({
      code: 0,
      stderr: lines(
        '  warning: C has 2 live risks of earlier imports and is no longer listed. They stay open; to close them, ' +
          'import a sheet that is only a header with --project C --close-limit 2.',
        'two.csv: nothing has changed, 3 unchanged.',
      ),
    })
    expect(desk.list(CLOSED)).toEqual([])
    // Neither the sheet of one project nor several files that have all of them.
    expect((await of('first.csv')).stderr).not.toContain('warning')
    expect((await of('first.csv', 'rest.csv')).stderr).not.toContain('warning')
  })

  test('takes a header alone as no open rows of the --project, within the limit', async () => {
    const desk = await openRisks()
    desk.put('none.csv', 'reference,title\n')
    const before = desk.dump()
    const { code, stderr } = await desk.importSheet(...CLOSE, 'none.csv')
    expect(code).toBe(1)
    expect(stderr).toContain('APOLLO: 10 of its 10 live risks are missing; at most 3 are closed at once.')
    const whole = await desk.importSheet('risks', '--close-missing', 'none.csv')
    expect(whole).toMatchObject({ code: 0, stderr: 'none.csv: nothing has changed, 0 unchanged.\n' })
    expect(desk.dump()['risk']).toEqual(before['risk'])
    expect(await desk.importSheet(...CLOSE, '--close-limit', '10', 'none.csv')).toMatchObject({
      code: 0,
      stderr: 'none.csv: 10 closed, 0 unchanged.\n',
    })
    expect(tallies(desk)).toEqual({ counted: [], kept: [] })
  })

  test('closes nothing when a row is bad, and nothing of a project that is not in the file', async () => {
    const desk = await openRisks()
    desk.put('harbor.csv', lines('project,reference,title', 'HARBOR,E-1,x'))
    expect(await desk.importSheet('risks', '--create-projects', '--close-missing', 'harbor.csv')).toMatchObject({
      code: 0,
    })
    expect(desk.list(CLOSED)).toEqual([])
    desk.put('bad.csv', `${risks(references(2, 10))}E-11,,1,1\n`)
    expect(await desk.importSheet(...CLOSE, 'bad.csv')).toMatchObject({
      code: 1,
      stderr: lines(
        'bad.csv: nothing was stored, because 1 of 10 rows cannot be used:',
        '  line 11, title: Must not be empty.',
        '1 of 1 files could not be used.',
      ),
    })
    expect(desk.list(CLOSED)).toEqual([])
  })

  test('names every project in which too much would be closed, and closes the others', async () => {
    const desk = openDesk()
    await desk.write(async (write) => {
      for (const key of ['A', 'B', 'C']) {
        const projectId = await addProject(write, project({ key }))
        for (const reference of references(1, 10)) await addIssue(write, issue(projectId, { reference }))
      }
    })
    const retained = [
      ...references(1, 5).flatMap((one) => [`A,${one}`, `B,${one}`]),
      ...references(2, 10).map((one) => `C,${one}`),
    ]
    desk.put('fewer.csv', lines('project,reference', ...retained))
    const { code, report } = await desk.report('issues', '--close-missing', 'fewer.csv')
    const refused = (key: string) => ({
      detail:
        `${key}: 5 of its 10 live issues are missing; at most 3 are closed at once. ` +
        'Is the list complete? If so, allow it with --close-limit 5.',
    })
    expect({ code, file: report.files[0] }).toMatchObject({
      code: 1,
      file: { stored: true, records: 19, closed: 1, violations: [], notClosed: [refused('A'), refused('B')] },
    })
  })

  test.each([
    ['for good', []],
    ['in a dry run', ['--dry-run']],
  ])('refuses a project in two files, %s', async (_, flags) => {
    const desk = await openRisks()
    desk.put('first.csv', risks(references(1, 9)))
    desk.put('second.csv', risks(references(2, 10)))
    const { code, report } = await desk.report(...CLOSE, ...flags, 'first.csv', 'second.csv')
    const [first, second] = report.files
    expect({ code, isFirstStored: first?.stored, violations: second?.violations }).toEqual({
      ...{ code: 1, isFirstStored: flags.length === 0 },
      violations: [
        {
          detail: 'APOLLO is in first.csv as well; closing missing entries needs a project in a single file.',
        },
      ],
    })
  })

  test('refuses the second file of a project also when the first was bad, or it would close what that has', async () => {
    const desk = await openRisks()
    desk.put('first.csv', `${risks(references(1, 9))}E-11,,1,1\n`)
    desk.put('second.csv', risks(references(2, 10)))
    expect((await desk.importSheet(...CLOSE, 'first.csv', 'second.csv')).stderr).toContain(
      'APOLLO is in first.csv as well',
    )
    expect(desk.list(CLOSED)).toEqual([])
  })

  test('opens again what was closed and comes without a status, while without it that stays closed', async () => {
    const desk = await openRisks(10, ['E-1'])
    desk.put('all.csv', risks(references(1, 10)))
    desk.put('statuses.csv', lines('reference,status', 'E-1,closed', ...references(2, 10).map((one) => `${one},`)))
    const plain = ['risks', '--project', 'APOLLO']
    expect(await desk.importSheet(...plain, 'all.csv')).toMatchObject({
      stderr: lines(
        '  warning: line 2, reference "E-1": It is closed and stays closed. Give a status to reopen it.',
        'all.csv: nothing has changed, 10 unchanged.',
      ),
    })
    expect(desk.list(CLOSED)).toEqual(['E-1'])
    expect(await desk.importSheet(...CLOSE, 'all.csv')).toMatchObject({ stderr: 'all.csv: 1 updated, 9 unchanged.\n' })
    expect(desk.list(CLOSED)).toEqual([])
    expect(desk.changes().at(-1)).toMatchObject({ action: 'UPDATED', fields: { status: ['CLOSED', 'OPEN'] } })
    const { counted, kept: retained } = tallies(desk)
    expect(retained).toEqual(counted)
    expect(await desk.importSheet(...CLOSE, 'statuses.csv')).toMatchObject({
      stderr: 'statuses.csv: 1 updated, 9 unchanged.\n',
    })
    expect(desk.list(CLOSED)).toEqual(['E-1'])
  })
})

test('issues close and open like risks, and what is blocked counts as live', async () => {
  const desk = openDesk()
  await desk.write(async (write) => {
    const projectId = await addProject(write, project())
    await addIssue(write, issue(projectId, { reference: 'E-0', status: 'BLOCKED' }))
    await addIssue(write, issue(projectId, { reference: 'E-99', status: 'RESOLVED' }))
    for (const reference of references(1, 9)) await addIssue(write, issue(projectId, { reference }))
  })
  desk.put('most.csv', lines('reference', ...references(2, 9)))
  const flags = ['--project', 'APOLLO']
  expect(await desk.importSheet('issues', ...flags, '--close-missing', 'most.csv')).toMatchObject({
    code: 0,
    stderr: 'most.csv: 2 closed, 8 unchanged.\n',
  })
  const status = 'select reference, status, live from issue where reference in'
  expect(desk.rows(`${status} ('E-0', 'E-1', 'E-2', 'E-99') order by 1`)).toEqual([
    ['E-0', 'CLOSED', 0],
    ['E-1', 'CLOSED', 0],
    ['E-2', 'OPEN', 1],
    ['E-99', 'RESOLVED', 0],
  ])
  expect(desk.changes().slice(-2)).toMatchObject([
    { action: 'CLOSED', entity: 'ISSUE', by: 'cli' },
    { action: 'CLOSED', entity: 'ISSUE', by: 'cli' },
  ])
})
