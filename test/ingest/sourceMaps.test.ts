import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { runHere } from '../support/inProcess.js'
import { type Desk, lines, openDesk } from './importing.js'

const HEADER = 'Risk ID,Risk,Likelihood (1-10),Impact (1-10),State,Raised'
const FIRST = [HEADER, 'R-1,Flood,8,6,Active,03/04/2026', 'R-2,Strike,2,10,Done,25/04/2026']

const stored = (desk: Desk) =>
  desk.rows('select reference, likelihood, impact, status, raised_on from risk order by reference')

/** A desk on the morning after the first night. */
async function secondNight() {
  const desk = openDesk()
  const night = (name: string, rows: readonly string[], ...flags: string[]) => {
    desk.put(name, lines(...rows))
    return desk.importSheet('risks', name, '--project', 'APOLLO', '--create-projects', ...flags)
  }
  expect(await night('register-2026-11-17.csv', FIRST)).toMatchObject({ code: 0 })
  return { desk, night }
}

test('the next file of a source is read by the map of the first, whatever its own rows would suggest', async () => {
  const { desk, night } = await secondNight()
  // Alone, these numbers would be steps from 1 to 5, and the day would come second.
  const rows = ['Risk ID,Risk,Likelihood (1-10),Impact (1-10),State,Raised', 'R-3,Theft,4,3,Done,05/06/2026']
  const { code, stderr } = await night('register-2026-11-18.csv', rows)
  expect(stderr).toContain('Read by the map of the source register, accepted on ')
  expect(stderr).not.toContain('The columns were guessed')
  expect(code).toBe(0)
  expect(stored(desk)).toEqual([
    ['R-1', 4, 3, 'OPEN', '2026-04-03'],
    ['R-2', 1, 5, 'CLOSED', '2026-04-25'],
    ['R-3', 2, 2, 'CLOSED', '2026-06-05'],
  ])
})

test.each([
  [
    'a new word',
    [HEADER, 'R-1,Flood,8,6,Parked,03/04/2026'],
    'State: "Parked" (row 2) is not known for status, which is OPEN, OCCURRED, CLOSED. Say what it means with --value "Parked=OPEN".',
  ],
  [
    'a word that nobody knows',
    [HEADER, 'R-1,Flood,8,6,Zorp,03/04/2026'],
    'State: "Zorp" (row 2) is not known for status, which is OPEN, OCCURRED, CLOSED. Say what it means with --value "Zorp=OPEN".',
  ],
  [
    'a value outside the scale',
    [HEADER, 'R-1,Flood,12,6,Active,03/04/2026'],
    'Likelihood (1-10): "12" (row 2) is not known for likelihood.',
  ],
  [
    'a day of another form',
    [HEADER, 'R-1,Flood,8,6,Active,2026 week 4'],
    'Raised: "2026 week 4" (row 2) is not known for raisedOn.',
  ],
  [
    'a column that is gone',
    [HEADER.replace('State', 'Colour'), 'R-1,Flood,8,6,Active,03/04/2026'],
    'Gone: State (status).',
  ],
  [
    'a new column that may be a field',
    [`${HEADER},Owner`, 'R-1,Flood,8,6,Active,03/04/2026,Ada'],
    'Owner is new, and looks like owner.',
  ],
])('%s stops the import, with the way on', async (_, rows, sentence) => {
  const { desk, night } = await secondNight()
  const before = desk.dump()
  const { code, stderr } = await night('register-2026-11-18.csv', rows)
  expect(stderr).toContain('It no longer fits what was accepted for the source register on ')
  expect(stderr).toContain(sentence)
  expect(stderr).toContain('--accept takes a new guess, --map a map of yours; `operations maps show "register"`')
  expect(code).toBe(1)
  expect(desk.dump()).toEqual(before)
})

test('--value adds a word that stays, a new column is kept in details, and --accept takes a new guess', async () => {
  const { desk, night } = await secondNight()
  const rows = [`${HEADER},Weather`, 'R-1,Flood,8,6,Parked,03/04/2026,Rain']
  const { code, stderr } = await night('register-2026-11-18.csv', rows, '--value', 'Parked=OPEN')
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('New, so kept in details: Weather.'),
  })
  const again = await night('register-2026-11-19.csv', [rows[0] ?? '', 'R-2,Strike,2,10,Parked,25/04/2026,Snow'])
  expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('New, so') })
  expect(stored(desk).map(([reference, , , status]) => [reference, status])).toEqual([
    ['R-1', 'OPEN'],
    ['R-2', 'OPEN'],
  ])
  expect(desk.list('select details from risk')).toEqual([
    '[{"name":"Weather","text":"Rain"}]',
    '[{"name":"Weather","text":"Snow"}]',
  ])
  const other = ['Ref,Title,Probability,Impact,Raised', 'R-1,Flood,5,4,2026-04-03']
  expect(await night('register.csv', other)).toMatchObject({ code: 1 })
  expect(await night('register.csv', other, '--accept')).toMatchObject({ code: 0 })
  expect(await night('register.csv', other)).toMatchObject({ code: 0 })
  expect(stored(desk)[0]).toEqual(['R-1', 5, 4, 'OPEN', '2026-04-03'])
})

test('--value says what a word of the first import means', async () => {
  const desk = openDesk()
  desk.put('log.csv', lines('ID,Issue,Severity', 'I-1,Crane stands still,Ouch', 'I-2,No permit,High'))
  const flags = ['--project', 'APOLLO', '--create-projects']
  expect(await desk.importSheet('issues', 'log.csv', ...flags)).toMatchObject({ code: 1 })
  const wrong = await desk.importSheet('issues', 'log.csv', ...flags, '--value', 'Ouch=CRITICAL', '--value', 'Ow=LOW')
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('no column has that word') })
  expect(await desk.importSheet('issues', 'log.csv', ...flags, '--value', 'Ouch=CRITICAL')).toMatchObject({ code: 0 })
  expect(desk.rows('select reference, severity from issue order by reference')).toEqual([
    ['I-1', 'CRITICAL'],
    ['I-2', 'HIGH'],
  ])
})

test('sheets with our own names need no map, and sources are told apart by --source and by noun', async () => {
  const { desk, night } = await secondNight()
  const own = ['reference,title,likelihood,impact,owner', 'R-9,Fire,2,2,Ada']
  expect(await night('register.csv', own)).toMatchObject({ code: 0 })
  const other = ['Ref,Title,Probability,Impact', 'R-8,Ice,5,4']
  expect(await night('register.csv', other, '--source', 'harbour')).toMatchObject({ code: 0 })
  expect(desk.rows('select source, noun from source_map order by source')).toEqual([
    ['harbour', 'risks'],
    ['register', 'risks'],
  ])
})

test('a map that turns our own names stays, and a column that was blank when it was accepted is noticed', async () => {
  const desk = openDesk()
  const night = (...flags: string[]) => desk.importSheet('risks', 'own.csv', ...flags)
  desk.put('own.csv', lines('project,reference,title,likelihood,impact', 'APOLLO,R-1,Flood,1,2'))
  const turned = { from: 'likelihood', values: { 1: 5, 2: 4, 3: 3, 4: 2, 5: 1 } }
  const named = Object.fromEntries(['project', 'reference', 'title', 'impact'].map((name) => [name, name]))
  desk.put('turned.json', JSON.stringify({ columns: { ...named, likelihood: turned } }))
  expect(await night('--create-projects', '--map', 'turned.json')).toMatchObject({ code: 0 })
  expect(await night()).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing has changed') })
  expect(desk.rows('select likelihood, impact from risk')).toEqual([[5, 2]])

  const flags = ['--project', 'APOLLO']
  desk.put('late.csv', lines('Ref,Title,Risk Owner', 'L-1,Frost,'))
  expect(await desk.importSheet('risks', 'late.csv', ...flags)).toMatchObject({ code: 0 })
  desk.put('late.csv', lines('Ref,Title,Risk Owner', 'L-1,Frost,Ada'))
  const noticed = await desk.importSheet('risks', 'late.csv', ...flags)
  expect(noticed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Risk Owner is new, and looks like owner.'),
  })
})

test('a column that is blank in every row, or percentages without their signs, stop the import', async () => {
  const desk = openDesk()
  const night = (cell: (at: number) => string) => {
    const rows = Array.from({ length: 5 }, (_, at) => `R-${at},Risk ${at},${cell(at)},3`)
    desk.put('percent.csv', lines('Ref,Title,Probability,Impact', ...rows))
    return desk.importSheet('risks', 'percent.csv', '--project', 'APOLLO', '--create-projects')
  }
  expect(await night((at) => `${at * 20 + 10}%`)).toMatchObject({ code: 0 })
  const blank = await night(() => '')
  expect(blank).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Blank in every row: Probability (likelihood).'),
  })
  const fractions = await night((at) => String((at * 2 + 1) / 10))
  expect(fractions).toMatchObject({ code: 1, stderr: expect.stringContaining('is not known for likelihood') })
})

test('operations maps lists, shows and forgets them', async () => {
  const { desk, night } = await secondNight()
  const maps = (...args: string[]) => runHere(desk.folder, ['maps', ...args, '--database', desk.own.url])
  expect(await maps('list')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^register {2}risks {2}accepted .* 6 columns\n$/),
  })
  const shown = await maps('show', 'register')
  desk.put('mine.json', shown.stdout)
  expect(JSON.parse(shown.stdout).columns.status).toEqual({ from: 'State', values: { active: 'OPEN', done: 'CLOSED' } })
  expect(await night('register.csv', FIRST, '--map', 'mine.json')).toMatchObject({ code: 0 })
  expect(await maps('forget', 'register')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'The map of register for risks is forgotten.\n',
  })
  expect(await maps('show', 'register')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no map of register'),
  })
})

test('an import whose map was changed by another one meanwhile stops, and says so', async () => {
  const { desk } = await secondNight()
  const before = stored(desk)
  const stdin = new PassThrough()
  // The map is read before the file: here another import stores its own in between.
  stdin.once('newListener', () => {
    desk.own.run("update source_map set accepted_at = '2027-01-01T00:00:00.000Z'")
    stdin.end(lines(HEADER, 'R-1,Flood,2,2,Active,03/04/2026'))
  })
  const own = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {}
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true })
  onTestFinished(() => void Object.defineProperty(process, 'stdin', own))
  const flags = ['--format', 'csv', '--source', 'register', '--project', 'APOLLO']
  expect(await desk.importSheet('risks', '-', ...flags)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Another import from the source register has changed its map meanwhile.'),
  })
  expect(stored(desk)).toEqual(before)
  expect(desk.list('select accepted_at from source_map')).toEqual(['2027-01-01T00:00:00.000Z'])
})
