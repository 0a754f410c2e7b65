import { describe, expect, test } from 'vitest'
import { addPerson, type PersonInput } from '../../src/personnel/people.js'
import { type Desk, lines, openDesk } from '../ingest/importing.js'
import { engine } from '../support/engine.js'

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

const MEMBERS = `select g.name, coalesce(string_agg(p.name, ',' order by p.name), '') from groups g
  left join membership m on m.group_id = g.id left join person p on p.id = m.person_id group by g.id order by g.name`
const ROSTER = 'select name, email, external_id from person order by name'

const INDEXES =
  engine === 'sqlite'
    ? "select name || ' ' || sql from sqlite_master where type = 'index' and sql is not null order by name"
    : "select indexdef from pg_indexes where schemaname = 'public' order by indexname"

test('a first load of many people leaves every index in its place, and so does one that is refused', async () => {
  const desk = openDesk()
  const rows = Array.from({ length: 10_000 }, (_, i) => `Person ${i},p${i}@example.com`)
  desk.put('bad.csv', lines('name,email', ...rows, 'Twin,P7@example.com'))
  desk.put('good.csv', lines('name,email', ...rows))
  const before = desk.list(INDEXES)
  expect(await desk.importSheet('people', 'bad.csv')).toMatchObject({ code: 1 })
  expect({ indexes: desk.list(INDEXES), people: desk.list('select count(*) from person') }).toEqual({
    ...{ indexes: before, people: [0] },
  })
  expect(await desk.importSheet('people', 'good.csv')).toMatchObject({
    code: 0,
    stderr: 'good.csv: 10,000 created, 0 unchanged.\n',
  })
  expect(desk.list(INDEXES).sort()).toEqual(before.sort())
  if (engine === 'sqlite') expect(desk.list('pragma integrity_check')).toEqual(['ok'])
  expect(await desk.importSheet('people', 'good.csv')).toMatchObject({
    stderr: 'good.csv: nothing has changed, 10,000 unchanged.\n',
  })
})

describe('people', () => {
  test('are known by id, else by externalId, else by e-mail in any case', async () => {
    const desk = await openRoster(ada, bea, { name: 'Cleo', externalId: 'HR-3' })
    const [id] = desk.list("select id from person where name = 'Ada'")
    desk.put(
      'changed.csv',
      lines(
        'id,externalId,email,name',
        `${id},HR-9,ada@example.org,Ada of the id`,
        ',HR-3,cleo@example.com,Cleo of the externalId',
        ',HR-2,BEA@Example.COM,Bea of the e-mail',
        'usr_01h00000000000000000000000,,dora@example.com,Dora of a new id',
      ),
    )
    expect(await desk.importSheet('people', 'changed.csv')).toMatchObject({
      code: 0,
      stderr: 'changed.csv: 1 created, 3 updated, 0 unchanged.\n',
    })
    expect(desk.rows(ROSTER)).toEqual([
      ['Ada of the id', 'ada@example.org', 'HR-9'],
      ['Bea of the e-mail', 'BEA@Example.COM', 'HR-2'],
      ['Cleo of the externalId', 'cleo@example.com', 'HR-3'],
      ['Dora of a new id', 'dora@example.com', null],
    ])
    expect(desk.list("select id from person where name like 'Dora%'")).toEqual(['usr_01h00000000000000000000000'])
    expect(desk.changes().slice(3)).toEqual([
      {
        ...{ action: 'UPDATED', entity: 'PERSON', by: 'cli' },
        fields: {
          name: ['Ada', 'Ada of the id'],
          email: ['ada@example.com', 'ada@example.org'],
          externalId: ['HR-1', 'HR-9'],
        },
      },
      expect.objectContaining({ action: 'UPDATED' }),
      expect.objectContaining({ action: 'UPDATED' }),
      expect.objectContaining({ action: 'CREATED' }),
    ])
  })

  test('are refused when a row names two people, an unknown id, or no e-mail', async () => {
    const desk = await openRoster(ada, bea, { ...cleo, externalId: 'HR-3' })
    const idOf = (name: string) => String(desk.list(`select id from person where name = '${name}'`)[0])
    desk.put(
      'bad.csv',
      lines(
        'id,externalId,email,name',
        ',HR-1,BEA@example.com,x',
        `${idOf('Bea')},HR-1,,x`,
        'bea,,bea@example.org,x',
        ',,,Nobody',
        ',HR-3,,',
      ),
    )
    const before = desk.dump()
    const { code, report } = await desk.report('people', 'bad.csv')
    expect({
      code,
      violations: report.files[0]?.violations.map(({ line, column, detail }) => [line, column, detail]),
    }).toEqual({
      code: 1,
      violations: [
        [2, 'email', `It belongs to Bea (${idOf('Bea')}).`],
        [3, 'externalId', `It belongs to Ada (externalId HR-1, ${idOf('Ada')}).`],
        [4, 'id', 'Must be an id in the form of an export.'],
        [5, 'email', 'A person needs an e-mail or an externalId.'],
        [6, 'name', 'Must not be empty.'],
      ],
    })
    expect(desk.dump()).toEqual(before)
  })

  test('are each in the file once, however many there are, known already or not, and whichever way they are named', async () => {
    const desk = openDesk()
    const HEADER = 'name,email,externalId,id'
    const many = Array.from({ length: 2_500 }, (_, index) => `P ${index},p${index}@example.com,X-${index},`)
    const twice = ['P,P1@EXAMPLE.COM,,', 'P,,X-2,', 'New,new@example.com,,', 'New,NEW@example.com,,']
    const sameAs = (line: number) => `This is the same as in line ${line}; it must be unique.`
    const violations = [
      [2_502, 'email', sameAs(3)],
      [2_503, 'externalId', sameAs(4)],
      [2_505, 'email', sameAs(2_504)],
    ]
    desk.put('many.csv', lines(HEADER, ...many))
    desk.put('twice.csv', lines(HEADER, ...many, ...twice))
    const empty = await desk.report('people', 'twice.csv', 'many.csv', 'many.csv')
    const found = ({ report: { files } }: typeof empty) =>
      files[0]?.violations.map(({ line, column, detail }) => [line, column, detail])
    expect(found(empty)).toEqual(violations)
    expect(empty.report.files.map((file) => [file.created, file.updated, file.unchanged, file.rejected])).toEqual([
      [0, 0, 0, 3],
      [2_500, 0, 0, 0],
      [0, 0, 2_500, 0],
    ])
    expect(desk.changes()).toHaveLength(2_500)

    const before = desk.dump()
    const [id] = desk.list("select id from person where external_id = 'X-4'")
    desk.put('twice.csv', lines(HEADER, ...many, ...twice, `P,other@example.com,,${id}`))
    expect(found(await desk.report('people', 'twice.csv'))).toEqual([...violations, [2_506, 'id', sameAs(6)]])
    expect(desk.dump()).toEqual(before)
  })
})

describe('groups', () => {
  test('of people are exactly those in the column: none when it is blank, as they were when there is no column', async () => {
    const desk = openDesk()
    desk.put(
      'new.csv',
      lines(
        'name,email,groups',
        'Ada,ada@example.com,Divers; welders',
        'Bea,bea@example.com,Divers',
        'Cleo,cleo@example.com,Welders;DIVERS;',
      ),
    )
    await desk.importSheet('people', '--create-groups', 'new.csv')
    const [divers] = desk.list("select id from groups where name = 'Divers'")
    desk.put(
      'all.csv',
      lines('email,groups', `ada@example.com,${divers}`, 'bea@example.com,', 'cleo@example.com,Divers;Welders'),
    )
    desk.put('none.csv', lines('email,title', 'ada@example.com,Chief'))
    desk.put('unknown.csv', lines('email,groups', 'ada@example.com,Divers;Painters'))
    expect(await desk.importSheet('people', 'all.csv', 'none.csv', 'unknown.csv', '--strict-references')).toMatchObject(
      {
        code: 1,
        stderr: lines(
          'all.csv: 2 updated, 1 unchanged.',
          'none.csv: 1 updated, 0 unchanged.',
          'unknown.csv: nothing was stored, because 1 of 1 rows cannot be used:',
          '  line 2, groups "Divers;Painters": There is no group "Painters". Import groups first, or create it with --create-groups.',
          '1 of 3 files could not be used.',
        ),
      },
    )
    expect(desk.rows(MEMBERS)).toEqual([
      ['Divers', 'Ada,Cleo'],
      ['welders', 'Cleo'],
    ])
    expect(
      desk
        .changes()
        .slice(5)
        .map(({ entity, fields }) => [entity, fields]),
    ).toEqual([
      ['PERSON', { groups: [['Divers', 'welders'], ['Divers']] }],
      ['PERSON', { groups: [['Divers'], []] }],
      ['PERSON', { title: [null, 'Chief'] }],
    ])
    expect(desk.wronglyTimestamped()).toEqual([])
  })

  test('are known by id, else by externalId, else by name, and have exactly the members in the column', async () => {
    const desk = await openRoster(ada, bea, cleo)
    const [idOfCleo] = desk.list("select id from person where name = 'Cleo'")
    desk.put('a.csv', lines('name,externalId,members', 'Divers,D-1,Ada;BEA@example.com', `Welders,,HR-1;${idOfCleo}`))
    desk.put('b.csv', lines('name,externalId,members', 'Deep divers,D-1,bea@example.com', 'WELDERS,W-1,'))
    desk.put('c.csv', lines('externalId,description', 'D-1,Below'))
    desk.put('d.csv', lines('name,externalId,members', 'Deep divers,D-1,ada@example.com;Dora', 'welders,D-1,'))
    const { code, report } = await desk.report(
      'groups',
      'a.csv',
      'b.csv',
      'b.csv',
      'c.csv',
      'd.csv',
      '--strict-references',
    )
    const [ofA, ofB, ofSame, ofC, ofD] = report.files.map((file) => [file.created, file.updated, file.unchanged])
    expect({ code, ofA, ofB, ofSame, ofC, ofD }).toEqual({
      ...{ code: 1, ofA: [2, 0, 0], ofB: [0, 2, 0], ofSame: [0, 0, 2], ofC: [0, 1, 0], ofD: [0, 0, 0] },
    })
    const [divers, welders] = desk.list('select id from groups order by name')
    expect(report.files[4]?.violations.map(({ line, column, value, detail }) => [line, column, value, detail])).toEqual(
      [
        [
          ...[2, 'members', 'ada@example.com;Dora'],
          'Nobody on the roster has the e-mail, user id, externalId or name "Dora". ' +
            'Import people first; separate several by ;.',
        ],
        [3, 'name', 'welders', `It belongs to WELDERS (externalId W-1, ${welders}).`],
        [3, 'externalId', 'D-1', 'This is the same as in line 2; it must be unique.'],
      ],
    )
    expect(desk.rows('select id, name, external_id, description from groups order by name')).toEqual([
      [divers, 'Deep divers', 'D-1', 'Below'],
      [welders, 'WELDERS', 'W-1', null],
    ])
    expect(desk.rows(MEMBERS)).toEqual([
      ['Deep divers', 'Bea'],
      ['WELDERS', ''],
    ])
    // Memberships are part of the person's history.
    expect(
      desk
        .changes()
        .slice(5)
        .map(({ entity, fields }) => [entity, fields]),
    ).toEqual([
      ['PERSON', { groups: [[], ['Divers', 'Welders']] }],
      ['PERSON', { groups: [[], ['Divers']] }],
      ['PERSON', { groups: [[], ['Welders']] }],
      ['GROUP', { name: ['Divers', 'Deep divers'] }],
      ['GROUP', { name: ['Welders', 'WELDERS'], externalId: [null, 'W-1'] }],
      ['PERSON', { groups: [['Deep divers', 'WELDERS'], []] }],
      ['PERSON', { groups: [['WELDERS'], []] }],
      ['GROUP', { description: [null, 'Below'] }],
    ])
    expect(desk.wronglyTimestamped()).toEqual([])
  })
})
