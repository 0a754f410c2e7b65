import { describe, expect, test } from 'vitest'
import { addPerson, type PersonInput } from '../../src/personnel/people.js'
import { type Desk, lines, openDesk } from './importing.js'

/** A desk where these people are on the roster. */
async function openRoster(...people: PersonInput[]): Promise<Desk> {
  const desk = openDesk()
  await desk.write(async (write) => {
    for (const person of people) await addPerson(write, person)
  })
  return desk
}

const ada = { name: 'Ada', email: 'ada@example.com', externalId: 'HR-1' }
const bea = { name: 'Bea', email: 'bea@example.com' }
const cleo = { name: 'Cleo', email: 'cleo@example.com' }

test('a name beside the id of an owner must be of the same person, however it is written', async () => {
  const desk = openDesk()
  await desk.write(async (write) => {
    for (const name of ['Ada', 'Bea']) await addPerson(write, { name, email: `${name}@example.com` })
  })
  const [ada, bea] = desk.list('select id from person order by name')
  const flags = ['--project', 'A', '--create-projects', 'risks.csv']
  const sheet = (...rows: string[]) => desk.put('risks.csv', lines('reference,title,owner,ownerId', ...rows))
  sheet(`R-1,x,ADA,${ada}`, `R-2,x,bea@example.com,${bea}`, `R-3,x,,${ada}`)
  expect(await desk.importSheet('risks', ...flags)).toMatchObject({ code: 0 })
  expect(desk.list('select owner_id from risk order by reference')).toEqual([ada, bea, ada])
  sheet(`R-1,x,Bea,${ada}`, `R-2,x,nobody,${bea}`)
  const { code, report } = await desk.report('risks', ...flags)
  const violations = report.files[0]?.violations.map(({ line, column, detail }) => [line, column, detail])
  expect({ code, violations }).toEqual({
    code: 1,
    violations: [
      [2, 'owner', 'This is not who ownerId names, which is Ada; give one of the two.'],
      [3, 'owner', 'This is not who ownerId names, which is Bea; give one of the two.'],
    ],
  })
})

describe('who stands behind a risk or an issue', () => {
  const stranger = (text: string) => `Nobody on the roster has the e-mail, user id, externalId or name "${text}".`
  const namesakes = '2 people on the roster are called Bea; name this one by e-mail or user id.'
  const OWNERS = `select reference, p.name, owner_name from risk left join person p on p.id = owner_id order by reference`

  test('is found by the last name, a comma and the first name, if nobody is called so', async () => {
    const desk = await openRoster({ name: 'Mara Voss', email: 'mara@example.com' }, { ...ada, name: 'Ada, Countess' })
    const rows = ['R-1,x,"VOSS, Mara"', 'R-2,x,"Ada, Countess"', 'R-3,x,"Voss, Ada"', 'R-4,x,"Voss,"']
    desk.put('risks.csv', lines('reference,title,owner', ...rows))
    expect(await desk.importSheet('risks', 'risks.csv', '--project', 'A', '--create-projects')).toMatchObject({
      code: 0,
    })
    expect(desk.rows(OWNERS)).toEqual([
      ['R-1', 'Mara Voss', 'VOSS, Mara'],
      ['R-2', 'Ada, Countess', 'Ada, Countess'],
      ['R-3', null, 'Voss, Ada'],
      ['R-4', null, 'Voss,'],
    ])
  })

  test('is found by e-mail, user id, externalId or a name of one active person, and otherwise kept as a name', async () => {
    const desk = await openRoster(
      ada,
      { ...ada, email: 'old@example.com', externalId: null, status: 'INACTIVE' },
      bea,
      { ...bea, email: 'bea2@example.com' },
      { ...cleo, status: 'INACTIVE' },
    )
    const [id] = desk.list("select id from person where external_id = 'HR-1'")
    const messages = [
      'ADA@example.com',
      `${id}`,
      'HR-1',
      'ada',
      'Bea',
      'Cleo',
      'cleo@example.com',
      'dora@example.com',
      '',
    ]
    desk.put('risks.csv', lines('reference,title,owner', ...messages.map((who, index) => `R-${index + 1},x,${who}`)))
    const flags = ['--project', 'A', '--create-projects']
    const { code, report } = await desk.report('risks', ...flags, 'risks.csv')
    const warnings = report.files[0]?.warnings.map(({ line, column, value, detail }) => [line, column, value, detail])
    expect({ code, warnings }).toEqual({
      code: 0,
      warnings: [
        [
          ...[undefined, 'owner', undefined],
          '2 rows name 2 owners who are not on the roster: Cleo; dora@example.com. Kept as ownerName.',
        ],
        [6, 'owner', 'Bea', `${namesakes} It is kept as ownerName.`],
      ],
    })
    expect(desk.rows(OWNERS)).toEqual([
      ['R-1', 'Ada', null],
      ['R-2', 'Ada', null],
      ['R-3', 'Ada', null],
      ['R-4', 'Ada', 'ada'],
      ['R-5', null, 'Bea'],
      ['R-6', null, 'Cleo'],
      ['R-7', 'Cleo', null],
      ['R-8', null, 'dora@example.com'],
      ['R-9', null, null],
    ])
    const before = desk.dump()
    const strict = await desk.report('risks', ...flags, '--strict-people', 'risks.csv')
    expect(strict.code).toBe(1)
    expect(strict.report.files[0]?.violations.map(({ line, detail }) => [line, detail])).toEqual([
      [6, namesakes],
      [7, stranger('Cleo')],
      [9, stranger('dora@example.com')],
    ])
    expect(desk.dump()).toEqual(before)
  })

  test('is linked by the next import once they are on the roster, and an e-mail is no name then', async () => {
    const desk = openDesk()
    const sheet = lines('reference,title,severity,assignee', 'I-1,x,LOW,ada@example.com', 'I-2,x,LOW,Ada')
    desk.put('issues.csv', sheet)
    const flags = ['--project', 'A', '--create-projects']
    await desk.importSheet('issues', ...flags, 'issues.csv')
    await desk.write((write) => addPerson(write, ada))
    const { stderr } = await desk.importSheet('issues', ...flags, '--strict-people', 'issues.csv', 'issues.csv')
    expect(stderr).toBe(lines('issues.csv: 2 updated, 0 unchanged.', 'issues.csv: nothing has changed, 2 unchanged.'))
    const [id] = desk.list('select id from person')
    expect(desk.rows('select reference, assignee_id, assignee_name from issue order by 1')).toEqual([
      ['I-1', id, null],
      ['I-2', id, 'Ada'],
    ])
    expect(
      desk
        .changes()
        .slice(-2)
        .map(({ fields }) => fields),
    ).toEqual([{ assigneeId: [null, id], assigneeName: ['ada@example.com', null] }, { assigneeId: [null, id] }])
  })
})
