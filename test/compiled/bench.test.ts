import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { ExecutionReason } from '../../src/graph/sql/statements.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { storeOf } from '../bench/speed/data.js'
import { graphWorksOn } from '../bench/speed/workloads/graphql.js'
import { messageOf } from '../bench/speed/workloads/requests.js'
import { type Api, isOpenTo, type Work, worksOn } from '../bench/speed/workloads/workloads.js'
import { fillCompany } from '../support/fixtures.js'
import { openGateway } from '../support/harness.js'
import { newStore, sqliteStore } from '../support/stores.js'

/** A service without a response cache, and why the last request was executed instead of compiled. */
async function openBench() {
  const folder = mkdtempSync(join(tmpdir(), 'operations-bench-'))
  const file = storeOf(folder)
  const fresh = newStore('sqlite')
  mkdirSync(dirname(file))
  copyFileSync(fresh.file, file)
  fresh.remove()
  const own = { ...sqliteStore(file), remove: () => rmSync(folder, { recursive: true }) }
  let last: ExecutionReason | 'never finished' | undefined
  const gateway = openGateway(
    {
      responseCacheBytesMax: 0,
      isCompiled: true,
      onFinished: ({ executedFor }) => {
        last = executedFor
      },
    },
    afterAll,
    own,
  )
  const { groupIds, personIds, projectIds } = await gateway.write(fillCompany)
  const ids: Record<string, string | undefined> = {
    groups: groupIds[0],
    personnel: personIds[0],
    projects: projectIds[0],
  }
  const whole = await gateway.as('personnel.read', 'projects.read')
  const narrow = await gateway.as('projects.read')
  const call = async (method: string, path: string, body?: string, caller = whole) => {
    last = 'never finished'
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const { status, body: answer } = await caller.request(path, { method, headers, body })
    return { status, errors: answer?.errors, executedFor: last }
  }
  /** A path of the table, of one thing that there is. */
  const filled = (path: string) => path.replace(/(\w+)\/\{\w+\}/, (_, noun: string) => `${noun}/${ids[noun]}`)
  return { call, filled, narrow, works: [...worksOn({ folder, key: '' }), ...graphWorksOn({ folder, key: '' })] }
}

const { call, filled, narrow, works } = await openBench()
const COMPILED = { status: 200, errors: undefined, executedFor: undefined }

const requests = works.flatMap((work) =>
  (['rest', 'graphql'] satisfies Api[])
    .filter((api) => isOpenTo(work, api) && work.reads.length > 0)
    .map((api) => ({ name: `${work.name} by ${api}`, messages: kindsOf(work).map((read) => messageOf(read, api)) })),
)

/** A mixed workload alternates its kinds of requests: one of each is enough. */
function kindsOf({ reads }: Work) {
  return reads.slice(0, 4)
}

describe('the requests of the bench are compiled', () => {
  test('of every work that reads', () => {
    const parts = new Set(requests.map(({ name }) => name.slice(0, 2)))
    expect([...parts]).toEqual(['W1', 'W2', 'W3', 'W5', 'W6', 'W7', 'W8', 'W9'])
  })

  test.each(requests)('$name', async ({ messages }) => {
    for (const { method, path, body } of messages) {
      expect({ path, body, ...(await call(method, path, body)) }).toEqual({ path, body, ...COMPILED })
    }
  })
})

const lists = ROUTES.filter(({ method, operation }) => method === 'GET' && operation.startsWith('list'))

test.each(lists)('the list $path is compiled, whole and by pages', async ({ path, type }) => {
  // Neither CSV nor a feed has a total.
  const isCounted = !type && path !== '/v1/changes'
  for (const end of ['', '?limit=2', ...(isCounted ? ['?limit=2&total=true'] : [])]) {
    expect({ end, ...(await call('GET', `${filled(path)}${end}`)) }).toEqual({ end, ...COMPILED })
  }
})

test('risks and issues are compiled for a key that may not read their people', async () => {
  for (const path of ['/v1/risks', '/v1/issues', '/v1/risks.csv'])
    expect({ path, ...(await call('GET', path, undefined, narrow)) }).toEqual({ path, ...COMPILED })
})

test('what is executed is seen to be', async () => {
  const body = JSON.stringify({ query: '{ __schema { queryType { name } } }' })
  expect(await call('POST', '/graphql', body)).toEqual({ ...COMPILED, executedFor: 'introspection' })
})
