import { expect, test } from 'vitest'
import { lines, openDesk } from './importing.js'

/** The warnings of a file as place, column and sentence. */
const warned = ({ report }: Awaited<ReturnType<ReturnType<typeof openDesk>['report']>>) =>
  report.files[0]?.warnings.map(({ line, column, detail }) => [line, column, detail])

test('what refers to a group, a member or a risk that is not there is stored without it, with a warning', async () => {
  const desk = openDesk()
  desk.put(
    'people.csv',
    lines('name,email,groups', 'Ada,ada@example.com,Divers;Painters', 'Bea,bea@example.com,Painters'),
  )
  desk.put('groups.csv', lines('name,members', 'Divers,ada@example.com;Nemo'))
  desk.put('issues.csv', lines('reference,title,severity,risk', 'I-1,Leak,LOW,R-9', 'I-2,Crack,LOW,R-9'))
  await desk.importSheet('groups', 'groups.csv')
  const people = await desk.report('people', 'people.csv')
  expect([people.report.created, warned(people)]).toEqual([
    2,
    [
      [
        ...[2, 'groups'],
        'There is no group "Painters". Import groups first, or create it with --create-groups. It is left out. (The same in row 3.)',
      ],
    ],
  ])
  const groups = await desk.report('groups', 'groups.csv')
  expect(warned(groups)).toEqual([[2, 'members', expect.stringMatching(/^Nobody .* "Nemo"\. .* It is left out\.$/)]])
  expect(desk.list('select count(*) from membership')).toEqual([1])
  const issues = await desk.report('issues', 'issues.csv', '--project', 'A', '--create-projects')
  expect([issues.report.created, warned(issues)]).toEqual([
    2,
    [[2, 'risk', expect.stringMatching(/^There is no risk "R-9" in A\. .* \(The same in row 3\.\)$/)]],
  ])
  for (const noun of ['people', 'groups', 'issues'])
    expect((await desk.report(noun, `${noun}.csv`, '--strict-references')).code, noun).toBe(1)
})

test('commas part groups where most parts are groups, else they are asked about, and what is created is quoted', async () => {
  const desk = openDesk()
  const rows = [
    'Ada,ada@example.com,Divers',
    'Bea,bea@example.com,"Divers, Welders, Painters"',
    'Cleo,cleo@example.com,Welders',
  ]
  desk.put('people.csv', lines('name,email,groups', ...rows))
  const { report } = await desk.report('people', 'people.csv', '--create-groups')
  expect(report.files[0]?.made).toEqual(['group "Divers"', 'group "Welders"', 'group "Painters"'])
  desk.put('open.csv', lines('name,email,groups', 'Dora,dora@example.com,"Sales, North"'))
  const open = await desk.report('people', 'open.csv', '--create-groups')
  expect(open.report.files[0]?.violations).toMatchObject([
    { line: 2, detail: '"Sales, North" may be one group or 2. Separate several by ;, or import the one group first.' },
  ])
  desk.put('groups.csv', lines('name', '"Sales, North"'))
  await desk.importSheet('groups', 'groups.csv')
  expect((await desk.report('people', 'open.csv')).report.created).toBe(1)
})
