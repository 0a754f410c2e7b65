import { expect, test } from 'vitest'
import { lines, openDesk } from '../importing.js'

/** Layouts of registers that people publish, each with what must be stored of it. */
test.each<[what: string, noun: string, sheet: string, sql: string, rows: unknown[][]]>([
  [
    'a RAID log that calls its kind a category gives the rows of the noun',
    'risks',
    lines(
      'RAID Category,Description,Mitigation,Owner,Status',
      'Risk,Tier limits may stop the backup,Monitor usage,Ann,Open',
      'Assumption,The cloud stays available,Watch,Ann,Open',
      'Issue,Learning is slow,Training,Ann,Open',
    ),
    'select title, mitigation from risk',
    [['Tier limits may stop the backup', 'Monitor usage']],
  ],
  [
    'a closing date without a status closes',
    'issues',
    lines('Defect ID,Summary,Severity,Closing Date', '1,Cart stays,High,2021-09-07', '2,Alert missing,Low,'),
    'select reference, status from issue order by reference',
    [
      ['1', 'CLOSED'],
      ['2', 'OPEN'],
    ],
  ],
  [
    'a raised date is the day raised',
    'risks',
    lines('risk_id,description,raised_date,status', 'R-1,Permit late,2024-01-17,Open'),
    'select reference, raised_on from risk',
    [['R-1', '2024-01-17']],
  ],
  [
    'the hints of a template below its header are no risk, levels are factors, and a legend is no reference',
    'risks',
    lines(
      'RISK DESCRIPTION,IMPACT LEVEL,PROBABILITY LEVEL,PRIORITY LEVEL,MITIGATION NOTES,OWNER,,KEY',
      `Give a brief summary of the risk.,Rate 1 (LOW) to 5 (HIGH),Rate 1 (LOW) to 5 (HIGH),(IMPACT X PROBABILITY),What can be done?,Who's responsible?,,LEVEL`,
      'Pump fails,5,4,20,Buy a spare,Ann,,1',
      'Crane late,3,2,6,Book early,Bob,,2',
      'Permit missing,4,4,16,Ask again,Ann,,',
      'Frost,2,2,4,Heat,Bob,,',
    ),
    'select reference, likelihood, impact from risk order by reference',
    [
      ['Crane late', 2, 3],
      ['Frost', 2, 2],
      ['Permit missing', 4, 4],
      ['Pump fails', 4, 5],
    ],
  ],
  [
    'our own names beside a column ID that has references',
    'risks',
    lines('ID,Title,Likelihood,Impact,Status', 'R1,Pump fails,High,Low,Open', 'R2,Crane late,Low,High,Closed'),
    'select reference, likelihood, impact, status from risk order by reference',
    [
      ['R1', 4, 2, 'OPEN'],
      ['R2', 2, 4, 'CLOSED'],
    ],
  ],
  [
    'critical is one step below catastrophic',
    'risks',
    lines(
      'ID,Risk,Likelihood,Impact,Status',
      'R1,Fire,4,Catastrophic,Open',
      'R2,Leak,3,Critical,Open',
      'R3,Noise,5,Marginal,Open',
    ),
    'select reference, impact from risk order by reference',
    [
      ['R1', 5],
      ['R2', 4],
      ['R3', 2],
    ],
  ],
])('%s', async (_, noun, sheet, sql, rows) => {
  const desk = openDesk()
  desk.put('log.csv', sheet)
  const { code, stderr } = await desk.importSheet(noun, '--project', 'APOLLO', '--create-projects', 'log.csv')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(desk.rows(sql)).toEqual(rows)
  const again = await desk.importSheet(noun, '--project', 'APOLLO', 'log.csv')
  expect(again.stderr).toMatch(/nothing has changed|0 created/)
})

test('birth dates are left out under a short name too', async () => {
  const desk = openDesk()
  desk.put('staff.csv', lines('VORNAME,NACHNAME,GEBDAT,PERS_NR,E-Mail', 'Walter,Meier,1980-02-03,1,w@example.com'))
  await desk.importSheet('people', 'staff.csv')
  expect(desk.rows('select name, external_id, details from person')).toEqual([['Walter Meier', '1', null]])
})

test('a row of data far below is no header', async () => {
  const desk = openDesk()
  const rows = Array.from({ length: 12 }, (_, i) => `Card ${i},,${i}`)
  desk.put('cards.csv', lines('nam,what,number', ...rows, 'Classes: ID,Name,Status', 'Last,,13'))
  const { code, stderr } = await desk.importSheet('issues', '--project', 'APOLLO', '--create-projects', 'cards.csv')
  expect(code).toBe(1)
  expect(stderr).toContain(
    'The only line that looks like a header is 14, below 13 rows. Correct the headings in line 1',
  )
  expect(desk.rows('select count(*) from issue')).toEqual([[0]])
})
