import { expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { type Desk, lines, openDesk } from './importing.js'

const MEMBERS = `select g.name, g.external_id, coalesce(string_agg(p.name, ',' order by p.name), '') from groups g
  left join membership m on m.group_id = g.id left join person p on p.id = m.person_id group by g.id order by g.name`

async function openRoster(): Promise<Desk> {
  const desk = openDesk()
  await desk.write(async (write) => {
    for (const name of ['Ada', 'Bea', 'Cleo']) await addPerson(write, { name, email: `${name}@example.com` })
  })
  return desk
}

test('rows of one membership each are gathered into groups, in any order, and again without a change', async () => {
  const desk = await openRoster()
  const rows = [
    'DIR-1,Divers,Ada@example.com',
    'DIR-2,Climbers,bea@example.com',
    'DIR-1,DIVERS,Cleo',
    'DIR-1,Divers,ada@EXAMPLE.com',
    'DIR-1,,Ada@example.com',
    'DIR-3,Nobody,',
  ]
  desk.put('memberships.csv', lines('externalId,name,member', ...rows))
  expect(await desk.importSheet('groups', 'memberships.csv')).toEqual({
    ...{ code: 0, stdout: '', stderr: 'memberships.csv: 3 created, 0 unchanged.\n' },
  })
  const expected = [
    ['Climbers', 'DIR-2', 'Bea'],
    ['Divers', 'DIR-1', 'Ada,Cleo'],
    ['Nobody', 'DIR-3', ''],
  ]
  expect(desk.rows(MEMBERS)).toEqual(expected)
  const before = desk.dump()
  const again = await desk.importSheet('groups', 'memberships.csv')
  expect([again.stderr, desk.dump()]).toEqual(['memberships.csv: nothing has changed, 3 unchanged.\n', before])
  desk.put('fewer.csv', lines('externalId,name,member', ...rows.slice(0, 2)))
  expect(await desk.importSheet('groups', 'fewer.csv')).toMatchObject({
    stderr: 'fewer.csv: 1 updated, 1 unchanged.\n',
  })
  expect(desk.rows(MEMBERS)[1]).toEqual(['Divers', 'DIR-1', 'Ada'])
})

test('each violation is at its own row, and nothing is stored', async () => {
  const desk = await openRoster()
  const before = desk.dump()
  desk.put(
    'bad.csv',
    lines(
      'name,description,member,members',
      'Divers,Below,ada@example.com,',
      'Divers,Above,Nemo,',
      'Divers,,bea@example.com,cleo@example.com',
    ),
  )
  const { code, report } = await desk.report('groups', 'bad.csv', '--strict-references')
  expect({ code, violations: report.files[0]?.violations }).toEqual({
    code: 1,
    violations: [
      {
        ...{ line: 3, column: 'description', value: 'Above' },
        detail: 'Must be as in line 2, which has the same group.',
      },
      {
        ...{ line: 3, column: 'member', value: 'Nemo' },
        detail:
          'Nobody on the roster has the e-mail, user id, externalId or name "Nemo". Import people first; separate several by ;.',
      },
      {
        ...{ line: 4, column: 'member', value: 'bea@example.com' },
        detail: 'Give either member or members, not both.',
      },
    ],
  })
  expect(desk.dump()).toEqual(before)
})
