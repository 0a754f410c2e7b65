import { createHash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import {
  createResponseRoom,
  type IdempotentRequest,
  idempotencyRecord,
  replaceIdempotencyRecord,
  storeIdempotencyRecord,
  type Unrecorded,
  wasUnrecorded,
} from '../auth/idempotencyRecords.js'
import { grants, type Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import type { Context } from '../graph/builder.js'
import { faultOf } from '../graph/faults.js'
import { type Answer, type Around, answer, errorsOf, type RootAnswer } from '../graph/query/run.js'
import { includedBy, type Nodes, type Operation, rootFieldsIn, type Variables } from '../graph/query/selections.js'
import { LIMITS } from '../limits.js'
import type { Read, Write } from '../store/store.js'
import type { Identified } from './observe/exchange.js'
import type { HttpRequest } from './wire/request.js'

/** A mutation of any protocol; a REST request is one of a single root field. */
export interface Mutation {
  readonly operation: Operation
  readonly variables: Variables
  readonly context: Context
  /** What was sent to the path: a retry sends the same. */
  readonly sent: unknown
}

/** One with an Idempotency-Key, and the response keys of its root fields. */
interface KeyedMutation extends Mutation {
  readonly request: IdempotentRequest
  readonly keys: readonly string[]
}

/** The result of a root field in an idempotency record. */
interface RecordedField {
  readonly value: unknown
  /** Instead of a value that is too long. */
  readonly unrecorded?: Unrecorded
  readonly errors: readonly RecordedError[]
  /** The scopes that the key had: with fewer, it may not see all of the value. */
  readonly scopes: readonly Scope[]
}

interface RecordedError {
  readonly message: string
  readonly path: readonly (string | number)[]
  readonly positions: readonly number[]
  readonly extensions: Fault['extensions']
}

/**
 * Answers mutations; one with an Idempotency-Key may safely be sent again (docs/decisions/0008). The result of each root
 * field is recorded in the transaction that makes its change, so a retry replays the finished fields and makes the
 * other changes.
 */
export function createIdempotentMutations(basePath: string) {
  /** The running requests. Of this process only: against another one, the transaction checks the records again. */
  const running = new Set<string>()
  const hasRoom = createResponseRoom()

  /** Throws a 409 while another request with this Idempotency-Key is running. */
  const alone = async <T>({ keyId, token }: IdempotentRequest, work: () => Promise<T>): Promise<T> => {
    const name = `${keyId} ${token}`
    if (running.has(name)) throw new Fault('CONFLICT', 'A request with this Idempotency-Key is still running.')
    running.add(name)
    return work().finally(() => running.delete(name))
  }

  return async ({ request, headers }: Identified, mutation: Mutation): Promise<Answer> => {
    const { operation, variables, context } = mutation
    const keyed = keyedMutation(request, request.path.slice(basePath.length), mutation)
    if (!keyed) return answer(operation, variables, context)
    const recorded = await recordedFields(context.store.read, keyed)
    // A field that fails is no replay, and so neither is the response.
    let [fields, replayed] = [0, 0]
    const around: Around = async (key, nodes, change) => {
      fields += 1
      const before = recorded.get(key)
      const [answered, isReplay] = before
        ? [replay(keyed, key, nodes, before), true]
        : await changeOnce({ ...keyed, hasRoom }, key, nodes, change)
      if (isReplay) replayed += 1
      return answered
    }
    const run = () => answer(operation, variables, context, { around })
    const answered = await (keyed.keys.every((key) => recorded.has(key)) ? run() : alone(keyed.request, run))
    if (replayed > 0 && replayed === fields) headers['idempotency-replayed'] = 'true'
    return answered
  }
}

function keyedMutation(request: HttpRequest, path: string, mutation: Mutation): KeyedMutation | undefined {
  const token = tokenOf(request)
  if (token === undefined) return undefined
  const { operation, variables, context, sent } = mutation
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([request.method, path, sent ?? null]))
    .digest('base64url')
  const keys = [...rootFieldsIn(operation, includedBy(variables)).keys()]
  return { ...mutation, keys, request: { keyId: context.principal.keyId, token, fingerprint } }
}

const TOKEN = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.idempotencyKeyCharactersMax}}$`)

/** The Idempotency-Key of a request, if it has one. */
function tokenOf(request: HttpRequest): string | undefined {
  const given = request.header('idempotency-key')
  if (given === undefined) return undefined
  // The IETF draft defines a quoted string; many clients omit the quotes.
  const token = given.trim().replace(/^"(.*)"$/, '$1')
  if (TOKEN.test(token)) return token
  const form = `1 to ${LIMITS.idempotencyKeyCharactersMax} visible ASCII characters`
  throw new Fault('BAD_REQUEST', `The header Idempotency-Key must hold ${form}, such as a UUID.`)
}

/** The recorded fields of this request, by response key; throws if its Idempotency-Key belongs to a different request. */
async function recordedFields(
  read: Read,
  { context, request }: KeyedMutation,
): Promise<ReadonlyMap<string, RecordedField>> {
  const record = await idempotencyRecord(read, request, context.clock())
  if (!record) return new Map()
  if (record.fingerprint !== request.fingerprint) {
    const advice = 'Take a new one for a new request.'
    throw new Fault('VALIDATION_FAILED', `This Idempotency-Key was used for another request. ${advice}`)
  }
  // `changeOnce` has stored it.
  return new Map(JSON.parse(record.answer) as [string, RecordedField][])
}

/** Makes a change and records its result in one transaction; an error rolls both back. */
function changeOnce(
  mutation: KeyedMutation & { readonly hasRoom: ReturnType<typeof createResponseRoom> },
  key: string,
  nodes: Nodes,
  change: Parameters<Around>[2],
): Promise<[RootAnswer, isReplay: boolean]> {
  const { context, request, hasRoom } = mutation
  const { store, clock, principal } = context
  return store.write({ by: request.keyId, at: clock }, async (write) => {
    const done = await recordedFields(write, mutation)
    const meanwhile = done.get(key)
    if (meanwhile) return [replay(mutation, key, nodes, meanwhile), true]
    const answered = await change({ ...context, store: inside(write) })
    if (answered.result instanceof Fault) throw answered.result
    const value: unknown = JSON.parse(Buffer.concat(answered.result.json).toString())
    const { errors } = errorsOf({ roots: [answered] })
    const shown = { errors: errors.map(recordedError), scopes: [...principal.scopes] }
    const bytes = Buffer.byteLength(JSON.stringify([value, shown, ...done]))
    // Not the `id` of the response: a client may give another field this name.
    const unrecorded = { bytes, ...(answered.result.id !== undefined && { id: answered.result.id }) }
    const isKept = await hasRoom(write, request.keyId, bytes)
    const recorded = { ...shown, ...(isKept ? { value } : { value: null, unrecorded }) }
    const record = done.size > 0 ? replaceIdempotencyRecord : storeIdempotencyRecord
    await record(write, request, [...done, [key, recorded]])
    return [answered, false]
  })
}

/** The store inside a transaction: writes join the transaction, and reads see its changes. */
function inside(write: Write): Context['store'] {
  return { read: write, write: (_, work) => work(write) }
}

function recordedError(error: GraphQLError): RecordedError {
  const { message, extensions } = faultOf(error)
  return { message, extensions, path: error.path ?? [], positions: error.positions ?? [] }
}

function replay(
  mutation: KeyedMutation,
  key: string,
  nodes: Nodes,
  { value, unrecorded, errors, scopes }: RecordedField,
): RootAnswer {
  const requiredScope = scopes.find((scope) => !grants(mutation.context.principal.scopes, scope))
  if (requiredScope) {
    const sentence = `The recorded response needs the scope ${requiredScope}, which this key no longer has.`
    throw new Fault('INSUFFICIENT_SCOPE', sentence, { requiredScope })
  }
  if (unrecorded) throw wasUnrecorded(unrecorded)
  const source = nodes[0].loc?.source
  const asBefore = ({ message, path, positions, extensions }: RecordedError) => {
    const { code, errors: violations, ...facts } = extensions
    const originalError = new Fault(code, message, { ...facts, ...(violations && { violations }) })
    return new GraphQLError(message, { source, positions, path, originalError })
  }
  const { id } = Object(value) as { id?: string }
  const result = { json: [Buffer.from(JSON.stringify(value))], isThere: true, ...(id !== undefined && { id }) }
  return { key, nodes, result, refusals: [], errors: errors.map(asBefore) }
}
