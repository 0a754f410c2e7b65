import { ada } from '../support/fixtures.js'
import { type Caller, openFilled, type TestResponse } from '../support/harness.js'

/** A request with an Idempotency-Key. */
export interface Repeatable {
  readonly method?: string
  readonly path: string
  readonly body?: object
  readonly token?: string
  readonly headers?: Record<string, string>
}

/** The possible errors while the same request is in flight. */
export const STILL_RUNNING = 'A request with this Idempotency-Key is still running.'

export const TOKEN = '8e03978e-40d5-43e8-bc93-6894a57f9324'

export function sendWithToken(
  caller: Caller,
  { method = 'POST', path, body, token = TOKEN, headers = {} }: Repeatable,
): Promise<TestResponse> {
  return caller.request(path, {
    method,
    headers: { 'idempotency-key': token, ...(body && { 'content-type': 'application/json' }), ...headers },
    body: body && JSON.stringify(body),
  })
}

export async function openCompany() {
  const { gateway, company } = await openFilled()
  return { gateway, company, caller: await gateway.as('personnel.manage', 'projects.manage') }
}

/** The parts of a response that are independent of its request. */
export function outcomeOf({ status, headers, text }: TestResponse) {
  return { status, location: headers.get('location'), etag: headers.get('etag'), text }
}

/** The header of a replayed response. */
export const replayed = ({ headers }: TestResponse) => headers.get('idempotency-replayed')

/** Adds a person, with TOKEN by default. */
export const ADA: Repeatable = { path: '/v1/personnel', body: ada }
