import { describe, expect, test } from 'vitest'
import { readSheet, type SheetFormat } from '../../../src/ingest/files/sheet.js'
import { derivedColumns, SHEETS } from '../../../src/nouns.js'
import { partsOf, zipOf } from '../../support/workbooks.js'
import { lines } from '../importing.js'

/** A register as it is read without a map. */
function read(content: string | Uint8Array, format: SheetFormat = 'csv') {
  const { records, guess } = readSheet(Buffer.from(content), {
    ...{ name: 'a', format, fields: Object.keys(SHEETS.risks.inputs), derived: derivedColumns(SHEETS.risks) },
    ...{ ignoreUnknown: false, guess: { noun: 'risks', hasProject: true } },
  })
  return {
    records: records.map(({ line, values }): Record<string, unknown> => ({ line, ...values })),
    notes: guess?.notes ?? [],
  }
}

/** Which lines are risks, and what is said to be left out. */
function outline(...rows: string[]) {
  const { records, notes } = read(lines(...rows))
  return { risks: records.map(({ line }) => line), left: notes.filter((note) => note.startsWith('Left out')) }
}

const PLAIN = 'Risk,Cause,Probability,Severity'
const NUMBERED = 'No.,Risk,Likelihood,Impact,Owner'

describe('rows that are no risks', () => {
  test.each<[string, string[], number[], string[]]>([
    [
      'headings of sections, from the first row on',
      [PLAIN, 'Technical:,,,', 'Pump fails,Age,2,3', 'Phase 2,,,', 'On site,,,', 'Noise,Drills,4,1', 'Dust,Drills,3,1'],
      [3, 6, 7],
      ['Left out, headings of sections: line 2 "Technical:"; line 4 "Phase 2"; line 5 "On site".'],
    ],
    [
      'headings with a number that the risks lack',
      [`,${PLAIN}`, '1,Legal,,,', ',Permit refused,Noise,2,3', ',Claim,Delay,1,4'],
      [3, 4],
      ['Left out, headings of sections: line 2 "1 Legal".'],
    ],
    [
      'headings where the risks have references',
      [NUMBERED, 'R-1,Flood,2,3,Ada', ',Phase 2,,,', 'R-2,Frost,4,1,Ada', 'Handover,,,,', 'R-3,Snow,3,3,Bo'],
      [2, 4, 6],
      ['Left out, headings of sections: line 3 "Phase 2"; line 5 "Handover".'],
    ],
    [
      'the header once more',
      [NUMBERED, '1,Flood,2,3,Ada', '2,Frost,2,3,Ada', NUMBERED.toUpperCase(), '3,Snow,1,1,Bo'],
      [2, 3, 5],
      ['Left out, the header once more: line 4 "NO. RISK LIKELIHOOD IMPACT OWNER".'],
    ],
    [
      'totals and lines',
      [
        NUMBERED,
        '1,Flood,2,3,Ada',
        '-,---,-,-,-',
        '2,Total loss of power,2,5,Ada',
        ',Average score:,2,4,',
        'Total,,4,8,',
      ],
      [2, 4],
      [
        'Left out, totals: line 5 "Average score: 2 4"; line 6 "Total 4 8".',
        'Left out, lines without a text: line 3 "- --- - - -".',
      ],
    ],
    [
      'what a template says of its columns',
      [NUMBERED, 'Unique number,Describe the risk,1-5,1 to 5,Who deals with it?', '1,Flood,2,3,Ada', '2,Frost,2,3,Ada'],
      [3, 4],
      ['Left out, instructions of a template: line 2 "Unique number Describe the risk 1-5 1 to".'],
    ],
    [
      'a legend below the table',
      [PLAIN, 'Flood,Rain,low,high', 'Frost,Ice,high,medium', ',,,', ',,probability,', ',severity,low,high'],
      [2, 3],
      ['Left out, below the table: line 5 "probability"; line 6 "severity low high".'],
    ],
    [
      'another table below, with a header of its own',
      [PLAIN, 'Flood,Rain,2,3', 'Frost,Ice,1,4', '', 'Case,Who,Hours,Cost', 'Login,Ada,3,12', 'Search,Bo,4,20'],
      [2, 3],
      ['Left out, below the table: line 5 "Case Who Hours Cost"; line 6 "Login Ada 3 12"; line 7 "Search Bo 4 20".'],
    ],
  ])('%s are left out and named', (_, rows, risks, left) => {
    expect(outline(...rows)).toEqual({ risks, left })
  })

  test.each<[string, string[], number[]]>([
    ['every row has only a title', ['Risk,Owner,Notes', 'Flood,,', 'Frost,,', 'Snow,,'], [2, 3, 4]],
    [
      'the last risks have only a title',
      [PLAIN, 'Flood,Rain,2,3', 'Frost,Ice,1,4', 'Snow,,,', 'Hail,,,'],
      [2, 3, 4, 5],
    ],
    ['one in the middle has only a title', [PLAIN, 'Flood,Rain,2,3', 'Snow,,,', 'Frost,Ice,1,4'], [2, 3, 4]],
    [
      'most have only a title',
      [PLAIN, 'Flood,,,', 'Frost,Ice,1,4', 'Snow,,,', 'Hail,,,', 'Ice,Wet,1,1'],
      [2, 3, 4, 5, 6],
    ],
    ['one has its reference and a title', [NUMBERED, '1,Flood,2,3,Ada', '2,Snow,,,', '3,Frost,1,4,Bo'], [2, 3, 4]],
    ['more follow after a blank row', [PLAIN, 'Flood,Rain,2,3', 'Frost,Ice,1,4', '', 'Snow,Cold,1,1'], [2, 3, 5]],
    [
      'unnumbered ones follow after a blank row',
      [NUMBERED, '1,Flood,2,3,A', '2,Ice,1,4,B', '', ',Snow,1,1,C'],
      [2, 3, 5],
    ],
  ])('is none of them where %s', (_, rows, risks) => {
    expect(outline(...rows)).toEqual({ risks, left: [] })
  })

  test('give the category where no column does, else a detail', () => {
    const rows = ['Technical:,,,,', 'Pump fails,Age,2,3,Water', 'Legal,,,,', 'Claim,Delay,1,4,Law']
    expect(read(lines(`${PLAIN},Area`, ...rows)).records).toMatchObject([
      { category: 'Water', 'details.Section': 'Technical' },
      { category: 'Law', 'details.Section': 'Legal' },
    ])
    expect(
      read(lines(`${PLAIN},Remark`, ...rows)).records.map(({ line, ...one }) => [
        line,
        'category' in one && one.category,
      ]),
    ).toEqual([
      [3, 'Technical'],
      [5, 'Legal'],
    ])
  })

  test('are left out where the columns have our own names', () => {
    const rows = ['R-1,Flood,2,3', ',Outside,,', 'R-2,Frost,4,1']
    const { records } = read(lines('reference,title,likelihood,impact', ...rows))
    expect(records).toMatchObject([
      { line: 2, reference: 'R-1' },
      { line: 4, reference: 'R-2', category: 'Outside' },
    ])
  })

  test('are known by a cell that is merged over the table, beside which there may be a legend', () => {
    const text = (cell: string, value: string) => `<c r="${cell}" t="str"><v>${value}</v></c>`
    const rows = [
      PLAIN,
      'Flood,Rain,2,3,,5 = certain',
      'Snow',
      'Frost,Ice,1,4',
      'Phase 2',
      'Hail,Ice,2,2',
      'Seen by the board',
    ].map(
      (row, at) =>
        `<row>${row
          .split(',')
          .map((value, column) => text(`${'ABCDEF'[column]}${at + 1}`, value))
          .join('')}</row>`,
    )
    const merges = '<mergeCells><mergeCell ref="A5:D5"/><mergeCell ref="A7:D7"/></mergeCells>'
    const sheet = `<worksheet><sheetData>${rows.join('')}</sheetData>${merges}</worksheet>`
    const xlsx = read(zipOf(partsOf('', { 'xl/worksheets/sheet1.xml': sheet })), 'xlsx')
    expect(xlsx.records.map(({ line }) => line)).toEqual([2, 3, 4, 6])
    expect(xlsx.notes.slice(0, 2)).toEqual([
      'Left out, headings of sections: row 5 "Phase 2".',
      'Left out, below the table: row 7 "Seen by the board".',
    ])
  })
})

describe('a header of two rows', () => {
  const ASSESSED = {
    reference: '1',
    title: 'Flood',
    likelihood: '4',
    impact: '5',
    residualLikelihood: '2',
    residualImpact: '3',
  }

  test.each<[string, string[]]>([
    [
      'with groups over blanks',
      ['ID,Risk,Inherent risk,,Residual risk,,Owner', ',,Likelihood,Impact,Likelihood,Impact,', '1,Flood,4,5,2,3,Ada'],
    ],
    [
      'below a title, with other words for the groups',
      ['Risks,,,,,', 'No.,Before mitigation,,After mitigation,,Risk', ',L,I,L,I,', '1,4,5,2,3,Flood'],
    ],
    [
      'in which each heading is there once',
      ['ID,Risk,Assessment,,Residual,', ',,Likelihood,Impact,Probability,Severity', '1,Flood,4,5,2,3'],
    ],
  ])('%s is joined', (_, rows) => {
    expect(read(lines(...rows)).records).toMatchObject([ASSESSED])
  })

  test('whose group is another thing does not give the title', () => {
    const rows = [
      'Asset,,Risk,,',
      'Name,Owner,Description,Likelihood,Impact',
      'Server,Bo,Disk fails,2,3',
      'Lift,Ada,Rope,1,2',
    ]
    expect(read(lines(...rows)).records[0]).toMatchObject({ title: 'Disk fails', 'details.Asset Name': 'Server' })
  })

  test('ends where the table begins, though a note is merged beside it', () => {
    const text = (cell: string, value: string) => `<c r="${cell}" t="str"><v>${value}</v></c>`
    const rows = [
      ['ID', 'Risk', 'Owner', 'See the guide'],
      ['1', 'Flood', 'Ada'],
      ['2', 'Frost', 'Bo'],
    ]
    const cells = rows.map(
      (row, at) => `<row r="${at + 1}">${row.map((one, to) => text(`${'ABCD'[to]}${at + 1}`, one)).join('')}</row>`,
    )
    const sheet = `<worksheet><sheetData>${cells.join('')}</sheetData><mergeCells><mergeCell ref="D1:D3"/></mergeCells></worksheet>`
    const { records } = read(zipOf(partsOf('', { 'xl/worksheets/sheet1.xml': sheet })), 'xlsx')
    expect(records.map(({ title }) => title)).toEqual(['Flood', 'Frost'])
  })

  test('is not made of a header and a risk', () => {
    const { records } = read(lines('Risk,Category,Likelihood,Impact,Owner,', 'Status,Owner,4,5,,', 'Frost,Ice,1,4,,'))
    expect(records.map(({ line }) => line)).toEqual([2, 3])
  })
})
