import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvLine, guarded, unguarded } from '../../../src/csv.js'
import { csvRecords, separatorsOf } from '../../../src/ingest/files/csv.js'
import { decode } from '../../../src/ingest/files/decode.js'
import { formatOf, readSheet, type SheetOptions } from '../../../src/ingest/files/sheet.js'
import { runs } from '../../support/properties.js'

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

function violations(text: string, options: Partial<SheetOptions> = {}) {
  return sheet(text, options).records.map((record) => record.violations)
}

const cellsOf = (text: string) => Array.from(csvRecords(text, ','), ({ cells }) => cells)

describe('the records of a CSV text', () => {
  test.each<[string, string, string[][]]>([
    [
      'cells end at separators and line ends',
      'a,b\r\nc,d\ne,f\rg,h',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
        ['g', 'h'],
      ],
    ],
    ['a line end at the end makes no record', 'a\r\n', [['a']]],
    [
      'blank lines are skipped',
      '\n\na,b\r\n  \r\n\r\nc,d\n\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a line of separators is a record of blank cells', ',,\n', [['', '', '']]],
    ['a quoted blank is a record', '""\n', [['']]],
    [
      'quotes hold separators, quotes and line ends',
      '"a,""b""",c\n"d\r\ne",""\n',
      [
        ['a,"b"', 'c'],
        ['d\r\ne', ''],
      ],
    ],
    [
      'a cell may be blank at the end',
      'b,\n"a",',
      [
        ['b', ''],
        ['a', ''],
      ],
    ],
    ['a cell of quotes is read', '"""",""""""', [['"', '""']]],
    ['a quote inside a plain cell is kept', '5" pipe,3" "bolt"\n', [['5" pipe', '3" "bolt"']]],
    ['spaces are kept', ' a , "b"\n', [[' a ', ' "b"']]],
    ['comments are skipped, whatever quotes they have', '# say "hi\na\n#b\n"# c"\n# d', [['a'], ['#b'], ['# c']]],
    ['no text has no records', '', []],
  ])('%s', (_, text, expected) => {
    expect(cellsOf(text)).toEqual(expected)
  })

  test('a record has the line on which it begins, with line breaks inside of cells counted', () => {
    const text = '# note\na\n"b\r\nb\rb\nb",c\r\n\r\nd\re'
    expect(Array.from(csvRecords(text, ','), ({ line }) => line)).toEqual([2, 3, 8, 9])
  })

  test.each([
    ['text after a closing quote', 'a\n"b\nb" c,d\n', 'x.csv, line 3: Unexpected "c,d" after a closing quote.'],
    [
      'a quote after a closing quote and a space',
      '"a" "b"',
      'x.csv, line 1: Unexpected "\\"b\\"" after a closing quote.',
    ],
    ['a quote that never closes', 'a\nb,"c\nd\n', 'x.csv, line 2: A quote opens here and never closes.'],
    ['a quote that is doubled at the very end', '"c""', 'x.csv, line 1: A quote opens here and never closes.'],
  ])('%s is refused with its line', (_, text, sentence) => {
    expect(() => [...csvRecords(text, ',', { name: 'x.csv' })]).toThrow(sentence)
  })

  test.each([
    ['a,b;c,d', ',', 0],
    ['a;b;c,d', ';', 0],
    ['a\tb\n1,2,3,4', '\t', 0],
    ['"a;;;";b', ';', 0],
    ['"a,""b,b\n,;";b', ';', 0],
    ['\n# a,b,c,d\n\nid;title', ';', 0],
    ['title', ',', 0],
    ['', ',', 0],
    ['sep=;\r\na,b', ';', 7],
    ['"SEP=\t"\na,b', '\t', 8],
    ['sep=|\na;b', ',', 0],
  ])('the separator of %j is %j', (text, separator, start) => {
    const { separators, start: begins } = separatorsOf(text)
    expect([separators[0], begins]).toEqual([separator, start])
  })

  test('a hundred thousand one-cell records with quotes are read, which in quadratic time would take minutes', () => {
    expect(cellsOf('5" pipe\n'.repeat(100_000))).toHaveLength(100_000)
  })
})

describe('a written CSV line', () => {
  test.each([
    [['a', 'b c', ''], 'a,b c,\r\n'],
    [['a,b', 'say "hi"', 'x\ny', 'x\ry'], '"a,b","say ""hi""","x\ny","x\ry"\r\n'],
    [[' a', 'b '], '" a","b "\r\n'],
    [['# a', '# b'], '"# a",# b\r\n'],
    [[''], '""\r\n'],
    [['', ''], ',\r\n'],
  ])('of %j is %j', (cells, line) => {
    expect(csvLine(cells)).toBe(line)
  })

  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', "'", ',', ';', '\r', '\n', '\t', ' ', '=', '+', '-', '@', '#', 'a', '😀') }),
    fc.constantFrom('', '# a', 'sep=;', '\uFEFFa', '\u00a0'),
  )

  test('gives its cells back when it is read, whatever they are, and no cell is a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 1 })), (records) => {
        const lines = records.map((cells) => csvLine(cells.map(guarded)))
        const read = cellsOf(lines.join(''))
        // In whatever cells a spreadsheet splits them.
        const pieces = read.flat().flatMap((cell) => [cell, ...cell.split(/[;\t\r\n]/).slice(1)])
        expect(pieces.filter((piece) => /^[=+\-@\t\r＝＋－＠]/.test(piece))).toEqual([])
        expect(read.map((cells) => cells.map(unguarded))).toEqual(records)
      }),
      runs(300),
    )
  })

  test.each([
    ['=1', "'=1"],
    ["'=1", "''=1"],
    ['-5', "'-5"],
    ["'tis", "'tis"],
    ['a=1', 'a=1'],
    ['a;=1', "a;'=1"],
    ["a;'=1", "a;''=1"],
    ['a\t@x;-2', "a\t'@x;'-2"],
    ['a; =1', 'a; =1'],
    ['a\n=1\r\n-2', "a\n'=1\r\n'-2"],
    ['＝1', "'＝1"],
    ['＋1;－2', "'＋1;'－2"],
    ["'＠x", "''＠x"],
  ])('guards %j as %j, and back', (plain, cell) => {
    expect([guarded(plain), unguarded(cell)]).toEqual([cell, plain])
  })
})

describe('the text of a file', () => {
  test.each([
    ['UTF-8', Buffer.from('Bär'), undefined, 'Bär'],
    ['UTF-8 with a mark', Buffer.from('\uFEFFBär'), undefined, 'Bär'],
    ['UTF-16 with a mark', Buffer.from('\uFEFFBär', 'utf16le'), undefined, 'Bär'],
    ['big-endian UTF-16 with a mark', Buffer.from('\uFEFFBär', 'utf16le').swap16(), undefined, 'Bär'],
    ['UTF-16 with a mark, and named', Buffer.from('\uFEFFBär', 'utf16le'), 'utf-16le', 'Bär'],
    ['UTF-16 without a mark', Buffer.from('Bär', 'utf16le'), 'utf-16le', 'Bär'],
    ['windows-1252', Buffer.from([0x80, 0x42, 0xe4, 0x92, 0x9f]), 'windows-1252', '€Bä’Ÿ'],
  ])('in %s is read', (_, bytes, encoding, text) => {
    expect(decode(bytes, 'a.csv', encoding)).toBe(text)
  })

  test.each([
    ['no bytes', '', undefined, 'a.csv: The file is empty.'],
    ['white space alone', ' \r\n\t', undefined, 'a.csv: The file is empty.'],
    ['a zip', 'PK\x03\x04..', undefined, /\.xlsx.*--format xlsx/],
    ['an old workbook', '\xd0\xcf\x11\xe0..', undefined, /\.xls\b.*as \.xlsx/],
    ['a PDF', '%PDF-1.7', undefined, /PDF.*"CSV UTF-8"/],
    ['a big-endian UTF-16 mark in another', '\xfe\xff\0a', 'windows-1252', /says utf-16be; leave --encoding out/],
    ['a UTF-8 mark in another encoding', '\xef\xbb\xbfa', 'windows-1252', /says utf-8; leave --encoding out/],
    ['NUL bytes', 'a\nb\0c\0', undefined, /^a\.csv, line 2: .*NUL.*--encoding utf-16le/],
    ['bytes that are not UTF-8', 'a\r\nb\rB\xe4r\nc', undefined, /^a\.csv, line 3: .*UTF-8.*--encoding windows-1252/],
    ['a cut character at the end', 'a\nb\xc3', undefined, /^a\.csv, line 2: /],
    ['half a character of UTF-16', 'a\0\x00\xd8', 'utf-16le', 'a.csv: The file is not in utf-16le.'],
    ['an unknown encoding', 'a', 'klingon', /"klingon".*utf-8, windows-1252 or utf-16le/],
  ])('with %s is refused with what to do', (_, bytes, encoding, sentence) => {
    expect(() => decode(Buffer.from(bytes, 'latin1'), 'a.csv', encoding)).toThrow(sentence)
  })

  test('of more than a text can hold is refused', () => {
    expect(() => decode(new Uint8Array(2 ** 29), 'a.csv')).toThrow(/split it/)
  })
})

describe('a table', () => {
  test('is read by field names, in any case and notation of the header', () => {
    const { records, columnOf, ...rest } = sheet("Raised on;TITLE;Score;\n2026-02-03;'=1;9\n;\n\n")
    expect(records).toEqual([{ index: 0, line: 2, values: { raisedOn: '2026-02-03', title: '=1' }, violations: [] }])
    const headings: string[] = []
    expect(rest).toEqual({ unit: 'line', notes: [], warnings: [], ignored: [], derived: ['Score'], headings })
    expect(['raisedOn', 'title', 'severity'].map(columnOf)).toEqual(['Raised on', 'TITLE', 'severity'])
  })

  test.each([
    ['raised_on,created-at,TI TLE\na,b,c', [{ raisedOn: 'a', title: 'c' }]],
    ['title,id', []],
    ['sep=;\ntitle;id\na;b', [{ title: 'a', id: 'b' }]],
    ['title\tid\na\tb', [{ title: 'a', id: 'b' }]],
    ['title,,\na,,\nb, ,\n', [{ title: 'a' }, { title: 'b' }]],
  ])('%j is %j', (text, expected) => {
    expect(values(text)).toEqual(expected)
  })

  test('leaves unknown columns out when that is allowed, and names them', () => {
    const { records, ignored } = sheet('title,Epic,,\na,b,c,\n', { ignoreUnknown: true })
    expect([records[0]?.values, ignored]).toEqual([{ title: 'a' }, ['Epic', 'column 3, without a name']])
  })

  test('with more cells than the header has violations there, unless they are blank', () => {
    const detail = 'There are 4 cells, but the header has 2. Is a quote or a separator missing?'
    expect(violations('id,title\na,b,,\na,b,,d\n')).toEqual([[], [{ column: 'column 4', value: 'd', detail }]])
  })

  test.each([
    [
      '# a note\n',
      'risks.csv: There is no header; the columns may be called id, reference, title, severity, raisedOn.',
    ],
    ['\n1,2\n', 'risks.csv, line 2: No column is known. The columns may be called id, reference'],
    ['Score\n1', 'risks.csv, line 1: No column is known.'],
    ['sep=;\ntitle;Epic;Team\n', 'risks.csv, line 2: Unknown columns: Epic; Team. Ignore them with --ignore-unknown'],
    ['title,,\na,,b\n', 'risks.csv, line 1: Unknown column: column 3, without a name.'],
    ['id,raisedOn,Raised on', 'risks.csv, line 1: The columns 2 and 3 are both raisedOn;'],
    ['id\n"a', 'risks.csv, line 2: A quote opens here and never closes.'],
  ])('%j is refused', (text, sentence) => {
    expect(() => sheet(text)).toThrow(sentence)
  })
})

test.each([
  ['a.csv', 'csv'],
  ['A.TSV', 'csv'],
  ['a.txt', 'csv'],
  ['a.ndjson', 'ndjson'],
  ['a.b.jsonl', 'ndjson'],
  ['a.json', 'json'],
  ['a.XLSX', 'xlsx'],
  ['a.xlsm', 'xlsx'],
  ['a.xls', undefined],
  ['csv', undefined],
])('the format of %s is %s', (name, format) => {
  expect(formatOf(name)).toBe(format)
})
