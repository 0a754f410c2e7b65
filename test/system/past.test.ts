import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyHistory, type Step } from '../history/randomHistory.js'
import { byId, movementsBetween, NOTHING, pointOf, type State, stateOf } from '../history/states.js'
import { engine } from '../support/engine.js'
import { type Gateway, NOW, openGateway } from '../support/harness.js'
import { runs } from '../support/properties.js'
import { newStore, sqliteStore, type TestStore } from '../support/stores.js'

interface Moment {
  readonly at: Date
  readonly state: State
}

/** Performs each step, and reads a backup of the store after it; SQLite's is a file of its own. */
async function perform(gateway: Gateway, steps: readonly Step[]): Promise<Moment[]> {
  const caller = await gateway.as('projects.manage')
  const moments: Moment[] = []
  let at = NOW
  for (const { afterMs, input } of steps) {
    at = new Date(at.getTime() + afterMs)
    gateway.clock.now = at
    const { status, text } = await caller.post('/v1/projects', input)
    if (status !== 200) throw new Error(text)
    moments.push({ at, state: stateOf(backupOf(gateway.own, moments.length)) })
  }
  return moments
}

function backupOf(own: TestStore, number: number): TestStore {
  if (engine === 'postgres') return own
  const file = join(own.file, '..', `backup-${number}.db`)
  own.run(`vacuum into '${file}'`)
  return sqliteStore(file)
}

/** Performs the steps on a store of its own, and checks what a service says of the past. */
async function checkPast(steps: readonly Step[], check: (get: Get, moments: readonly Moment[]) => Promise<void>) {
  const own = newStore()
  const ends: (() => Promise<void>)[] = []
  try {
    const gateway = openGateway({ responseCacheBytesMax: 0 }, (end) => void ends.push(end), own)
    const moments = await perform(gateway, steps)
    const caller = await gateway.as('projects.read')
    await check(async (path) => {
      const { status, body } = await caller.get(path)
      expect([status, path]).toEqual([200, path])
      return body
    }, moments)
  } finally {
    for (const end of ends) await end()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a response.
type Get = (path: string) => Promise<any>

const after = ({ at }: Moment) => new Date(at.getTime() + 1).toISOString()
const query = (given: Record<string, string | undefined>) =>
  new URLSearchParams(Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const RUNS = { ...runs(3), endOnFailure: true }

test('movements are what two stored states differ in', async () => {
  const some = fc.record({ project: fc.constantFrom(undefined, 'APOLLO'), level: fc.constantFrom(undefined, 'HIGH') })
  await fc.assert(
    fc.asyncProperty(anyHistory, some, async (steps, filter) => {
      await checkPast(steps, async (get, moments) => {
        const now = moments.at(-1)?.state ?? NOTHING
        const known = now.projects.some(({ key }) => key === 'APOLLO') ? filter : { ...filter, project: undefined }
        const states = [{ at: new Date(NOW.getTime() - 1), state: NOTHING }, ...moments]
        for (const [index, from] of states.entries()) {
          const to = states[index + Math.ceil((states.length - index) / 2)]
          const given = query({ since: after(from), until: to && after(to), ...known })
          const { since, until, ...moved } = await get(`/v1/movements?${given}`)
          const expected = movementsBetween(from.state, to?.state ?? now, now, known as object)
          expect({ ...moved, risks: [...moved.risks].sort(byId), issues: [...moved.issues].sort(byId) }).toEqual(
            expected,
          )
          expect([since, until]).toEqual([after(from), to ? after(to) : null])
        }
      })
    }),
    RUNS,
  )
})

test('a trend is what was stored at the end of each day', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, fc.constantFrom(undefined, 'BRIDGE'), async (steps, project) => {
      await checkPast(steps, async (get, moments) => {
        const now = moments.at(-1)
        const known = now?.state.projects.some(({ key }) => key === project) ? project : undefined
        const to = new Date((now?.at.getTime() ?? 0) + 48 * 3_600_000).toISOString().slice(0, 10)
        const { points } = await get(`/v1/risks/trend?${query({ from: '2026-10-31', to, project: known })}`)
        const expected = points.map(({ on }: { on: string }) => {
          const last = moments.findLast(({ at }) => at.toISOString().slice(0, 10) <= on)
          return pointOf(on, last?.state ?? NOTHING, known)
        })
        expect(points).toEqual(expected)
        expect(points.at(-1).on).toBe(to)
      })
    }),
    RUNS,
  )
})

test('an upgrade derives from the history the states that are now stored with each change', async () => {
  const folder = new URL(`../../drizzle/${engine}/`, import.meta.url)
  const file = readdirSync(folder).find((name) => name.endsWith('_risk_states.sql')) ?? ''
  const derive = readFileSync(new URL(file, folder), 'utf8')
    .split('--> statement-breakpoint')
    .find((statement) => statement.trim().startsWith('WITH'))
  await fc.assert(
    fc.asyncProperty(anyHistory, async (steps) => {
      const gateway = openGateway()
      await perform(gateway, steps)
      const states = () => gateway.own.values('select id, state_from, state_to from change order by id')
      const stored = states()
      gateway.own.run('update change set state_from = null, state_to = null')
      gateway.own.run(derive ?? '')
      expect(states()).toEqual(stored)
      expect(stored.some(([, from]) => from !== null)).toBe(true)
    }),
    RUNS,
  )
})
