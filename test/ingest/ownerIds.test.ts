import { expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { lines, openDesk } from './importing.js'

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
  const flaws = report.files[0]?.flaws.map(({ line, column, detail }) => [line, column, detail])
  expect({ code, flaws }).toEqual({
    code: 1,
    flaws: [
      [2, 'owner', 'This is not who ownerId names, which is Ada; give one of the two.'],
      [3, 'owner', 'This is not who ownerId names, which is Bea; give one of the two.'],
    ],
  })
})
