import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOffice } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'
import { synced } from '../support/syncing.js'
import { historyOf } from './erasing.js'

test('a name is erased however it is written, in lists too, and what may only be it is listed and left', async () => {
  const { gateway, caller } = await openOffice()
  const { id } = (await caller.post('/v1/personnel', { name: 'Ada  Lovelace', email: 'ada@lovelace.example' })).body
  const OWNERS = [
    'Lovelace, Ada',
    'ADA LOVELACE; Grace Hopper',
    'Hopper, Grace; Lovelace, Ada',
    'A. Lovelace',
    'Ada Hopper',
  ]
  const risks = OWNERS.map((owner, n) => ({
    ...{ reference: `R-${n}`, title: `Risk ${n}`, owner },
    details: [{ name: 'Team', text: owner }],
  }))
  const title = 'Ask Mrs Lovelace, or ada@lovelace.example.'
  const issues = [{ reference: 'I-1', title, severity: 'LOW' }]
  await synced(caller, { key: 'ENGINE', name: 'Engine', risks, issues })
  const folder = newFolder()
  writeFileSync(join(folder, 'hr.csv'), 'name,email\nBea,bea@x.example\nCy,cy@x.example\n')
  const command = (...args: string[]) => runHere(folder, [...args, '--database', gateway.own.url])
  await command('import', 'people', 'hr.csv', '--as', 'ada lovelace')
  writeFileSync(join(folder, 'hr.csv'), 'name,email\nBea B,bea@x.example\n')
  await command('import', 'people', 'hr.csv', '--as', 'Charles')

  const { stdout } = await command('erase', id, '--yes', '--json')
  const shown = (await caller.get('/v1/risks?project=ENGINE')).body.data
  const names = shown.map((one: Row) => [one.reference, one.ownerName, one.details[0]?.text ?? null]).sort()
  expect(names).toEqual([
    ['R-0', null, null],
    ['R-1', 'Grace Hopper', 'Grace Hopper'],
    ['R-2', 'Hopper, Grace', 'Hopper, Grace'],
    ['R-3', 'A. Lovelace', 'A. Lovelace'],
    ['R-4', 'Ada Hopper', 'Ada Hopper'],
  ])
  const { id: listed } = shown.find((one: Row) => one.reference === 'R-1')
  const { id: unsureRisk } = shown.find((one: Row) => one.reference === 'R-3')
  expect((await historyOf(caller, 'risk', listed))[0].fields).toEqual(
    expect.arrayContaining([
      { field: 'ownerName', from: null, to: '(erased)' },
      { field: 'details.Team', from: null, to: '(erased)' },
    ]),
  )
  const { unsure, unsureCount, entries } = JSON.parse(stdout)
  expect([entries, unsureCount]).toEqual([3, 3])
  expect(unsure).toEqual([
    { entity: 'RISK', id: unsureRisk, field: 'ownerName', text: 'A. Lovelace' },
    { entity: 'RISK', id: unsureRisk, field: 'details.Team', text: 'A. Lovelace' },
    { entity: 'ISSUE', id: expect.stringMatching(/^iss_/), field: 'title', text: title },
  ])
  const operators = gateway.own.values('select operator from import_run where operator is not null order by id')
  expect(operators).toEqual([[`erased:${id}`], ['Charles']])
})

interface Row {
  readonly reference: string
  readonly ownerName: string | null
  readonly details: readonly { readonly text: string }[]
}
