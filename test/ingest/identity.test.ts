import { expect, test } from 'vitest'
import { type Desk, lines, openDesk } from './importing.js'

const people = (desk: Desk) => desk.rows('select external_id, name, email, status from person order by external_id')

async function roster(...rows: string[]) {
  const desk = openDesk()
  const list = (given: readonly string[], ...flags: string[]) => {
    desk.put('people.csv', lines('externalId,name,email,status', ...given))
    return desk.importSheet('people', 'people.csv', ...flags)
  }
  expect(await list(rows)).toMatchObject({ code: 0 })
  return { desk, list }
}

test('addresses that move or swap between the rows of a list are applied, and the history tells from what', async () => {
  const { desk, list } = await roster('1,Ada,ada@x.org,', '2,Bea,bea@x.org,', '3,Cleo,cleo@x.org,')
  const ids = desk.list('select id from person order by external_id')
  expect(await list(['1,Ada,bea@x.org,', '2,Bea,ada@x.org,', '3,Cleo,c@x.org,', '4,Dora,cleo@x.org,'])).toMatchObject({
    code: 0,
  })
  expect(people(desk).map(([, name, email]) => [name, email])).toEqual([
    ['Ada', 'bea@x.org'],
    ['Bea', 'ada@x.org'],
    ['Cleo', 'c@x.org'],
    ['Dora', 'cleo@x.org'],
  ])
  expect(desk.list('select id from person order by external_id').slice(0, 3)).toEqual(ids)
  expect(
    desk
      .changes()
      .slice(3)
      .map(({ action, fields }) => [action, fields['email']]),
  ).toEqual([
    ['UPDATED', ['ada@x.org', 'bea@x.org']],
    ['UPDATED', ['bea@x.org', 'ada@x.org']],
    ['UPDATED', ['cleo@x.org', 'c@x.org']],
    ['CREATED', [null, 'cleo@x.org']],
  ])
  const taken = await list(['5,Eva,ada@x.org,'])
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('It belongs to Bea (externalId 2') })
})

test('someone who comes back with a new employee id keeps the id, and a stranger with their address is asked about', async () => {
  const { desk, list } = await roster('1,Ada Lovelace,ada@x.org,INACTIVE')
  const [id] = desk.list('select id from person')
  const stranger = ['7,Ada King,ada@x.org,']
  const asked = await list(stranger)
  expect(asked.code).toBe(1)
  expect(asked.stderr).toContain(
    `It is the address of Ada Lovelace, who left: if it is the same person, give the id ${id}; ` +
      'if Ada King is somebody else, give them the address with --accept.',
  )
  expect(await list(['8,ADA LOVELACE,ada@x.org,'])).toMatchObject({ code: 0 })
  expect(desk.rows('select id, external_id, status from person')).toEqual([[id, '8', 'ACTIVE']])
  expect(await list(['8,Ada Lovelace,ada@x.org,INACTIVE'])).toMatchObject({ code: 0 })
  expect(await list(stranger, '--accept')).toMatchObject({ code: 0 })
  expect(people(desk)).toEqual([
    ['7', 'Ada King', 'ada@x.org', 'ACTIVE'],
    ['8', 'Ada Lovelace', null, 'INACTIVE'],
  ])
})

const ENTRIES = ['--project', 'APOLLO', '--create-projects']

test('who left stays the owner of what they own, also when a namesake comes', async () => {
  const { desk, list } = await roster('1,Ada,ada@x.org,')
  desk.put('risks.csv', lines('reference,title,owner', 'R-1,Flood,Ada'))
  const register = () => desk.importSheet('risks', 'risks.csv', ...ENTRIES)
  await register()
  const owners = () => desk.rows('select owner_id, owner_name from risk')
  const before = owners()
  expect(before).toEqual([desk.list('select id from person').concat('Ada')])
  await list(['1,Ada,ada@x.org,INACTIVE'])
  expect(await register()).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing has changed') })
  await list(['2,Ada,ada2@x.org,'])
  expect(await register()).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing has changed') })
  expect(owners()).toEqual(before)
})

const TITLES = ['Flood', 'Strike', 'Theft', 'Fire', 'Ice', 'Wind', 'Rust', 'Fraud']

test.each([
  ['the same titles under new references', TITLES.map((title, at) => `N-${at},${title}`), '"Flood" is N-0 and was R-0'],
  [
    'other titles under the same references',
    TITLES.map((_, at) => `R-${at},${TITLES[(at + 1) % 8]}`),
    'R-0 is "Strike" and was "Flood"',
  ],
])('%s are refused, unless that is meant', async (_, rows, sentence) => {
  const desk = openDesk()
  desk.put('risks.csv', lines('reference,title', ...TITLES.map((title, at) => `R-${at},${title}`)))
  const register = (...flags: string[]) => desk.importSheet('risks', 'risks.csv', ...ENTRIES, ...flags)
  expect(await register()).toMatchObject({ code: 0 })
  desk.put('risks.csv', lines('reference,title', ...rows))
  const before = desk.dump()
  const refused = await register()
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The references seem to have moved: 8 of 8 risks'),
  })
  expect(refused.stderr).toContain(sentence)
  expect(desk.dump()).toEqual(before)
  expect(await register('--accept')).toMatchObject({ code: 0 })
})

test('a row that is inserted and numbered moves the others, which is refused also if they are the fewer', async () => {
  const desk = openDesk()
  const titles = Array.from({ length: 20 }, (_, at) => `Thing ${at}`)
  const register = (all: readonly string[]) => {
    desk.put('risks.csv', lines('reference,title', ...all.map((title, at) => `${at + 1},${title}`)))
    return desk.importSheet('risks', 'risks.csv', ...ENTRIES)
  }
  expect(await register(titles)).toMatchObject({ code: 0 })
  const moved = await register([...titles.slice(0, 12), 'Inserted', ...titles.slice(12)])
  expect(moved).toMatchObject({ code: 1, stderr: expect.stringContaining('The references seem to have moved') })
  expect(await register([...titles, 'Appended'])).toMatchObject({ code: 0 })
})

test('a register that shrinks a little each night is refused once a fifth is gone within seven imports', async () => {
  const desk = openDesk()
  const night = (count: number, ...flags: string[]) => {
    const rows = Array.from({ length: count }, (_, at) => `R-${at},Risk ${at}`)
    desk.put('risks.csv', lines('reference,title', ...rows))
    return desk.importSheet('risks', 'risks.csv', ...ENTRIES, '--close-missing', ...flags)
  }
  for (const count of [50, 46, 42]) expect(await night(count)).toMatchObject({ code: 0 })
  const refused = await night(38)
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('APOLLO: 4 of its 42 live risks are missing'),
  })
  expect(refused.stderr).toContain('at most 10 are closed at once with the 8 of the last 7 imports.')
  expect(await night(38, '--close-limit', '4')).toMatchObject({ code: 0 })
})
