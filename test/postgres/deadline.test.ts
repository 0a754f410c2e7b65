import { expect, test } from 'vitest'
import { toFault } from '../../src/store/faults.js'
import { openPostgres } from '../../src/store/postgres/store.js'
import { newStore } from '../support/stores.js'

test('a read is stopped at the deadline, and so are the requests behind it', async () => {
  const own = newStore('postgres')
  const store = openPostgres(own.url, { deadlineMs: 100 })
  const heavy = { text: 'select count(*) from generate_series(1, 10000000000)', values: [] }
  await expect(store.read.rows(heavy).catch((error) => Promise.reject(toFault(error)))).rejects.toMatchObject({
    code: 'DEADLINE_EXCEEDED',
  })
  const running =
    "select 1 from pg_stat_activity where query like '%generate_series(1, 100%' and state = 'active' and pid <> pg_backend_pid()"
  // The server reports the error before it shows the session as idle.
  await expect.poll(() => own.values(running)).toEqual([])
  const late = store.reading({ deadline: { deadlineAt: performance.now() - 1 } })
  await expect(late.rows({ text: 'select 1', values: [] })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  await store.close()
  own.remove()
})
