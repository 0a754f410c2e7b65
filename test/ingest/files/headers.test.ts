import { describe, expect, test } from 'vitest'
import { headingKey } from '../../../src/ingest/files/header.js'
import { readMapping } from '../../../src/ingest/files/mapping.js'
import { readSheet, type SheetOptions } from '../../../src/ingest/files/sheet.js'

const FIELDS = ['reference', 'title', 'raisedOn', 'status']

function sheet(text: string, options: Partial<SheetOptions> = {}) {
  return readSheet(Buffer.from(text), {
    name: 'risks.csv',
    format: 'csv',
    fields: FIELDS,
    derived: ['score'],
    ignoreUnknown: true,
    ...options,
  })
}

const mapOf = (columns: unknown) => readMapping(JSON.stringify({ columns }), 'a.map.json', FIELDS)

/** Each record as its line and the values that are not blank. */
const read = (text: string, options: Partial<SheetOptions> = {}) =>
  sheet(text, options).records.map(({ line, values }) => [line, ...Object.values(values).filter((one) => one !== '')])

describe('the header of a table', () => {
  const TABLE = 'Reference,Title,Status\nR-1,Steel,Open\n'

  test.each<[string, string, unknown[][]]>([
    ['is the first row', TABLE, [[2, 'R-1', 'Steel', 'Open']]],
    [
      'is below titles and blank rows',
      `Risk register,,\n,,\nVersion 3,Draft,\n\n${TABLE}`,
      [[6, 'R-1', 'Steel', 'Open']],
    ],
    [
      'is below titles with another separator',
      `Risks; open, closed; old; all\n${TABLE}`,
      [[3, 'R-1', 'Steel', 'Open']],
    ],
    ['is below a title that is one column', `Status\n${TABLE}`, [[3, 'R-1', 'Steel', 'Open']]],
    ['is below a quoted title of several lines', `"Risks,\n2026",,\n${TABLE}`, [[4, 'R-1', 'Steel', 'Open']]],
    ['may name a computed column', `Risks\nTitle,Score\nSteel,4\n`, [[3, 'Steel']]],
    ['may be a single column at the top', 'Title\nSteel\n', [[2, 'Steel']]],
    ['is the fiftieth row', `${'x,y\n'.repeat(49)}${TABLE}`, [[51, 'R-1', 'Steel', 'Open']]],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test('is not looked for any further', () => {
    expect(() => sheet(`${'x,y\n'.repeat(50)}${TABLE}`)).toThrow('risks.csv, line 1: No column is known.')
  })

  test('is named when something was above it', () => {
    expect(sheet(`a\n\n${TABLE}`).notes).toEqual(['The header is in line 3; the row above it was passed over.'])
    expect(sheet(`a\nb\n${TABLE}`).notes).toEqual(['The header is in line 3; the 2 rows above it were passed over.'])
    expect(sheet(`\n,,\n# a\n${TABLE}`).notes).toEqual([])
  })

  test('has what a map names, and if none has, the nearest is shown', () => {
    const text = 'Title,Status\nKey,Summary\nR-1,Steel\n'
    const mapping = mapOf({ reference: 'Key', title: { from: ['Name', 'Summary'] }, status: { constant: 'OPEN' } })
    expect(read(text, { mapping })).toEqual([[3, 'R-1', 'Steel', 'OPEN']])
    expect(() => sheet(text, { mapping: mapOf({ reference: 'Key', title: 'Name' }) })).toThrow(
      'risks.csv, line 2: There is no column Name (for title), which a.map.json names. The columns are: Key; Summary.',
    )
  })
})

describe('a blank row', () => {
  test('is skipped wherever it is', () => {
    expect(read(',,\nReference,Title\n,\nR-1,Steel\n  ,""\n\nR-2,Wind\n,')).toEqual([
      [4, 'R-1', 'Steel'],
      [7, 'R-2', 'Wind'],
    ])
  })

  test('of a truncated file is still no row, and a row that is cut is refused', () => {
    expect(read('Reference,Title,Status\nR-1,Steel,\n,')).toEqual([[2, 'R-1', 'Steel']])
    expect(() => sheet('Reference,Title,Status\nR-1,Steel')).toThrow('its last row has 2 of 3 cells')
  })
})

describe('headings', () => {
  test.each([
    ['Raised\r\non', 'raisedon'],
    [' \u200bRaised\u00ad_On\ufeff: ', 'raisedon'],
    ['Risk (Ref. No.)*', 'riskrefno'],
    ['Wahrscheinlichkeit / Größe', 'wahrscheinlichkeitgröße'],
    ['風險 編號：', '風險編號'],
    ['№', 'no'],
    ['❤\ufe0f Owner', 'owner'],
    ['#', '#'],
  ])('%j are compared as %j', (heading, key) => {
    expect(headingKey(heading)).toBe(key)
  })

  test('are compared so in a file and in a map, where the very name comes first', () => {
    expect(read('"Reference\n",*TITLE*,"Raised\non"\na,b,c\n')).toEqual([[4, 'a', 'b', 'c']])
    const mapping = mapOf({ reference: 'key', title: 'impact %', status: 'Impact' })
    expect(read('Key:,Impact,Impact %\na,b,c\n', { mapping })).toEqual([[2, 'a', 'c', 'b']])
  })
})

describe('a header with groups above it', () => {
  test('has them before the headings that are there several times', () => {
    const text = 'Register,,,,,\n,,Inherent,,Residual,\nReference,Title,L,I,L,I\nR-1,Steel,5,4,3,2\n'
    const mapping = mapOf({ reference: 'Reference', title: 'Residual L', status: 'inherent i' })
    expect(read(text, { mapping })).toEqual([[4, 'R-1', '3', '4']])
  })

  test('does not have a title before them', () => {
    const mapping = mapOf({ reference: 'Reference', title: { from: 'Label', join: '+' } })
    expect(read('Register,,\nReference,Label,Label\nR-1,a,b\n', { mapping })).toEqual([[3, 'R-1', 'a+b']])
  })
})
