import { ada } from '../support/fixtures.js'
import { type Answer, type Caller, openFilled } from '../support/harness.js'

/** Something that is asked for under an Idempotency-Key. */
export interface Repeatable {
  readonly method?: string
  readonly path: string
  readonly body?: object
  readonly token?: string
  readonly headers?: Record<string, string>
}

/** What a request may be told while the same one is under way. */
export const STILL_RUNNING = 'A request with this Idempotency-Key is still running.'

export const TOKEN = '8e03978e-40d5-43e8-bc93-6894a57f9324'

export function ask(
  caller: Caller,
  { method = 'POST', path, body, token = TOKEN, headers = {} }: Repeatable,
): Promise<Answer> {
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

/** What an answer says, whichever request it answers. */
export function outcomeOf({ status, headers, text }: Answer) {
  return { status, location: headers.get('location'), etag: headers.get('etag'), text }
}

/** What the header says of an answer that was given before. */
export const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed')

/** A person who is added, under TOKEN unless another is given. */
export const ADA: Repeatable = { path: '/v1/personnel', body: ada }
