import { expect, test } from 'vitest'
import { synced } from '../support/syncing.js'
import { erase, historyOf, openWithQuilla } from './erasing.js'

/** Details of others, and whether they are erased with her. */
const TEXTS: [name: string, text: string, goes: boolean][] = [
  ['Name', 'Qüilla Zyxwvut', true],
  ['In capitals', 'QÜILLA ZYXWVUT', true],
  ['In wide letters', 'Ｑüilla Zyxwvut', true],
  ['Before', 'Quilla Vwxyz', true],
  ['E-mail', 'QUILLA@zyx.example', true],
  ['HR', 'zyx-4711', true],
  ['A sentence', 'Ask Qüilla Zyxwvut', false],
  ['Someone else', 'Ada', false],
]
const GIVEN = TEXTS.map(([name, text]) => ({ name, text }))
const KEPT = GIVEN.filter((_, index) => !TEXTS[index]?.[2])
const GONE = TEXTS.flatMap(([name, , goes]) => (goes ? [name] : []))

test('details that are her name or address are gone from every entity, its history and the feed', async () => {
  const stage = await openWithQuilla()
  const { caller, gateway, id } = stage
  await caller.patch(`/v1/personnel/${id}`, { name: 'Qüilla Zyxwvut', details: GIVEN })
  const [ada] = (await caller.get('/v1/personnel?email=ada@example.com')).body.data
  await caller.patch(`/v1/personnel/${ada.id}`, { details: GIVEN })
  const entry = { reference: 'X', title: 'Crack', details: GIVEN }
  const state = { key: 'BELL', name: 'Bell', details: GIVEN }
  // Its only detail is written in another way than she ever was.
  const other = { reference: 'Z', title: 'Soot', details: [{ name: 'Seen by', text: 'QÜILLA ZYXWVUT' }] }
  await synced(caller, { ...state, risks: [entry, other], issues: [{ ...entry, severity: 'LOW' }] })
  // What was a detail before is in the history alone.
  const past = { reference: 'Y', title: 'Rust', details: [{ name: 'Seen by', text: 'qüilla zyxwvut' }] }
  await synced(caller, { key: 'BELL', mode: 'PARTIAL', risks: [past] })
  await synced(caller, { key: 'BELL', mode: 'PARTIAL', risks: [{ ...past, details: [] }] })
  const last = (await caller.get('/v1/changes?limit=1000')).body.page.next

  expect(await erase(stage)).toMatchObject({ entries: 3 })

  const shown = async (path: string) => (await caller.get(path)).body
  const [risk] = (await shown('/v1/risks?search=crack')).data
  const [rust] = (await shown('/v1/risks?search=rust')).data
  const [issue] = (await shown('/v1/issues')).data
  const project = await shown('/v1/projects/BELL')
  const others = { person: await shown(`/v1/personnel/${ada.id}`), project, risk, issue }
  for (const [noun, row] of Object.entries(others)) {
    expect({ noun, details: row.details }).toEqual({ noun, details: KEPT })
    const lost = GONE.map((name) => ({ field: `details.${name}`, from: '(erased)', to: null }))
    // Ada was changed: an erased person is one of whom followers delete their copy.
    const action = noun === 'person' ? 'UPDATED' : 'ERASED'
    expect((await historyOf(caller, noun, row.id)).at(-1)).toMatchObject({ action, fields: lost })
  }
  const [, removed] = await historyOf(caller, 'risk', rust.id)
  expect(removed.fields).toEqual([{ field: 'details.Seen by', from: '(erased)', to: null }])
  expect((await shown(`/v1/personnel/${id}`)).details).toEqual([])

  // Nowhere is any of it left, not even in a page of the feed from before.
  const stored = ['person', 'project', 'risk', 'issue', 'change'].flatMap((table) =>
    gateway.own.rows(`select * from ${table}`).map((row) => JSON.stringify(row)),
  )
  const feed = (await caller.get('/v1/changes?limit=1000')).text
  const left = [...stored, feed].join('\n').normalize('NFKC').toLowerCase().replaceAll('ask qüilla zyxwvut', '')
  expect(['qüilla', 'vwxyz', 'zyx.example', 'zyx-4711', 'zyxwvut'].filter((text) => left.includes(text))).toEqual([])
  const { data } = await shown(`/v1/changes?cursor=${last}`)
  expect(data.filter(({ action }: { action: string }) => action === 'ERASED')).toHaveLength(5)
})
