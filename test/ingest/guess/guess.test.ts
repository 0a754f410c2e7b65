import { describe, expect, test } from 'vitest'
import { lines, openDesk } from '../importing.js'
import { column, DEFAULTS, questions, read } from './reading.js'

describe('an unknown word', () => {
  const sheet = lines('ID,Risk,Likelihood,Impact', '1,a,High,1', '2,b,Zorp,2', '3,c,Low,3', '4,d,zorp,4', '5,e,Zorp,5')

  test('is named with its rows and what settles it, as are those of the other columns', () => {
    expect(questions(sheet)).toEqual([
      'Likelihood: it is not known what "Zorp" (rows 3, 6), "zorp" (row 5) means for likelihood, which is 1, 2, 3, 4, 5. Say it with --value "Zorp=1", once for each word, or in a map (--suggest-map prints one).',
    ])
    const two = lines('ID,Summary,Status,Severity,Priority', '1,a,Zorp,Blip,High', '2,b,Open,Blop,Low')
    expect(questions(two, 'issues')).toEqual([
      expect.stringMatching(/^Status: .* "Zorp" \(row 2\) means for status, which is OPEN, /),
      expect.stringMatching(/^Severity: .* "Blip" \(row 2\), "Blop" \(row 3\) means for severity/),
    ])
    const settled = { values: new Map(Object.entries({ zorp: 'CLOSED', blip: 'LOW', blop: 'HIGH' })) }
    expect(column('severity', read('issues', two, settled))).toEqual(['LOW', 'HIGH'])
  })

  test('for a status or a severity stops the import however few rows have it', () => {
    const rows = Array.from({ length: 30 }, (_, at) => `${at},risk ${at},${at === 7 ? 'Zorp' : 'Open'}`)
    expect(questions(lines('ID,Risk,Status', ...rows))).toEqual([expect.stringMatching(/"Zorp" \(row 9\)/)])
    const severe = rows.map((row) => row.replace('Open', 'High'))
    expect(questions(lines('ID,Summary,Severity', ...severe), 'issues')).toEqual([expect.stringMatching(/"Zorp"/)])
  })

  test('in one row of ten is left blank with a warning, where the field may be so, and known words count', () => {
    const words = ['Accept', 'Mitigate', 'Defer', 'Share', 'Avoid', ...'Accept '.repeat(5).trim().split(' ')]
    const rows = words.map((word, at) => `${at},risk ${at},${word},${at === 0 ? 'Sky-high' : 'High'},3`)
    const { records, warnings } = read('risks', lines('ID,Risk,Response,Likelihood,Impact', ...rows))
    expect(records[2]?.values).toMatchObject({ response: '', 'details.Response': 'Defer' })
    expect(records[0]?.values).toMatchObject({ likelihood: '', impact: '', 'details.Likelihood': 'Sky-high' })
    expect(records[3]?.values).toMatchObject({ response: 'TRANSFER', likelihood: 4, impact: '3' })
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Likelihood: "Sky-high" \(row 2\) is no likelihood; left blank there, and kept in details/,
      ),
      expect.stringMatching(/^Response: "Defer" \(row 4\) is no response; left blank there/),
    ])
  })

  test('stands out in the suggested map, which works once it is replaced', async () => {
    const desk = openDesk()
    desk.put('risks.csv', sheet)
    const suggested = await desk.importSheet('risks', 'risks.csv', '--suggest-map')
    expect(suggested).toMatchObject({ code: 0, stdout: expect.stringContaining('"zorp": "?"') })
    const flags = ['--project', 'A', '--create-projects']
    desk.put('map.json', suggested.stdout)
    expect((await desk.report('risks', 'risks.csv', ...flags, '--map', 'map.json')).report.rejected).toBe(3)
    desk.put('map.json', suggested.stdout.replaceAll('"?"', '5'))
    expect((await desk.report('risks', 'risks.csv', ...flags, '--map', 'map.json')).report.created).toBe(5)
    expect(desk.list('select count(*) from risk where likelihood = 5')).toEqual([3])
  })
})

describe('a date', () => {
  const dated = (...days: string[]) => lines('ID,Risk,Date raised', ...days.map((day, at) => `${at},x,"${day}"`))

  test.each([
    [
      ['2026-03-01', '2026-03-02T10:00:00Z'],
      ['2026-03-01', '2026-03-02'],
    ],
    [
      ['01.03.2026', '2.3.26'],
      ['2026-03-01', '2026-03-02'],
    ],
    [
      ['01/03/2026', '31/12/2026'],
      ['2026-03-01', '2026-12-31'],
    ],
    [
      ['01/03/2026', '12/31/2026'],
      ['2026-01-03', '2026-12-31'],
    ],
    [['02/02/2026'], ['2026-02-02']],
    [
      ['1 March 2026', '2-Apr-26', 'May 3, 2026'],
      ['2026-03-01', '2026-04-02', '2026-05-03'],
    ],
    [
      ['1. März 2026', '2. Dez. 2026'],
      ['2026-03-01', '2026-12-02'],
    ],
    [
      ['2026/3/1', '2026年4月2日'],
      ['2026-03-01', '2026-04-02'],
    ],
    [
      ['2026-03-01', 'TBD', ''],
      ['2026-03-01', '', ''],
    ],
  ])('%j is read as %j', (days, expected) => {
    expect(column('raisedOn', read('risks', dated(...days)))).toEqual(expected)
  })

  test('that may have the day or the month first is a question, unless a flag or another column decides', () => {
    const open = dated('03/04/2026', '05/06/2026')
    expect(questions(open)).toEqual([
      'Date raised: dates such as 03/04/2026 may have the day or the month first, and no row shows which. Say it with --date-order dmy or --date-order mdy, or in a map: "raisedOn": { "from": "Date raised", "date": "d/M/yyyy" } or "date": "M/d/yyyy".',
    ])
    expect(column('raisedOn', read('risks', open, { dateOrder: 'mdy' }))).toEqual(['2026-03-04', '2026-05-06'])
    const two = lines('ID,Risk,Date raised,Due date', '1,x,03/04/2026,31/12/2026')
    expect(column('raisedOn', read('risks', two))).toEqual(['2026-04-03'])
    expect(questions(dated('31/12/2026', '12/31/2026'))).toEqual([expect.stringMatching(/^Date raised: some dates/)])
  })

  test('among texts of dates may have been swapped by a spreadsheet: a warning, or a question where it decides', () => {
    expect(questions(dated('2027-10-05', '14/05/2027'))).toEqual([
      expect.stringMatching(
        /^Date raised: "2027-10-05" \(row 2\) are dates, and "14\/05\/2027" \(row 3\) are texts\. .*swapped/,
      ),
    ])
    const { warnings } = read('risks', dated('2027-10-25', '14/05/2027'))
    expect(warnings).toEqual([expect.stringMatching(/are texts\. Are the dates right\?$/)])
  })

  test('of a row beyond the first thousands decides as well', () => {
    const days = Array.from(
      { length: 2_100 },
      (_, at) => `${(at % 12) + 1}/${(at % 11) + 1}/${2000 + Math.floor(at / 132)} ${at}`,
    )
    expect(column('raisedOn', read('risks', dated(...days, '25/12/2026'))).slice(-2)).toEqual([
      '2015-10-12',
      '2026-12-25',
    ])
  })

  test('of closing closes what has no status, and nothing else', () => {
    const rows = ['1,a,,2026-05-01', '2,b,Open,2026-05-02', '3,c,,', '4,d,,n/a']
    const { records, guess } = read('risks', lines('ID,Risk,Status,Date Closed', ...rows))
    expect(records.map(({ values }) => values['status'])).toEqual(['CLOSED', 'Open', '', ''])
    expect(guess?.notes).toContain('Without a status, what has a Date Closed is CLOSED: row 2.')
    const none = read('issues', lines('Title,Completed At', 'a,2026-05-01', 'b,'))
    expect(column('status', none)).toEqual(['CLOSED', ''])
    expect(column('details.Completed At', none)).toEqual(['2026-05-01', ''])
  })

  test('that is none is left blank, kept in details and named, and a column of such texts is kept as it is', () => {
    const some = read('risks', dated('2026-03-01', 'Q2 2026', '2026-03-02'))
    expect(column('raisedOn', some)).toEqual(['2026-03-01', '', '2026-03-02'])
    expect([some.warnings, column('details.Date raised', some)[1]]).toEqual([
      ['Date raised: no day in "Q2 2026" (row 3); left blank there, and kept in details.'],
      'Q2 2026',
    ])
    expect(read('risks', dated('Q2 2026', 'later')).guess?.kept).toEqual(['Date raised'])
  })
})

describe('columns', () => {
  test('of days that are mostly something else are details, which is said', () => {
    const rows = ['1,a,Q3 2026', '2,b,Q4 2026', '3,c,2026-12-31']
    const { guess } = read('risks', lines('No,Risk,Target date', ...rows))
    expect([guess?.kept, guess?.notes]).toEqual([
      ['Target date'],
      ['Target date is no more than a detail: most of its texts are no days.', ...DEFAULTS],
    ])
  })

  test('of one name mean the same for issues as for risks', () => {
    const sheet = lines('No,Title,Raised', '1,a,2026-05-03')
    for (const noun of ['risks', 'issues'] as const) {
      expect(column('raisedOn', read(noun, sheet)), noun).toEqual(['2026-05-03'])
    }
  })

  test('are known by what German sheets call them, and teams beside a department are groups', () => {
    const people = 'Personal-Nr.,Name,E-Mail,Abteilung,Teams'
    expect(read('people', lines(people, '7,Ada,ada@example.com,Bau,Kran')).records[0]?.values).toMatchObject({
      ...{ externalId: '7', department: 'Bau', groups: 'Kran' },
    })
    const risks = lines('Nr.,Risiko,Stand,Fällig bis', '1,a,geschlossen,1.3.2027')
    expect(read('risks', risks).records[0]?.values).toMatchObject({ status: 'CLOSED', dueOn: '2027-03-01' })
    // As of a day, it is no status.
    const dated = read('risks', lines('Nr.,Risiko,Stand', '1,a,1.3.2027')).records[0]?.values
    expect(dated).toMatchObject({ 'details.Stand': '1.3.2027' })
    const issues = lines('Ticket,Titel,Prio,Linked risk', '1,a,P1,R-7')
    expect(read('issues', issues).records[0]?.values).toMatchObject({ severity: 'CRITICAL', risk: 'R-7' })
  })

  test.each([
    ['Actif', 'Oui', 'Non'],
    ['Statut', 'Actif', 'Parti'],
    ['Activo', 'Sí', 'No'],
    ['Ativo', 'Sim', 'Não'],
    ['Aktywny', 'tak', 'nie'],
  ])('such as %s say who has left, in the language of the list', (heading, here, gone) => {
    const people = lines(`Name,E-Mail,${heading}`, `Ada,ada@example.com,${here}`, `Bea,bea@example.com,${gone}`)
    expect(column('status', read('people', people))).toEqual(['ACTIVE', 'INACTIVE'])
  })

  test('of two that could be meant the better is taken, which is said, and the other is kept', () => {
    const { records, guess } = read('risks', lines('Ref,Risk,Responsible,Risk Owner', '1,x,Tom,Nora'))
    expect(records[0]?.values).toMatchObject({ owner: 'Nora', 'details.Responsible': 'Tom' })
    expect(guess?.notes).toEqual([...DEFAULTS, 'For owner, "Risk Owner" was preferred to "Responsible".'])
  })

  test('of one name count once, and the second is kept in details, also by the suggested map', async () => {
    const desk = openDesk()
    desk.put('risks.csv', lines('ID,Risk,Treatment,Treatment', '1,x,Mitigate,Train people', '2,y,,Wait'))
    const suggested = await desk.importSheet('risks', 'risks.csv', '--suggest-map')
    desk.put('map.json', suggested.stdout)
    for (const [project, ...flags] of [['A'], ['B', '--map', 'map.json']]) {
      await desk.importSheet('risks', 'risks.csv', '--project', project ?? '', '--create-projects', ...flags)
    }
    const stored = 'select response, mitigation, details from risk order by project_id, reference'
    expect(desk.rows(stored)).toEqual(
      ['A', 'B'].flatMap(() => [
        ['MITIGATE', null, '[{"name":"Treatment (2)","text":"Train people"}]'],
        [null, null, '[{"name":"Treatment (2)","text":"Wait"}]'],
      ]),
    )
  })

  test('of which another says what is closed are a question, unless it is the status of something else', () => {
    const sheet = (heading: string) => lines(`No,Risk,Status,${heading}`, '1,a,Mitigated,Closed', '2,b,Open,Open')
    expect(questions(sheet('Register Status'))).toEqual([
      'Register Status says which are closed, and Status says otherwise: row 2. Say in a map which is the status: --suggest-map prints one.',
    ])
    expect(questions(sheet('Action Status'))).toEqual([])
    expect(questions(lines('No,Issue,resolution_status', '1,a,Resolved'), 'issues')).toHaveLength(1)
  })

  test('that are unknown are kept, cut to what fits, or left out by --ignore-unknown', () => {
    const sheet = lines('ID,Risk,Colour', `1,x,${'y'.repeat(3_000)}`)
    const { records, warnings } = read('risks', sheet)
    expect([String(records[0]?.values['details.Colour']).length, warnings]).toEqual([
      2_000,
      ['1 text was cut to 2,000 characters in details.Colour (the first in line 2).'],
    ])
    const left = read('risks', sheet, {}, true)
    expect([left.records[0]?.values, left.guess?.ignored]).toEqual([
      { reference: '1', title: 'x' },
      [{ column: 'Colour', why: 'it is unknown' }],
    ])
  })

  test('with our own names win, and only what people write in them is translated', () => {
    const sheet = lines('reference,title,likelihood,impact,raisedOn', 'R-1,x,High,Low,03.02.2026')
    expect(read('risks', sheet).records[0]?.values).toEqual({
      ...{ reference: 'R-1', title: 'x', likelihood: 4, impact: 2, raisedOn: '2026-02-03' },
    })
    expect(read('risks', lines('reference,title,likelihood', 'R-1,x,4')).guess).toBeUndefined()
  })

  test('with our own names by chance, as their ids are references, are asked about like any others', () => {
    const sheet = (word: string) => lines('ID,Title,Likelihood,Impact,Status', '1,a,High,Low,Open', `2,b,Low,,${word}`)
    expect(questions(sheet('Zorp'))).toEqual([expect.stringMatching(/^Status: it is not known what "Zorp" \(row 3\)/)])
    const { records, guess } = read('risks', sheet('Closed'))
    expect(records.map(({ values }) => [values.reference, values.likelihood])).toEqual([
      ['1', 4],
      ['2', ''],
    ])
    expect(guess?.notes[0]).toMatch(/^Likelihood and Impact count only together: not assessed in row 3/)
  })

  test('that give numbers for the severity of issues are a question, unless they are priorities', () => {
    expect(questions(lines('ID,Summary,Severity', '1,x,1', '2,y,3'), 'issues')).toEqual([
      expect.stringMatching(/^Severity has numbers, .*"1": "CRITICAL"/),
    ])
    const priorities = read('issues', lines('ID,Summary,Priority', '1,x,1', '2,y,3', '3,z,5'))
    expect(column('severity', priorities)).toEqual(['CRITICAL', 'MEDIUM', 'LOW'])
  })

  test('of the same title make references that differ, the same each time', () => {
    const sheet = lines('Risk,Likelihood', 'a,1', 'b,2', 'a,3', '"a\n",4')
    expect(column('reference', read('risks', sheet))).toEqual(['a', 'b', 'a (2)', 'a (3)'])
    const other = read('risks', lines('Asset,Risk,Owner', 'A-1,a,', 'A-2,a,b'), { referenceFrom: 'asset' })
    expect(column('reference', other)).toEqual(['A-1', 'A-2'])
    expect(questions(lines('Asset,Risk,Owner', 'A-1,a,b'), 'risks', { referenceFrom: 'Nummer' })).toEqual([
      '--reference-from names "Nummer"; the columns are Asset; Risk; Owner.',
    ])
  })

  test('that number two risks alike by a slip tell them apart, and those of one risk do not', () => {
    const slip = read('risks', lines('No.,Risk,Owner', '1,Flood,Ada', '2,Frost,Ada', '2,Snow,Bo'))
    expect(column('reference', slip)).toEqual([1, 2, '2 (2)'])
    expect(slip.warnings).toEqual([
      'No. is not unique in rows 3, 4: from the second of each on, (2) and so on is added.',
    ])
    const same = read('risks', lines('No.,Risk,Owner', '1,Flood,Ada', '2,Frost,Ada', '2,frost,Bo'))
    expect(column('reference', same)).toEqual([1, 2, 2])
    const many = read('risks', lines('No.,Risk,Owner', '1,Flood,Ada', '1,Frost,Ada', '2,Snow,', '2,Hail,', '3,Rain,'))
    expect(column('reference', many)).toEqual([1, 1, 2, 2, 3])
  })

  test('that say the same in most rows give no title', () => {
    const rows = ['Interface is late', 'People do not help', 'Data is bad', 'Machines are late'].map(
      (one) => `Risk,${one},Ada`,
    )
    expect(column('title', read('risks', lines('Risk,Description,Owner', ...rows)))[1]).toBe('People do not help')
  })

  test('that do not say who has left are told', () => {
    const { guess } = read('people', lines('Full Name,Work Email', 'Ada,ada@example.com'))
    expect(guess?.notes).toEqual(['There is no column for the status: what is new is ACTIVE.'])
  })

  test('of sentences are no status, whatever they are called, which is said', () => {
    const rows = ['a', 'b'].map(
      (one) => `${one},"${'We wait for an answer of the supplier, who was asked twice. '.repeat(2)}"`,
    )
    expect(read('risks', lines('Risk,Status', ...rows)).guess?.notes).toContain(
      'Status is no more than a detail, as most of its texts are something else than a status: what is new is OPEN.',
    )
  })

  test('of short items alone are the reference and the title', () => {
    const sheet = read('risks', lines('Item,P,I', 'Flood,2,3', 'Frost,1,1'))
    expect([column('reference', sheet), column('title', sheet)]).toEqual([
      ['Flood', 'Frost'],
      ['Flood', 'Frost'],
    ])
  })

  test('that say nothing of a person or a risk are refused once, with the way out', () => {
    expect(questions(lines('Full Name,Dept.', 'Ada,Works', 'Bea,Works'), 'people')).toEqual([
      expect.stringMatching(/^No column is known as email or externalId or id of people\. .* --reference-from COLUMN /),
    ])
    expect(questions(lines('Risk ID,Likelihood,Owner', '1,3,Ada', '2,3,Ada'))).toEqual([
      'No column says what the risk is (title). The columns are Risk ID; Likelihood; Owner. Say in a map which it is: --suggest-map prints one to start with, --map takes it.',
    ])
  })
})

test('an issue log of a tracker: codes beside words, a weekday before the day, the name of the assignee', () => {
  const sheet = read(
    'issues',
    lines(
      'Key,Title,Severity,Erstelldatum,Assignee Name',
      'A-1,Crane permit refused,S1,Mon Apr 21 2025 10:00:00 GMT+0200,Ada Lovelace',
      'A-2,Steel is late,P2-High,"Tue, Apr 22 2025",Ada Lovelace',
      'A-3,Site is flooded,S2 - Critical,Wednesday Apr 23 2025,Bob',
      'A-4,Lift is broken,Medium,Apr 24 2025,',
      'A-5,Gate is stuck,sev 4,Apr 25 2025,',
    ),
  )
  expect(column('severity', sheet)).toEqual(['CRITICAL', 'HIGH', 'CRITICAL', 'Medium', 'LOW'])
  expect(column('raisedOn', sheet)).toEqual([21, 22, 23, 24, 25].map((day) => `2025-04-${day}`))
  expect(column('assignee', sheet)).toEqual(['Ada Lovelace', 'Ada Lovelace', 'Bob', '', ''])
  // Our own export has the name beside the person.
  const own = read('issues', lines('key,title,assigneeName', 'A-1,x,Ada'))
  expect([column('assigneeName', own), column('assignee', own)]).toEqual([['Ada'], [undefined]])
})
