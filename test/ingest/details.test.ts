import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from '../support/inProcess.js'
import { lines, openDesk } from './importing.js'

const SHEET = lines(
  'project,reference,title,details.Cost,"details.Größe, ""x""",details.Notes',
  'A,R-1,x,=1+1,"a, b; c","Zeile\nzwei"',
  'A,R-2,x,,,-7',
  'A,R-3,x,,,',
)

test.each(['csv', 'ndjson'])('details come back from %s as they went out, and change nothing', async (format) => {
  const desk = openDesk()
  desk.put('risks.csv', SHEET)
  expect(await desk.importSheet('risks', '--create-projects', 'risks.csv')).toMatchObject({ code: 0 })
  const name = `again.${format}`
  const exported = async () => {
    const args = ['export', 'risks', '--format', format, '--output', name, '--database', desk.own.url]
    expect(await runHere(desk.folder, args)).toMatchObject({ code: 0 })
    return readFileSync(join(desk.folder, name), 'utf8')
  }
  const first = await exported()
  const { code, stderr } = await desk.importSheet('risks', name)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('nothing has changed, 3 unchanged.') })
  expect(await exported()).toBe(first)
  const details = () => JSON.parse(String(desk.list("select details from risk where reference = 'R-1'")[0]))
  expect(details()).toEqual([
    { name: 'Cost', text: '=1+1' },
    { name: 'Größe, "x"', text: 'a, b; c' },
    { name: 'Notes', text: 'Zeile\nzwei' },
  ])
  // A blank cell removes one, and the others stay.
  desk.put('patch.csv', lines('project,reference,title,details.Cost', 'A,R-1,x,'))
  expect(await desk.importSheet('risks', 'patch.csv')).toMatchObject({ code: 0 })
  expect(details().map(({ name: one }: { name: string }) => one)).toEqual(['Größe, "x"', 'Notes'])
})
