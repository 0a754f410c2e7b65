import { describe, expect, test } from 'vitest'
import { derivedColumns, SHEETS } from '../../../src/ingest/columns.js'
import { type GuessPlan, readSheet } from '../../../src/ingest/files/sheet.js'
import type { SheetNoun } from '../../../src/ingest/files/table.js'
import { lines, openDesk } from '../importing.js'

/** A sheet as it is read without a map. */
function read(noun: SheetNoun, text: string, plan: Partial<GuessPlan> = {}, ignoreUnknown = false) {
  const { fields } = SHEETS[noun]
  return readSheet(Buffer.from(text), {
    ...{ name: 'a.csv', format: 'csv', fields: Object.keys(fields), derived: derivedColumns(SHEETS[noun]) },
    ...{ ignoreUnknown, guess: { noun, hasProject: true, ...plan } },
  })
}

/** The values of one field, numbers as such. */
function column(field: string, sheet: ReturnType<typeof read>): unknown[] {
  return sheet.records.map(({ values }) => (/^\d$/.test(String(values[field])) ? Number(values[field]) : values[field]))
}

function questions(text: string, noun: SheetNoun = 'risks', plan: Partial<GuessPlan> = {}): readonly string[] {
  return read(noun, text, plan).guess?.questions ?? []
}

/** What is said of a sheet without these columns. */
const DEFAULTS = [
  'There is no column for the status: what is new is OPEN.',
  'There is no column for the day raised: for what is new it is the day of the import.',
]

const factor = (...texts: string[]) =>
  lines('No,Hazard,Probability,Consequence', ...texts.map((one, at) => `${at},x,"${one}",3`))

describe('a likelihood', () => {
  test.each<[string, string[], unknown[]]>([
    ['words', ['very low', 'LOW', 'Medium', 'High', 'Very High'], [1, 2, 3, 4, 5]],
    ['other words', ['Rare', 'Unlikely', 'Possible', 'Likely', 'Almost certain'], [1, 2, 3, 4, 5]],
    ['steps', ['1', '2', '5', ''], [1, 2, 5, '']],
    ['decimals', ['1.0', '4.0'], [1, 4]],
    ['labels', ['4 - Likely', 'High (4)', '5: Certain', '2/5', 'P3'], [4, 4, 5, 2, 3]],
    ['three numbers with words', ['1 - Low', '3 - High'], [2, 4]],
    ['up to ten', ['1', '6', '10'], [1, 3, 5]],
    ['percentages', ['20%', '21 %', '100%', '0%'], [1, 2, 5, 1]],
    ['ranges of percentages', ['<10%', '10-30%', '30–50 %', '>90%'], [1, 1, 2, 5]],
    ['percentages that have lost their sign', ['70%', '0.25', '0.9', '50'], [4, 2, 5, 3]],
    ['fractions', ['0.1', '0,5', '0.9'], [1, 3, 5]],
    ['numbers up to a hundred', ['20', '95'], [1, 5]],
    ['initials', ['L', 'm', 'H'], [2, 3, 4]],
    ['letters with words', ['A - Almost certain', 'E (Rare)'], [5, 1]],
    ['blanks in words', ['High', 'TBD', 'n/a'], [4, '', '']],
    ['pairs and typos', ['Medium-High', 'Low-Medium', 'Unlikly', 'High'], [3, 2, 2, 4]],
  ])('of %s becomes steps from 1 to 5', (_, texts, steps) => {
    expect(column('likelihood', read('risks', factor(...texts)))).toEqual(steps)
  })

  test('on the scale that the heading names, or that the other factor shows, is spread over the steps', () => {
    const named = read('risks', lines('No,Hazard,Likelihood (1-3),Impact', '1,x,1,3', '2,x,2,3', '3,x,3,1'))
    expect([column('likelihood', named), column('impact', named)]).toEqual([
      [1, 3, 5],
      [5, 5, 1],
    ])
    expect(column('likelihood', read('risks', lines('No,Hazard,Likelihood,Impact', '1,x,4,9')))).toEqual([2])
  })

  test('above all others by one number is a question, because the scale of the whole sheet hangs on it', () => {
    const sheet = (heading: string) => lines(`No,Hazard,${heading},Impact`, '1,a,3,4', '2,b,5,5', '3,c,8,5')
    expect(questions(sheet('Probability'))).toEqual([
      'Probability: only "8" (row 4) is above 5, so that the scale may be 1 to 5 or 1 to 10. Correct the cell, or say it in the heading: "Probability (1-10)".',
    ])
    expect(questions(sheet('Probability (1-10)'))).toEqual([])
    expect(questions(sheet('Probability (1-5)'))).toEqual([expect.stringMatching(/not known what "8" \(row 4\) means/)])
    expect(questions(`${sheet('Probability')}4,d,9,5\n`)).toEqual([])
  })

  test('that remains is on the scale of the one before', () => {
    const rows = ['1,a,9,8,3,4', '2,b,7,5,6,5', '3,c,2,2,2,2']
    const sheet = read('risks', lines('No,Risk,Likelihood,Impact,Residual Likelihood,Residual Impact', ...rows))
    expect([sheet.guess?.questions, column('likelihood', sheet), column('residualLikelihood', sheet)]).toEqual([
      [],
      [5, 4, 1],
      [2, 3, 1],
    ])
  })

  test('in bare letters is kept in details, because standards disagree on which is the most', () => {
    const { records, guess } = read('risks', factor('A', 'C'))
    expect(records[0]?.values).toMatchObject({ title: 'x', 'details.Probability': 'A', 'details.Consequence': '3' })
    expect(guess?.notes).toEqual([
      'Probability is no more than a detail: its texts are no steps of a scale.',
      'Consequence is no more than a detail: likelihood and impact count only together.',
      ...DEFAULTS,
    ])
  })

  test('without an impact is kept in details, and never completed', () => {
    const { records, guess } = read('risks', lines('No,Hazard,Probability', '1,x,High'))
    expect(records[0]?.values).toEqual({ reference: '1', title: 'x', 'details.Probability': 'High' })
    expect(guess?.notes).toEqual([
      'Probability is no more than a detail: likelihood and impact count only together.',
      ...DEFAULTS,
    ])
  })
})

test('a scale that its heading turns is turned, and one whose other end is open is a question', () => {
  const sheet = (heading: string) => lines(`No,Hazard,Probability,${heading}`, '1,a,5,1', '2,b,5,4')
  for (const heading of ['Impact (1=High 5=Low)', 'Impact (1-5; 1 = highest)', 'Impact (High=1; Low=5)']) {
    const turned = read('risks', sheet(heading))
    expect(column('impact', turned), heading).toEqual([5, 2])
    expect(turned.guess?.columns[2]?.how).toBe('numbers from 1 to 5, turned so that 1 is the highest')
  }
  expect(column('impact', read('risks', sheet('Impact (1=Low 5=High)')))).toEqual(['1', '4'].map(Number))
  expect(questions(sheet('Impact (1 = highest)'))).toEqual([expect.stringMatching(/^Impact .*other end is not named/)])
  const issues = (heading: string) => lines(`No,Summary,${heading}`, '1,a,1', '2,b,4')
  expect(column('severity', read('issues', issues('Severity (1=High 4=Low)')))).toEqual(['CRITICAL', 'LOW'])
  expect(questions(issues('Priority (1=Low 4=High)'), 'issues')).toEqual([expect.stringMatching(/has numbers/)])
})

describe('a score beside the factors', () => {
  const sheet = (heading: string, ...scores: unknown[]) =>
    lines(`No,Hazard,Likelihood,Impact,${heading}`, ...scores.map((one, at) => `${at},x${at},${at + 1},4,${one}`))

  test('is left out only where it is their product or its level in every row', () => {
    for (const [heading, ...scores] of [
      ['Exposure', 4, 8, 12],
      ['Risk Level', 'low', 'Medium', 'HIGH'],
      ['Score', 4, '', 12],
    ])
      expect(read('risks', sheet(String(heading), ...scores)).guess?.ignored, String(heading)).toHaveLength(1)
    expect(column('details.Priority', read('risks', sheet('Priority', 4, 8, 1)))).toEqual([4, 8, 1])
    expect(column('details.Score', read('risks', sheet('Score', 4, 8, 13)))).toEqual([4, 8, '13'])
    const alone = read('risks', lines('No,Hazard,Rating,Exposure', '1,x,12,50000', '2,y,4,20'))
    expect([column('scoreGiven', alone)[0], column('details.Rating', alone)[0]]).toEqual([undefined, '12'])
  })

  test('that puts the risks into another order is a warning, and --keep score stores it', async () => {
    const desk = openDesk()
    const rows = ['1,Valve leaks,6,9,54', '2,Label falls off,10,5,50', '3,Sensor drifts,4,5,20']
    desk.put('risks.csv', lines('No,Risk Event,Likelihood,Impact,Score', ...rows))
    const flags = ['risks', 'risks.csv', '--project', 'A', '--create-projects']
    const { report } = await desk.report(...flags, '--dry-run')
    expect(report.files[0]?.warnings).toEqual([])
    desk.put(
      'risks.csv',
      lines('No,Risk Event,Likelihood,Impact,Score', '1,Valve leaks,8,8,64', '2,Label falls,9,7,63'),
    )
    expect((await desk.report(...flags, '--dry-run')).report.files[0]?.warnings).toEqual([
      expect.objectContaining({
        detail: expect.stringMatching(/^Score puts the risks .* lower in row 2 than .*--keep score/),
      }),
    ])
    expect((await desk.report(...flags, '--keep', 'score')).report.created).toBe(2)
    expect(desk.rows('select likelihood, score_given, details from risk where reference = 1')).toEqual([
      [null, 16, '[{"name":"Likelihood","text":"8"},{"name":"Impact","text":"8"},{"name":"Score","text":"64"}]'],
    ])
  })
})

test('a score in fractions is kept in details', () => {
  const sheet = read('risks', lines('No,Hazard,Risk Score', '1,a,0.72', '2,b,0.2'))
  expect([column('scoreGiven', sheet), column('details.Risk Score', sheet)]).toEqual([
    [undefined, undefined],
    ['0.72', '0.2'],
  ])
})

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
