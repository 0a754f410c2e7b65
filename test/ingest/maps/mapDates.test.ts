import { describe, expect, test } from 'vitest'
import { readMapping } from '../../../src/ingest/files/mapping.js'
import { readSheet } from '../../../src/ingest/files/sheet.js'

const FIELDS = ['title', 'raisedOn']

function read(text: string, map: unknown) {
  const mapping = readMapping(JSON.stringify(map), 'a.map.json', FIELDS)
  const options = { name: 'a.csv', format: 'csv', fields: FIELDS, derived: [], ignoreUnknown: false, mapping } as const
  return readSheet(Buffer.from(text), options)
}

describe('several date formats', () => {
  const date = ['d/M/yyyy', 'M/d/yyyy', 'yyyy-MM-dd']
  const map = { columns: { raisedOn: { from: 'R', date }, title: { from: 'T', date, optional: true } } }
  const days = (text: string) => read(text, map).records.map(({ values }) => [values['raisedOn'], values['title']])

  test.each([
    [
      'are decided by the whole column',
      'R\n1/2/2026\n1/13/2026',
      [
        ['2026-01-02', undefined],
        ['2026-01-13', undefined],
      ],
    ],
    [
      'are decided by another column',
      'R,T\n1/2/2026,3/4/2026\n13/1/2026,',
      [
        ['2026-02-01', '2026-04-03'],
        ['2026-01-13', ''],
      ],
    ],
    ['need no decision if it makes no difference', 'R\n2/2/2026', [['2026-02-02', undefined]]],
    [
      'may all occur',
      'R\n2026-01-02\n13/1/2026',
      [
        ['2026-01-02', undefined],
        ['2026-01-13', undefined],
      ],
    ],
  ])('%s', (_, text, expected) => {
    expect(days(text)).toEqual(expected)
  })

  test('are refused when the column leaves it open', () => {
    expect(() => days('T,R\n,1/2/2026\n,2/2/2026')).toThrow(
      'a.csv: R: days such as 1/2/2026 fit d/M/yyyy and M/d/yyyy, and no row shows which. Say it with --date-order dmy or --date-order mdy, or in a map: "raisedOn": { "from": "R", "date": "d/M/yyyy" }.',
    )
  })
})
