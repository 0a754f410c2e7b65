import { describe, expect, test } from 'vitest'
import { readSheet, type SheetOptions } from '../../../src/ingest/files/sheet.js'

const FIELDS = ['id', 'reference', 'title', 'severity', 'raisedOn']
const OPTIONS: SheetOptions = {
  name: 'risks.csv',
  format: 'csv',
  fields: FIELDS,
  derived: ['score', 'createdAt'],
  ignoreUnknown: false,
}

function sheet(text: string, options: Partial<SheetOptions> = {}) {
  return readSheet(Buffer.from(text), { ...OPTIONS, ...options })
}

function values(text: string, options: Partial<SheetOptions> = {}) {
  return sheet(text, options).records.map((record) => record.values)
}

describe('JSON', () => {
  test('has one object on each line of NDJSON, and reading goes on after a line that is none', () => {
    const text = '{"title":"a","Raised_on":null,"score":3}\r\n\n[1]\n{"title":\n"x"\nnull\n{"id":7}'
    expect(sheet(text, { format: 'ndjson' }).records).toEqual([
      { index: 0, line: 1, values: { title: 'a', raisedOn: null }, violations: [] },
      {
        index: 1,
        line: 3,
        values: {},
        violations: [{ column: '', value: '[1]', detail: 'This is an array, not a JSON object.' }],
      },
      {
        index: 2,
        line: 4,
        values: {},
        violations: [{ column: '', value: '{"title":', detail: expect.stringContaining('not JSON') }],
      },
      {
        index: 3,
        line: 5,
        values: {},
        violations: [{ column: '', value: '"x"', detail: 'This is a text, not a JSON object.' }],
      },
      {
        index: 4,
        line: 6,
        values: {},
        violations: [{ column: '', value: 'null', detail: 'This is null, not a JSON object.' }],
      },
      { index: 5, line: 7, values: { id: 7 }, violations: [] },
    ])
  })

  test.each([
    ['[{"title":"a"},{"id":1}]', [{ title: 'a' }, { id: 1 }]],
    ['{"data":[{"title":"=a"}],"page":{"total":1}}', [{ title: '=a' }]],
    ['[]', []],
    ['[{"title":["a",{"b":1}]}, 5]', [{ title: ['a', { b: 1 }] }, {}]],
  ])('%s is %j', (text, expected) => {
    expect(values(text, { format: 'json' })).toEqual(expected)
  })

  test('cannot reach a prototype, and a name that it has twice is a violation', () => {
    const text = '[{"__proto__":{"title":"x"},"constructor":1,"id":1,"ID":2}]'
    const { records, ignored } = sheet(text, { format: 'json', ignoreUnknown: true })
    expect([ignored, Object.keys(records[0]?.values ?? {}), records[0]?.values['title']]).toEqual([
      ['__proto__', 'constructor'],
      ['id'],
      undefined,
    ])
    expect(records[0]?.violations).toEqual([{ column: 'ID', value: '', detail: 'This is id a second time.' }])
  })

  test.each<[SheetOptions['format'], string, boolean, RegExp]>([
    ['json', '[1,', false, /^risks\.csv: This is not JSON .*ndjson/],
    ['json', '5', false, /one array/],
    ['json', '{"a":[],"b":[]}', false, /one array/],
    ['json', '{"title":"a"}', false, /one array/],
    ['ndjson', '{"title":1,"a":1}\n{"b":1,"a":2}', false, /Unknown columns: a; b\. Ignore them with --ignore-unknown/],
    ['ndjson', '{"a":1}', true, /No column is known/],
  ])('as %s, %s is refused', (format, text, ignoreUnknown, sentence) => {
    expect(() => sheet(text, { format, ignoreUnknown })).toThrow(sentence)
  })
})
