import { expect, onTestFinished } from 'vitest'
import { RATE_UNIT_COST } from '../../src/graph/query/prices.js'
import type { AppOptions } from '../../src/http/app.js'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { addProject, addRisks, project, risk } from '../support/fixtures.js'
import { type Gateway, openGateway, type TestResponse } from '../support/harness.js'

/** The clock is stopped, so that buckets do not refill. */
export const limited = (options: Partial<AppOptions> = {}) => ({
  ratePerMinute: LIMITS.ratePerMinute,
  monotonicMs: () => 0,
  ...options,
})

export const remaining = ({ headers }: TestResponse) => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1])

/** The charge of a request to a fresh key. */
export const chargeOf = (answer: TestResponse) => LIMITS.rateBurst - remaining(answer)

export const everything = (gateway: Gateway) => gateway.as('personnel.manage', 'projects.manage')

/** A service with this many live risks, and the charge of a request to a fresh key. */
export async function openWith(risks: number, atEnd = onTestFinished, people = 0) {
  const gateway = openGateway(limited(), atEnd)
  await gateway.write(async (write) => {
    for (let i = 0; i < people; i++) await addPerson(write, { name: `Person ${i}`, externalId: `P-${i}` })
    const id = await addProject(write, project())
    const drafts = Array.from({ length: risks }, (_, i) =>
      risk(id, { reference: `R-${i}`, category: i % 2 ? 'Supply' : 'Weather' }),
    )
    await addRisks(write, drafts)
  })
  const charged = async (call: (caller: Awaited<ReturnType<typeof everything>>) => Promise<TestResponse>) => {
    const answer = await call(await everything(gateway))
    expect([200, 304]).toContain(answer.status)
    expect(answer.body?.errors).toBeUndefined()
    return chargeOf(answer)
  }
  return { gateway, charged, query: (text: string) => charged((caller) => caller.graphql(text)) }
}

/** The units of a cost. */
export const units = (cost: number) => Math.ceil(cost / RATE_UNIT_COST)
