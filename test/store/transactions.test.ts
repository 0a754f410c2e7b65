import { expect, test } from 'vitest'
import { VERSION } from '../../src/about.js'
import { Fault } from '../../src/errors.js'
import { BUSY } from '../../src/store/faults.js'
import type { Session } from '../../src/store/postgres/connections.js'
import { WriteQueue } from '../../src/store/postgres/writeQueue.js'
import type { Authorship, Write } from '../../src/store/store.js'
import { NOW } from '../support/harness.js'

/** The response of the fake server to a statement, by its text: an SQLSTATE, or a broken connection. */
type Script = (statement: string, attempt: number) => string | 'lost' | undefined

const AS: Authorship = { by: 'cli', at: () => NOW }

/** A scripted server, to reproduce rare failures. */
function scripted(script: Script) {
  const messages: string[] = []
  let attempt = 0
  const open = async (): Promise<Session> => {
    attempt += 1
    return {
      async run(statement) {
        messages.push(statement.split(/[ ;]/)[0] === 'update' ? 'commit' : (statement.split(/[ ;]/)[0] ?? ''))
        const failure = script(statement, attempt)
        if (failure === 'lost') throw new Fault('UNAVAILABLE', 'The store cannot be reached.')
        if (failure === 'undone') return { rows: [], command: 'ROLLBACK' }
        if (failure !== undefined) throw Object.assign(new Error('as scripted'), { code: failure })
        return { rows: [[null, VERSION]], command: 'COMMIT' }
      },
      release: (isBroken) => void messages.push(isBroken ? 'thrown away' : 'kept'),
    }
  }
  const queue = new WriteQueue({
    open,
    // Only its connection to the server matters here.
    writeOn: (run) => ({ run, db: {} }) as unknown as Write,
    ping: async () => undefined,
  })
  const write = <T>(work: (run: Session['run'], attempt: number) => Promise<T>) =>
    queue.add(AS, (handle) => work((handle as unknown as { run: Session['run'] }).run, attempt))
  return { messages, write }
}

test('a write that met another is done again, and what it was first is dead', async () => {
  const { messages, write } = scripted((statement, attempt) =>
    attempt === 1 && statement === 'select 1' ? '40001' : undefined,
  )
  const handles: Session['run'][] = []
  const result = await write(async (run, attempt) => {
    handles.push(run)
    await run('select 1')
    return attempt
  })
  expect(result).toBe(2)
  expect(messages).toEqual(['begin', 'select', 'rollback', 'kept', 'begin', 'select', 'commit', 'kept'])
  for (const run of handles) await expect(run('select 2')).rejects.toThrow(/revoked/)
})

test.each(['40001', '40P01'])('so is one that is undone with %s only when it is to be stored', async (code) => {
  const { write } = scripted((statement, attempt) => (attempt < 3 && statement.includes('commit') ? code : undefined))
  expect(await write(async (_, attempt) => attempt)).toBe(3)
})

test('so is one whose work has taken the failure for something else', async () => {
  const { write } = scripted((statement, attempt) => (attempt === 1 && statement === 'select 1' ? '40001' : undefined))
  const result = await write(async (run, attempt) => {
    await run('select 1').catch(() => {
      throw new Fault('INTERNAL', 'Something went wrong.')
    })
    return attempt
  })
  expect(result).toBe(2)
})

test('it is not done for ever', async () => {
  const { messages, write } = scripted((statement) => (statement.includes('commit') ? '40001' : undefined))
  await expect(write(async () => 1)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: BUSY })
  expect(messages.filter((word) => word === 'begin')).toHaveLength(6)
})

test.each(['lost', '08006', '57P01'])(
  'nothing is done again when the connection goes (%s) with the commit',
  async (how) => {
    const { messages, write } = scripted((statement) => (/commit|rollback/.test(statement) ? how : undefined))
    const message = expect.stringMatching(/may or may not be stored/)
    await expect(write(async () => 1)).rejects.toMatchObject({ code: 'UNAVAILABLE', message })
    expect(messages).toEqual(['begin', 'commit', 'thrown away'])
  },
)

test('a refusal leaves the connection to others', async () => {
  const { messages, write } = scripted(() => undefined)
  const refused = async () => Promise.reject(new Fault('CONFLICT', 'It is there.'))
  await expect(write(refused)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(messages).toEqual(['begin', 'rollback', 'kept'])
})

test('what has failed inside is not stored, also when the work goes on as if nothing had happened', async () => {
  const { messages, write } = scripted((statement) => (statement === 'select 1' ? '23505' : undefined))
  const going = write(async (run) => {
    await run('select 1').catch(() => undefined)
    return 'fine'
  })
  await expect(going).rejects.toThrow('as scripted')
  expect(messages).toEqual(['begin', 'select', 'rollback', 'kept'])
})

test('nor is it taken for stored when the server says that it has rolled back', async () => {
  const { write } = scripted((statement) => (statement.includes('commit') ? 'undone' : undefined))
  await expect(write(async () => 1)).rejects.toThrow(/ended with ROLLBACK/)
})
