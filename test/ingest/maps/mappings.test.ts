import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readMapping } from '../../../src/ingest/files/mapping.js'
import { readSheet, type SheetFormat } from '../../../src/ingest/files/sheet.js'
import { ISSUE_SEVERITIES, ISSUE_STATUSES } from '../../../src/vocabulary.js'

const FIELDS = [
  'project',
  'reference',
  'title',
  'description',
  'severity',
  'status',
  'assignee',
  'raisedOn',
  'dueOn',
  'url',
]

function mapped(text: string, columns: unknown, format: SheetFormat = 'csv') {
  const mapping = readMapping(JSON.stringify({ columns }), 'a.map.json', FIELDS)
  const name = `a.${format}`
  return readSheet(Buffer.from(text), { name, format, fields: FIELDS, derived: [], ignoreUnknown: false, mapping })
}

describe('a map over a table', () => {
  const SEVERITY = { from: 'Priority', values: { P1: 'CRITICAL', ' p2 ': 'HIGH' } }

  test.each<[string, string, unknown, unknown]>([
    ['takes a column by its name', 'Summary\na', 'Summary', 'a'],
    ['takes a name in any case', 'SUMMARY \na', 'summary', 'a'],
    ['leaves a blank cell blank', 'Summary,b\n,c', { from: 'Summary' }, ''],
    ['unguards cells', "Summary\n'=a", 'Summary', '=a'],
    ['takes the first that is not blank of a repeated header', 'L,L,L\n, b,c', 'L', ' b'],
    ['joins what is not blank', 'L,x,L,L\na,b,,c', { from: 'L', join: ', ' }, 'a, c'],
    ['takes the first name that says something', 'a,b,c\n,B,C', { from: ['a', 'none', 'b', 'c'] }, 'B'],
    ['looks values up in any case', 'Priority\n p1 ', SEVERITY, 'CRITICAL'],
    ['looks trimmed keys up', 'Priority\nP2', SEVERITY, 'HIGH'],
    ['takes the first value that is known', 'Priority,Priority\nx,P2', SEVERITY, 'HIGH'],
    ['leaves an unknown value as it stands', 'Priority\nP9', SEVERITY, 'P9'],
    ['takes the default for an unknown value', 'Priority\nP9', { ...SEVERITY, default: 'LOW' }, 'LOW'],
    ['takes the default for a blank', 'Priority,x\n"",y', { ...SEVERITY, default: 'LOW' }, 'LOW'],
    ['leaves a blank without a default blank', 'Priority,x\n"",y', SEVERITY, ''],
    ['takes the default for a blank without values', 'a,b\n" ",c', { from: 'a', default: 5 }, 5],
    ['leaves a value that is there beside a default', 'a\nb', { from: 'a', default: 'c' }, 'b'],
    ['takes a constant', 'a\nb', { constant: 'ALPHA' }, 'ALPHA'],
  ])('%s', (_, text, rule, expected) => {
    expect(mapped(text, { severity: rule }).records).toEqual([
      { index: 0, line: 2, values: { severity: expected }, violations: [] },
    ])
  })

  test.each([
    ['dd/MMM/yy', '03/Feb/26 9:14 AM', '2026-02-03'],
    ['dd/MMM/yy', '03/FEB/26', '2026-02-03'],
    ['d.M.yyyy', ' 3.12.2026, 10:00', '2026-12-03'],
    ['yyyy-MM-dd', '2026-02-03T09:14:00Z', '2026-02-03'],
    ['dd/MMM/yy', '2026-02-03', '2026-02-03'],
    ['yyyyMMdd', '20280229093000', '2028-02-29'],
    ['M/d/yy', '2/3/26', '2026-02-03'],
  ])('reads a day by %s in %s', (date, text, expected) => {
    const { records } = mapped(`Created\n"${text}"`, { raisedOn: { from: 'Created', date } })
    expect(records).toEqual([{ index: 0, line: 2, values: { raisedOn: expected }, violations: [] }])
  })

  test.each([
    ['dd/MMM/yy', '3/Feb/26', /dd\/MMM\/yy/],
    ['dd/MMM/yy', '03/Foo/26', /dd\/MMM\/yy/],
    ['dd.MM.yy', '03.02.2026', /dd\.MM\.yy/],
    ['yyyy-MM-dd', 'x2026-02-03', /yyyy-MM-dd/],
    ['yyyy.MM.dd', '2026/02/03', /yyyy\.MM\.dd/],
    ['yyyy-MM-dd', '2026-02-30', /no day 2026-02-30 .*yyyy-MM-dd/],
    ['yyyy-MM-dd', '2026-13-01', /no day 2026-13-01/],
  ])('finds a violation by %s in %s', (date, value, detail) => {
    const { records } = mapped(`created \n${value}`, { raisedOn: { from: 'Created', date } })
    const violations = [{ column: 'created', value, detail: expect.stringMatching(detail) }]
    expect(records).toEqual([{ index: 0, line: 2, values: { raisedOn: '' }, violations }])
  })

  test('takes a default for a blank day as it stands, and a known value too', () => {
    const rule = { from: 'Due', date: 'dd/MM/yyyy', values: { never: '' }, default: '2030-01-01' }
    expect(mapped('Due,x\n03/02/2026,\n,x\nnever,', { dueOn: rule }).records.map(({ values }) => values)).toEqual([
      { dueOn: '2026-02-03' },
      { dueOn: '2030-01-01' },
      { dueOn: '' },
    ])
  })

  test('keeps to the header for what a column is called, and to the width of it', () => {
    const columns = { severity: { from: ['Prio', 'priority'] }, title: 'Summary', project: { constant: 'A' } }
    const { records, columnOf, ignored, derived } = mapped('Summary,Priority,Other\na,b,c,d', columns)
    expect(['severity', 'title', 'project', 'url'].map(columnOf)).toEqual(['Priority', 'Summary', 'project', 'url'])
    expect([ignored, derived]).toEqual([[], []])
    expect(records[0]?.violations).toMatchObject([{ column: 'column 4', value: 'd' }])
  })

  test('is refused when it names columns that the header does not have', () => {
    const columns = { title: 'Sumary', severity: { from: ['Prio', 'Priority'] }, url: { from: ['Link', 'x'] } }
    expect(() => mapped('\nSummary,Priority,,\na,b', columns)).toThrow(
      'a.csv, line 2: There is no column Sumary (for title), Link or x (for url), which a.map.json names. The columns are: Summary; Priority.',
    )
  })
})

describe('a map over objects', () => {
  const OBJECT = {
    number: 7,
    open: false,
    user: { login: 'ada', 'full.name': 'Ada L.' },
    'user.login': 'dotted',
    labels: [{ name: 'bug' }, { name: ' ' }, {}, 5, { name: 'high' }],
    tags: ['x', '', 'y'],
    grid: [['a'], ['b']],
    none: null,
  }

  test.each<[unknown, unknown]>([
    ['number', 7],
    ['open', false],
    ['user.login', 'dotted'],
    ['user.full.name', 'Ada L.'],
    ['labels.name', 'bug'],
    ['labels.4.name', 'high'],
    ['labels.9.name', ''],
    ['tags', 'x'],
    ['tags.2', 'y'],
    [{ from: 'labels.name', join: '+' }, 'bug+high'],
    [{ from: 'tags', join: ' ' }, 'x y'],
    [{ from: 'labels.name', values: { HIGH: 'H' } }, 'H'],
    [{ from: 'number', values: { 7: 'seven' } }, 'seven'],
    [{ from: ['none', 'none.x', 'absent', 'number.x', 'number'] }, 7],
  ])('takes %j as %j', (rule, expected) => {
    for (const format of ['json', 'ndjson'] as const) {
      const text = JSON.stringify(format === 'json' ? [OBJECT] : OBJECT)
      expect(mapped(text, { title: rule }, format).records).toEqual([
        { index: 0, line: 1, values: { title: expected }, violations: [] },
      ])
    }
  })

  test.each([
    ['user', '{...}', /such as user\.login/],
    ['labels', '{...}', /such as labels\.name/],
    ['grid', '[...]', /a list/],
  ])('finds a violation where %s is no value', (column, value, detail) => {
    const { records } = mapped(JSON.stringify([OBJECT]), { title: column }, 'json')
    expect(records[0]?.violations).toEqual([{ column, value, detail: expect.stringMatching(detail) }])
  })

  test.each(['constructor.name', 'tags.length', '__proto__', '__proto__.constructor', 'user.mail', 'labels.x'])(
    'is refused when no record has %s',
    (path) => {
      const text = JSON.stringify([{ ...OBJECT, none: { deep: 1 } }])
      expect(() => mapped(text, { title: path, dueOn: { from: ['due', 'none'] } }, 'json')).toThrow(
        `a.json: No record has ${path} (for title), which a.map.json names. There are: number; open; user.login; user.full.name; labels.name; tags; grid; none.deep.`,
      )
    },
  )

  test('is not refused for a path that leads through null or an empty list', () => {
    const text = '[{"a":null,"b":[]},{"a":null,"b":[{}]},{"c":1}]'
    const columns = { title: 'a.name', url: 'b.0.url', status: 'b.name', project: 'c' }
    expect(() => mapped(text, { ...columns, status: 'c' }, 'json')).not.toThrow()
    expect(() => mapped('[{"b":[{}]}]', { status: 'b.name' }, 'json')).toThrow('No record has b.name (for status)')
  })

  test('passes over a line that is no object, with its violation', () => {
    const { records } = mapped('x\n{"a":1}', { title: 'a' }, 'ndjson')
    expect(records).toMatchObject([
      { values: { title: '' }, violations: [{ value: 'x' }] },
      { values: { title: 1 }, violations: [] },
    ])
  })
})

describe('the samples', () => {
  function sample(file: string, map: string) {
    const read = (name: string) => readFileSync(new URL(`../samples/${name}`, import.meta.url))
    const fields = `id assigneeId assigneeName risk riskId ${FIELDS.join(' ')}`.split(' ')
    const mapping = readMapping(read(map).toString(), map, fields)
    const format = file.endsWith('.csv') ? 'csv' : 'json'
    const { records } = readSheet(read(file), {
      name: file,
      format,
      fields,
      derived: [],
      ignoreUnknown: false,
      mapping,
    })
    expect(records.flatMap(({ violations }) => violations)).toEqual([])
    return records.map(({ values }) => values)
  }

  test('of a Jira export read as issues', () => {
    const issues = sample('jira.csv', 'jira-issues.map.json')
    expect(issues[0]).toEqual({
      project: 'HARBOR',
      reference: 'HARBOR-12',
      title: 'Crane permit refused',
      description:
        'The city wants a new traffic plan first:\n\n* lanes, signs and "detours"\n* a signed letter from the port',
      severity: 'CRITICAL',
      status: 'BLOCKED',
      assignee: 'Tomás Prado',
      raisedOn: '2026-02-03',
      dueOn: '2026-02-27',
    })
    expect(
      issues.map(({ reference, severity, status, assignee, raisedOn, dueOn }) =>
        [reference, severity, status, assignee, raisedOn, dueOn].join(' '),
      ),
    ).toEqual([
      'HARBOR-12 CRITICAL BLOCKED Tomás Prado 2026-02-03 2026-02-27',
      'HARBOR-13 HIGH IN_PROGRESS Wen Li 2026-02-03 2026-02-13',
      'HARBOR-14 MEDIUM OPEN  2026-02-09 ',
      'HARBOR-15 LOW OPEN Tomás Prado 2026-02-10 2026-03-31',
      'HARBOR-16 LOW RESOLVED Wen Li 2026-01-12 ',
      'HARBOR-17 CRITICAL IN_PROGRESS  2026-02-16 2026-02-18',
      'HARBOR-18 MEDIUM OPEN Mara Ilves 2026-02-17 ',
      'HARBOR-19 HIGH RESOLVED Mara Ilves 2026-01-05 2026-01-30',
    ])
    expect(issues.map(({ title }) => title).slice(1, 3)).toEqual([
      'Pile 7 is 5" out of line',
      '=SUM in the cost sheet counts the mooring rings twice',
    ])
  })

  test('of GitHub issues read as issues', () => {
    const issues = sample('github.json', 'github-issues.map.json')
    expect(issues[0]).toEqual({
      reference: 48,
      title: 'Mooring plan overlaps the dredging',
      description: 'Two ships, one berth.\r\n\r\n- [ ] ask the pilots\r\n- [ ] draw "plan B"',
      severity: 'HIGH',
      status: 'OPEN',
      assignee: 'tprado',
      url: 'https://git.example.com/harbor/quay/issues/48',
      raisedOn: '2026-02-18',
      dueOn: '2026-03-31',
    })
    expect(
      issues.map(({ reference, severity, status, assignee, dueOn }) =>
        [reference, severity, status, assignee, dueOn].join(' '),
      ),
    ).toEqual([
      '48 HIGH OPEN tprado 2026-03-31',
      '47 CRITICAL OPEN mara-ilves 2026-03-31',
      '45 MEDIUM OPEN  ',
      '44 LOW CLOSED tprado ',
      '41 MEDIUM OPEN  ',
      '39 HIGH CLOSED mara-ilves 2026-03-31',
    ])
  })

  test('have maps that only make values which there are', () => {
    for (const map of ['jira-issues.map.json', 'github-issues.map.json']) {
      const { rules } = readMapping(readFileSync(new URL(`../samples/${map}`, import.meta.url), 'utf8'), map, FIELDS)
      expect(ISSUE_SEVERITIES).toEqual(expect.arrayContaining([...(rules.get('severity')?.values?.values() ?? [])]))
      expect(ISSUE_STATUSES).toEqual(expect.arrayContaining([...(rules.get('status')?.values?.values() ?? [])]))
    }
  })
})
