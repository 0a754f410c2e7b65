import { describe, expect, test } from 'vitest'
import { BadMapping, printMapping, readMapping } from '../../../src/ingest/files/mapping.js'

const FIELDS = ['reference', 'title', 'description', 'likelihood', 'groups', 'status', 'raisedOn']

const SCALE = [
  [0.1, 1],
  [0.3, 2],
  [1, 3],
]

describe('a bad map', () => {
  const problems = (text: string) => {
    try {
      readMapping(text, 'm.json', ['title', 'dueOn'])
    } catch (error) {
      if (error instanceof BadMapping) return error.message.split('\n')
      throw error
    }
    return []
  }
  const rule = (title: unknown) => JSON.stringify({ columns: { title } })

  test.each([
    ['{', /^m\.json: The map must be a JSON object/],
    ['[]', /must be a JSON object/],
    ['{}', /"columns" must be an object/],
    ['{"columns":[]}', /"columns" must be an object/],
    ['{"columns":{}}', /"columns" is empty/],
    ['{"columns":{"title":"a"},"colums":{}}', /the map has "colums", which is unknown; use columns/],
    ['{"columns":{"__proto__":"a"}}', /"__proto__" is not a field; the fields are title, dueOn/],
    [rule(5), /title must be the name of a column/],
    [rule({}), /title must have "from" or "constant"/],
    [rule({ from: [] }), /"from" of title must be a name, or a list/],
    [rule({ from: ['a', 5] }), /"from" of title/],
    [rule(' '), /"from" of title/],
    [rule({ from: 'a', form: 'b' }), /title has "form", which is unknown; use from, constant/],
    [rule({ from: 'a', values: { b: [] } }), /"values" of title/],
    [rule({ from: 'a', values: { b: 'B', 'B ': 'C' } }), /"values" of title has "B " twice/],
    [rule({ from: 'a', default: null }), /"default" of title/],
    [rule({ from: 'a', join: 1 }), /"join" of title/],
    [rule({ from: 'a', join: ',', values: {} }), /title has "join"/],
    [rule({ constant: 'a', from: 'b' }), /title has "constant", and so must not have from/],
    [rule({ from: 'a', date: 'dd/MM' }), /"date" of title must have one day, one month and one year/],
    [rule({ from: 'a', date: 'YYYY-MM-DD' }), /one day, one month and one year/],
    [rule({ from: 'a', date: 'dd.MMMM.yyyy' }), /one day, one month and one year/],
    [rule({ from: 'a', date: 'dd/MMM/yy h:mm a' }), /"h:mm a" in it/],
  ])('%s is refused', (text, sentence) => {
    expect(problems(text)).toEqual([expect.stringMatching(sentence)])
  })

  test('names everything that is wrong with it at once', () => {
    const columns = { titel: 'a', title: { from: 5, date: 'x', more: 1 }, dueOn: {} }
    expect(problems(JSON.stringify({ columns, extra: 1 }))).toHaveLength(6)
  })

  test('may begin with a byte order mark and be good', () => {
    expect(problems('\uFEFF{"columns":{"title":{"from":"a","date":"dd/MMM/yy"}}}')).toEqual([])
  })
})

describe('a bad rule', () => {
  const problems = (map: unknown) => {
    try {
      readMapping(JSON.stringify(map), 'm.json', FIELDS)
    } catch (error) {
      if (error instanceof BadMapping) return error.message.split('\n')
      throw error
    }
    return []
  }

  test.each<[unknown, RegExp]>([
    [{ join: ' ', split: ',' }, /title has "join", and so must not have split, which are for one value/],
    [{ join: ' ', date: 'yyyy-MM-dd' }, /title has "join", and so must not have date/],
    [{ split: ',', cut: 5 }, /title has "split", and so must not have cut/],
    [{ split: '' }, /"split" of title must be a text that is not empty/],
    [{ bands: [[1, 1]], date: 'yyyy-MM-dd' }, /title has "bands", and so must not have date/],
    [
      {
        bands: [
          [2, 1],
          [1, 2],
        ],
      },
      /"bands" of title must be pairs of an ascending number/,
    ],
    [{ bands: [[1, 1]], values: {}, otherwise: 1 }, /title has "bands", and so must not have otherwise/],
    [{ bands: [] }, /"bands" of title/],
    [{ bands: [[1]] }, /"bands" of title/],
    [{ months: 'de' }, /title has "months", which needs "date"/],
    [{ date: 'd MMM yyyy', months: 'german' }, /"months" of title has "german", which is no language/],
    [{ date: ['yyyy-MM-dd', 'x'] }, /"date" of title must have one day/],
    [{ date: 'yyyy-MM-dd', prefix: 'x' }, /title has "date", and so must not have prefix, which would spoil/],
    [{ prefix: 5 }, /"prefix" of title must be a text/],
    [{ cut: 0 }, /"cut" of title must be a whole number/],
    [{ cut: true }, /"cut" of title must be a whole number/],
    [{ otherwise: 'x' }, /title has "otherwise", which needs "values"/],
    [{ optional: false }, /"optional" of title must be true/],
  ])('%j', (rule, sentence) => {
    expect(problems({ columns: { title: { from: 'a', ...Object(rule) } } })).toEqual([expect.stringMatching(sentence)])
  })

  test.each<[unknown, RegExp]>([
    ['Type', /"where" must be a condition such as/],
    [{ is: 'x' }, /"where" must name its "column"/],
    [{ column: 'a' }, /must have one of "is", "not" and "blank"/],
    [{ column: 'a', is: 'x', not: 'y' }, /must have one of/],
    [{ column: 'a', equals: 'x', is: 'x' }, /"where" has "equals", which is unknown; use column, is, not, blank/],
    [{ column: 'a', is: [] }, /"is" of "where" must be a value/],
    [{ column: 'a', blank: 'yes' }, /"blank" of "where" must be true or false/],
  ])('where %j', (where, sentence) => {
    expect(problems({ where, columns: { title: 'a' } })).toEqual([expect.stringMatching(sentence)])
  })
})

test('a map is printed as it is read', () => {
  const map = {
    where: [
      { column: 'Type', is: ['risk'] },
      { column: ['a', 'b'], blank: true },
    ],
    columns: {
      reference: { from: 'number', prefix: 'GH-', before: '/' },
      title: 'Summary',
      description: { from: ['a', 'b'], join: ' ', cut: 10_000, optional: true },
      likelihood: { from: 'P', values: { 'n/a': 1 }, default: 2, bands: SCALE },
      groups: { from: 'G', split: ';', values: { a: 'b' }, otherwise: 'c' },
      status: { constant: 'OPEN' },
      raisedOn: { from: 'D', date: ['d MMM yyyy', 'yyyy-MM-dd'], months: ['de', 'fr'] },
    },
  }
  const mapping = readMapping(JSON.stringify(map), 'a', FIELDS)
  const printed = printMapping(mapping)
  expect(JSON.parse(printed)).toEqual(map)
  expect(readMapping(printed, 'a', FIELDS)).toEqual(mapping)
})
