import { describe, expect, test } from 'vitest'
import { readMapping } from '../../../src/ingest/files/mapping.js'
import { readSheet, type SheetFormat } from '../../../src/ingest/files/sheet.js'

const FIELDS = ['reference', 'title', 'description', 'likelihood', 'groups', 'status', 'raisedOn']

function read(text: string, map: unknown, format: SheetFormat = 'csv') {
  const mapping = readMapping(JSON.stringify(map), 'a.map.json', FIELDS)
  const name = `a.${format}`
  return readSheet(Buffer.from(text), { name, format, fields: FIELDS, derived: [], ignoreUnknown: false, mapping })
}

/** The title of every record, or the sentence about its violation. */
function titles(text: string, rule: unknown, format: SheetFormat = 'csv'): unknown[] {
  const { records } = read(text, { columns: { title: rule } }, format)
  return records.map(({ values, violations: [violation] }) => violation?.detail ?? values['title'])
}

const SCALE = [
  [0.1, 1],
  [0.3, 2],
  [1, 3],
]

test.each<{ it: string; text: string; rule: unknown; gives: unknown[] }>([
  {
    it: 'joins several columns',
    text: 'First,Last,x\nAda,Lovelace,\n,Hopper,\n, ,x',
    rule: { from: ['First', 'None', 'Last'], join: ' ' },
    gives: ['Ada Lovelace', 'Hopper', ''],
  },
  { it: 'joins repeated columns too', text: 'L,M,L\na,b,c', rule: { from: ['M', 'L'], join: '/' }, gives: ['b/a/c'] },
  {
    it: 'splits a text into a list',
    text: 'G,x\n"a, b,,A ,",\nd,\n,x',
    rule: { from: 'G', split: ',', values: { A: 'B' }, default: 'c' },
    gives: [['B', 'b', 'B'], ['d'], 'c'],
  },
  {
    it: 'takes the part before a text',
    text: 'Key,x\nHARBOR-12,\nHARBOR,\n-12,\n a - b-c,',
    rule: { from: 'Key', before: '-', default: 'none' },
    gives: ['HARBOR', 'HARBOR', 'none', 'a'],
  },
  {
    it: 'puts a prefix before what the source has',
    text: 'N,x\n12,\nnone,\n,x',
    rule: { from: 'N', prefix: 'GH-', values: { none: 'GH-0' } },
    gives: ['GH-12', 'GH-0', ''],
  },
  {
    it: 'looks values up in one column after the other',
    text: 'Status,Category\nWaiting,To Do\nDone,To Do\nWaiting,What',
    rule: { from: ['Status', 'Category'], values: { 'to do': 'OPEN', done: 'CLOSED' } },
    gives: ['OPEN', 'CLOSED', 'Waiting'],
  },
  {
    it: 'reads numbers and percentages by bands',
    text: 'P,x\n0.1,\n"0,11",\n30%,\n 31 % ,\n0,\n,x\nhalf,',
    rule: { from: 'P', bands: SCALE, values: { half: 3 }, default: 2 },
    gives: [1, 2, 2, 3, 1, 2, 3],
  },
  {
    it: 'reads bands of percents',
    text: 'P\n10%\n35\n100%',
    rule: {
      from: 'P',
      bands: [
        [10, 1],
        [30, 2],
        [100, 'x'],
      ],
    },
    gives: [1, 'x', 'x'],
  },
  {
    it: 'reads bands of money',
    text: 'P\n"1,000"\n"12,500.50"',
    rule: {
      from: 'P',
      bands: [
        [5000, 1],
        [20_000, 2],
      ],
    },
    gives: [1, 2],
  },
  {
    it: 'has a violation beyond the bands',
    text: 'P\n35\nlikely',
    rule: { from: 'P', bands: SCALE },
    gives: [expect.stringMatching(/at most 1, where the last band/), expect.stringMatching(/number or a percentage/)],
  },
  {
    it: 'reads months in several languages',
    text: [
      'D',
      ...['3 Mar 2026', '3 März 2026', '3 Mrz 2026', '03 févr. 2026', '3 juil. 2026', '3 de febrero de 2026'],
      ...['3 fev. 2026', '3 stycznia 2026', '3 sty 2026', '3 December 2026', '3 sept. 2026'],
    ].join('\n'),
    rule: { from: 'D', date: 'd MMM yyyy', months: ['de', 'fr', 'es', 'pt', 'pl'] },
    gives: [3, 3, 3, 2, 7, 2, 2, 1, 1, 12, 9].map((month) => `2026-${String(month).padStart(2, '0')}-03`),
  },
  {
    it: 'knows English months alone without them',
    text: 'D\n3 juil. 2026\n3 Ju 2026',
    rule: { from: 'D', date: 'd MMM yyyy' },
    gives: [expect.stringMatching(/d MMM yyyy/), expect.stringMatching(/d MMM yyyy/)],
  },
  {
    it: 'knows no month that may be two',
    text: 'D\n3 jui 2026\n3 juin 2026',
    rule: { from: 'D', date: 'd MMM yyyy', months: 'fr' },
    gives: [expect.stringMatching(/d MMM yyyy/), '2026-06-03'],
  },
  {
    it: 'takes the first date format that fits',
    text: 'D\n03.02.2026\n2026-02-03T10:00\n2026年2月3日\n31.31.2026',
    rule: { from: 'D', date: ['yyyy-MM-dd', 'dd.MM.yyyy', 'yyyy年M月d日'] },
    gives: ['2026-02-03', '2026-02-03', '2026-02-03', expect.stringMatching(/no day 2026-31-31 .*or dd\.MM\.yyyy/)],
  },
])('$it', ({ text, rule, gives }) => {
  expect(titles(text, rule)).toEqual(gives)
})

describe('cut', () => {
  test('shortens texts by whole characters, and says how many', () => {
    const long = '🙂'.repeat(6)
    const { records, warnings } = read(`T\nabcde\n${long}\nabcdef\n 🙂🙂🙂🙂🙂 `, {
      columns: { title: { from: 'T', cut: 5 } },
    })
    expect(records.map(({ values }) => values['title'])).toEqual(['abcde', '🙂🙂🙂🙂…', 'abcd…', ' 🙂🙂🙂🙂🙂 '])
    expect(warnings).toEqual(['2 texts were cut to 5 characters in title (the first in line 3).'])
  })
})

describe('otherwise', () => {
  test('takes a value for unknown words, and names each once with the line of the map', () => {
    const rule = { from: 'S', values: { done: 'CLOSED' }, otherwise: 'OPEN', default: 'BLOCKED' }
    const { records, warnings } = read('S,x\nQA,\ndone,\nqa,\nQA,\n,x', { columns: { status: rule } })
    expect(records.map(({ values }) => values['status'])).toEqual(['OPEN', 'CLOSED', 'OPEN', 'OPEN', 'BLOCKED'])
    expect(warnings).toEqual([
      'status takes OPEN for "QA" (2, first in line 2), "qa" (1, first in line 4), not known to a.map.json. To change that, put it into the map: "status": { "values": { "QA": "OPEN", "qa": "OPEN" } }.',
    ])
  })
})

describe('where', () => {
  const text = 'T,Type,PR\na,Risk,\nb, bug ,\nc,risk,url'

  test.each<[unknown, string[]]>([
    [{ column: 'type', is: ['Risk'] }, ['a', 'c']],
    [{ column: 'Type', is: 'bug' }, ['b']],
    [{ column: 'Type', not: ['risk', 'epic'] }, ['b']],
    [{ column: 'PR', blank: true }, ['a', 'b']],
    [{ column: ['None', 'PR'], blank: false }, ['c']],
    [{ column: 'None', blank: true }, ['a', 'b', 'c']],
    [
      [
        { column: 'Type', is: 'Risk' },
        { column: 'PR', blank: true },
      ],
      ['a'],
    ],
  ])('%j takes %j', (where, expected) => {
    const { records, notes } = read(text, { where, columns: { title: 'T' } })
    expect(records.map(({ index, values }) => [index, values['title']])).toEqual(
      expected.map((title, index) => [index, title]),
    )
    const left = 3 - expected.length
    expect(notes).toEqual(
      left === 0 ? [] : [`${left} record${left === 1 ? '' : 's'} left out by "where" of a.map.json.`],
    )
  })

  test('looks at members of objects, and at any element of a list', () => {
    const objects = [
      { t: 1, pull_request: { url: 'x' } },
      { t: 2, labels: [{ name: 'a' }, { name: 'Risk' }] },
      { t: 3 },
    ]
    const taken = (where: unknown) =>
      read(JSON.stringify(objects), { where, columns: { title: 't' } }, 'json').records.map(
        ({ values }) => values['title'],
      )
    expect(taken({ column: 'pull_request', blank: true })).toEqual([2, 3])
    expect(taken({ column: 'labels.name', is: 'risk' })).toEqual([2])
    expect(taken({ column: 'labels.name', not: 'risk' })).toEqual([1, 3])
    expect(taken({ column: 't', is: [1, 3] })).toEqual([1, 3])
  })

  test('is refused when it names a column that is not there', () => {
    const map = { where: { column: 'Kind', is: 'Risk' }, columns: { title: 'T' } }
    expect(() => read(text, map)).toThrow('There is no column Kind (for where), which a.map.json names.')
    expect(() => read('[{"T":1}]', map, 'json')).toThrow('No record has Kind (for where)')
  })
})

test('an optional rule leaves its field absent, or at its default, where the source has no column', () => {
  const map = {
    columns: {
      title: 'T',
      status: { from: 'S', optional: true, default: 'OPEN' },
      groups: { from: 'G', optional: true },
    },
  }
  const expected = [{ title: 'a', status: 'OPEN' }]
  expect(read('T\na', map).records.map(({ values }) => values)).toEqual(expected)
  expect(read('[{"T":"a"}]', map, 'json').records.map(({ values }) => values)).toEqual(expected)
  expect(read('[{"T":"a"},{"T":"b","G":"g"}]', map, 'json').records.map(({ values }) => values['groups'])).toEqual([
    '',
    'g',
  ])
})

test('rich text becomes plain text', () => {
  const text = (value: string, ...marks: unknown[]) => ({ type: 'text', text: value, marks })
  const node = (type: string, ...content: unknown[]) => ({ type, content })
  const document = {
    ...{ type: 'doc', version: 1 },
    content: [
      node('heading', text('Crane')),
      node(
        'paragraph',
        ...[
          text('Ask '),
          { type: 'mention', attrs: { id: '1', text: '@Mara Ilves' } },
          { type: 'hardBreak' },
          text('by '),
        ],
        ...[
          { type: 'date', attrs: { timestamp: '1772409600000' } },
          { type: 'emoji', attrs: { shortName: ':ship:' } },
        ],
      ),
      node(
        'bulletList',
        node(
          'listItem',
          node('paragraph', text('one')),
          node('orderedList', node('listItem', node('paragraph', text('deep')))),
        ),
        node('listItem', node('paragraph', text('plan', { type: 'link', attrs: { href: 'https://example.com' } }))),
      ),
      node('codeBlock', text('a = 1\nb = 2')),
      node('rule'),
      node('mediaSingle', { type: 'media', attrs: { id: 'x' } }),
      node('blockquote', node('paragraph', text('said'))),
      node(
        'table',
        node(
          'tableRow',
          node('tableHeader', node('paragraph', text('A'))),
          node('tableCell', node('paragraph', text('B'))),
        ),
      ),
      node('panel', node('paragraph', { type: 'inlineCard', attrs: { url: 'https://example.com/1' } })),
      node('paragraph'),
    ],
  }
  const expected = [
    ...[
      'Crane',
      'Ask @Mara Ilves\nby 2026-03-02:ship:',
      '- one\n  1. deep\n- plan (https://example.com)',
      'a = 1\nb = 2',
      '---',
    ],
    ...['> said', 'A | B', 'https://example.com/1'],
  ].join('\n\n')
  const empty = { type: 'doc', version: 1, content: [] }
  expect(titles(JSON.stringify([{ d: document }, { d: empty }, { d: 'plain' }]), 'd', 'json')).toEqual([
    expected,
    '',
    'plain',
  ])
  const deep = `${'{"type":"panel","content":['.repeat(20_000)}${']}'.repeat(20_000)}`
  expect(titles(`[{"d":{"type":"doc","content":[${deep}]}}]`, 'd', 'json')).toEqual([''])
})
