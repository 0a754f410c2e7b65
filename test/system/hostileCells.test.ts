import { expect, test } from 'vitest'
import { lines, openDesk } from '../ingest/importing.js'

/** A regular expression that looks twice at them takes minutes. */
const BLANKS = ' '.repeat(100_000)

/** A sheet of one noun with a cell that takes long to read if it is read in the wrong way, and what is said about it. */
const CELLS: readonly (readonly [what: string, noun: string, sheet: string, said: string])[] = [
  [
    'a step',
    'risks',
    lines('project,reference,title,likelihood,impact', `APOLLO,R-1,Steel,"1${BLANKS}x",2`),
    'line 2, likelihood: Must be a whole number from 1 to 5.',
  ],
  [
    'a day',
    'risks',
    lines('project,reference,title,dueOn', `APOLLO,R-1,Steel,"${BLANKS}x"`),
    'line 2, dueOn: Must be a day such as 2027-01-31.',
  ],
  [
    'an id',
    'risks',
    lines('id,project,reference,title', `"${BLANKS}x",APOLLO,R-1,Steel`),
    'line 2, id: Must be an id in the form of an export.',
  ],
  [
    'a number before a word',
    'risks',
    lines('Ref,Title,Likelihood,Impact', `R-1,Steel,"A: 1${BLANKS}\nx","1${BLANKS}\nx"`, 'R-2,Storm,2,3'),
    'Likelihood: it is not known what "A: 1 ',
  ],
  [
    'a step and its explanation',
    'risks',
    lines('Ref,Title,Likelihood,Impact', `R-1,Steel,"Mystery: a${BLANKS}x",2`, 'R-2,Storm,2,3'),
    'Likelihood: it is not known what "Mystery: a ',
  ],
  [
    'a rank',
    'issues',
    lines('Key,Summary,Severity', `I-1,Steel,"p${BLANKS}x"`, 'I-2,Storm,p2'),
    'Severity: it is not known what "p ',
  ],
  [
    'a title',
    'risks',
    lines('Ref,Title,Owner', `R-1,"a${BLANKS}b",Ada`, `R-2,"b${BLANKS}c",Grace`),
    '2 texts were cut to 500 characters in title (the first in line 2).',
  ],
  [
    'the heading of a section',
    'risks',
    lines('Ref,Title,Owner,Status', 'R-1,a,b,Open', `,"Sea${BLANKS}x",,`, 'R-2,b,c,Open', 'R-3,c,d,Open'),
    'Left out, headings of sections: line 3 "Sea ".',
  ],
  [
    'an address',
    'people',
    lines('Name,Department,Reach', `Ada,Tunnels,"a@${'.'.repeat(100_000)}@"`, 'Grace,Tunnels,"grace@"'),
    'No column is known as email or externalId or id of people.',
  ],
]

test.each(CELLS)('%s of 100,000 characters is read once', async (_, noun, sheet, said) => {
  const desk = openDesk()
  desk.put('long.csv', sheet)
  const project = noun === 'people' ? [] : ['--project', 'APOLLO', '--create-projects']
  const { report } = await desk.report(noun, 'long.csv', ...project)
  const [file] = report.files
  const placed = (file?.violations ?? []).map(({ line, column, detail }) =>
    line === undefined ? detail : `line ${line}, ${column}: ${detail}`,
  )
  const all = [...placed, ...(file?.warnings ?? []).map(({ detail }) => detail), ...(file?.notes ?? [])]
  expect([...all, ...(file?.guess?.notes ?? [])].join('\n')).toContain(said)
})

const TOO_LARGE: readonly (readonly [file: string, content: string, sentence: string])[] = [
  [
    'cell.csv',
    lines('project,reference,title', `APOLLO,R-1,${'x'.repeat(1_000_001)}`),
    ', line 2: Cell 3 has more than 1,000,000 characters. Shorten it, or is a quote missing?',
  ],
  [
    'quoted.csv',
    lines('project,reference,title', `APOLLO,"${'\n'.repeat(1_000_001)}",x`),
    ', line 2: Cell 2 has more than 1,000,000 characters. Shorten it, or is a quote missing?',
  ],
  [
    'columns.csv',
    lines('project,reference,title', `APOLLO,R-1,x${',y'.repeat(16_382)}`),
    ', line 2: There are more than 16,384 cells in this row. Leave columns out, or is a line break missing?',
  ],
  [
    'area.csv',
    lines(
      `Ref,Title,${Array.from({ length: 9_998 }, (_, at) => `c${at % 100}`).join()}`,
      ...Array<string>(10_001).fill('R-1,x'),
    ),
    ', line 10002: The table has more than 100,000,000 cells, 10000 in each row. Split it, or leave columns out.',
  ],
  [
    'member.json',
    JSON.stringify([{ title: 'x', ['k'.repeat(1_000_000)]: Array(5_000).fill({ a: 1 }) }]),
    ': Unknown column: kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk. Ignore them with --ignore-unknown. ',
  ],
]

test.each(TOO_LARGE)('%s is refused with the place and what to change', async (name, content, sentence) => {
  const desk = openDesk()
  desk.put(name, content)
  const { code, report } = await desk.report('risks', name)
  expect([code, report.files[0]?.violations.length]).toEqual([1, 1])
  expect(report.files[0]?.violations[0]?.detail).toContain(`${name}${sentence}`)
})

test('thousands of columns are read, each of them once', async () => {
  const desk = openDesk()
  const columns = Array.from({ length: 3_000 }, (_, at) => at)
  const row = (title: string) => `${title}${columns.map((at) => `,${at}`).join('')}`
  desk.put('wide.csv', lines(`Ref,Title${columns.map((at) => `,Column ${at}`).join('')}`, row('R-1,a'), row('R-2,b')))
  const { code, report } = await desk.report('risks', 'wide.csv', '--project', 'APOLLO', '--create-projects')
  expect([code, report.created, report.files[0]?.guess?.kept.length]).toEqual([0, 2, 50])
})
