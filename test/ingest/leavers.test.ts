import { expect, test } from 'vitest'
import { addGroup } from '../../src/personnel/groups.js'
import { addPerson } from '../../src/personnel/people.js'
import { type Desk, lines, openDesk } from './importing.js'

const hr = (...numbers: number[]) =>
  lines('externalId,name,email', ...numbers.map((n) => `HR-${n},Person ${n},p${n}@example.com`))
const STAFF = Array.from({ length: 10 }, (_, n) => n)
const MISSING = ['people', '--missing', 'inactive']
const GONE = "select name from person where status = 'INACTIVE' order by name"

/** A desk whose staff came from an HR file. */
async function openStaff(): Promise<Desk> {
  const desk = openDesk()
  desk.put('staff.csv', hr(...STAFF))
  expect(await desk.importSheet('people', 'staff.csv')).toMatchObject({ code: 0 })
  return desk
}

test('who vanished from the file becomes INACTIVE, up to the limit, and who comes back is ACTIVE', async () => {
  const desk = await openStaff()
  desk.put('fewer.csv', hr(...STAFF.slice(2)))
  const dry = await desk.importSheet(...MISSING, '--dry-run', 'fewer.csv')
  expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('2 set INACTIVE, 8 unchanged.') })
  expect(desk.list(GONE)).toEqual([])
  expect(await desk.importSheet(...MISSING, 'fewer.csv')).toEqual({
    ...{ code: 0, stdout: '', stderr: 'fewer.csv: 2 set INACTIVE, 8 unchanged.\n' },
  })
  expect(desk.list(GONE)).toEqual(['Person 0', 'Person 1'])
  const leaving = { action: 'UPDATED', entity: 'PERSON', by: 'cli', fields: { status: ['ACTIVE', 'INACTIVE'] } }
  expect(desk.changes().slice(10)).toEqual([leaving, leaving])
  expect(await desk.importSheet(...MISSING, 'fewer.csv')).toMatchObject({
    stderr: 'fewer.csv: nothing has changed, 8 unchanged.\n',
  })
  expect(await desk.importSheet(...MISSING, 'staff.csv')).toMatchObject({
    stderr: 'staff.csv: 2 updated, 8 unchanged.\n',
  })
  expect([desk.list(GONE), desk.wronglyTimestamped()]).toEqual([[], []])
})

test('more than the limit stay ACTIVE, the other changes are stored, and the exit code is 1', async () => {
  const desk = await openStaff()
  desk.put('few.csv', `${hr(...STAFF.slice(4))}HR-99,New,new@example.com\n`)
  const { code, report } = await desk.report(...MISSING, 'few.csv')
  const detail =
    '4 of 10 active people are missing; at most 3 are set INACTIVE at once. ' +
    'Is the list complete? If so, allow it with --close-limit 4.'
  expect({ code, file: report.files[0] }).toMatchObject({
    code: 1,
    file: { stored: true, created: 1, unchanged: 6, closed: 0, violations: [], notClosed: [{ detail }] },
  })
  expect(desk.list(GONE)).toEqual([])
  desk.put('none.csv', 'externalId,name,email\n')
  expect(await desk.importSheet(...MISSING, '--close-limit', '99', 'none.csv')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not closed: The list is empty, so nobody was set INACTIVE.'),
  })
  expect(await desk.importSheet(...MISSING, '--close-limit', '4', 'few.csv')).toMatchObject({ code: 0 })
  expect(desk.list(GONE)).toHaveLength(4)
})

test('nobody becomes INACTIVE who never came from such a file, and the report counts them', async () => {
  const desk = await openStaff()
  const opened = desk.own.open()
  await opened.write({ by: 'key_other', at: () => new Date() }, async (write) => {
    await addPerson(write, { name: 'By hand', externalId: 'X-1' })
    await addPerson(write, { name: 'Visitor', email: 'visitor@example.com' })
    await addGroup(write, { name: 'Guests' })
  })
  await opened.close()
  desk.put('guests.csv', lines('name,members', 'Guests,X-1'))
  desk.put('contractors.csv', lines('name,email', 'Cleo,cleo@example.com', 'Dora,dora@example.com'))
  expect(await desk.importSheet('groups', 'guests.csv')).toMatchObject({ code: 0 })
  expect(await desk.importSheet('people', 'contractors.csv')).toMatchObject({ code: 0 })
  const foreign = (count: number) =>
    `  warning: ${count} active people are not in the list, and left as they are: this source has never written them.`
  desk.put('fewer.csv', hr(...STAFF.slice(1)))
  expect(await desk.importSheet(...MISSING, 'fewer.csv')).toMatchObject({
    stderr: lines(foreign(4), 'fewer.csv: 1 set INACTIVE, 9 unchanged.'),
  })
  // Contractors have no externalId, and their list does not touch the staff.
  desk.put('one.csv', lines('name,email', 'Cleo,cleo@example.com'))
  expect(await desk.importSheet(...MISSING, 'one.csv')).toMatchObject({ code: 0 })
  expect(desk.list(GONE)).toEqual(['Dora', 'Person 0'])
})

test('several files are one list, of which nobody is missing if a file cannot be used', async () => {
  const desk = await openStaff()
  desk.put('north.csv', hr(...STAFF.slice(0, 5)))
  desk.put('south.csv', hr(...STAFF.slice(5, 9)))
  desk.put('bad.csv', `${hr(...STAFF.slice(0, 5))}HR-98,Bad,no address\n`)
  expect(await desk.importSheet(...MISSING, 'bad.csv', 'south.csv')).toMatchObject({ code: 1 })
  expect(desk.list(GONE)).toEqual([])
  expect(await desk.importSheet(...MISSING, 'north.csv', 'south.csv')).toMatchObject({ code: 0 })
  expect(desk.list(GONE)).toEqual(['Person 9'])
})
