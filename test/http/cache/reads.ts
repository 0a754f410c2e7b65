import type { Gateway } from '../../support/harness.js'

/** The statements on tables, without the version query, which always runs. */
export async function reads(gateway: Gateway, work: () => Promise<unknown>): Promise<string[]> {
  gateway.statements()
  await work()
  // The last use of a key is stored later, during any request.
  return gateway
    .statements()
    .filter((statement) => /^(select|with)\b/.test(statement) && !/revision|from change/.test(statement))
}
