import { Fault } from '../errors.js'
import { asFault } from '../graph/faults.js'
import type { Gate, Protocol } from './gate.js'
import { createGraphql } from './graphql/protocol.js'
import { logCause, type Received } from './observe/exchange.js'
import { createPages } from './pages/pages.js'
import { createRest } from './rest/handler.js'
import { didYouMean } from './rest/router.js'
import { problem } from './wire/problems.js'
import type { HttpRequest, HttpResponse } from './wire/request.js'

/** Every protocol. The pages are first, since some are below the paths of REST. */
export const PROTOCOLS: readonly ((gate: Gate) => Protocol)[] = [createPages, createGraphql, createRest]

/** A path that no protocol serves. */
const OUTSIDE = 'outside'

/** Gives each request to the protocol of its path. */
export function createRouter(gate: Gate, creators: typeof PROTOCOLS) {
  const { options, requireCredit } = gate
  const { log, basePath } = options
  const protocols = creators.map((create) => create(gate))
  const pathOf = ({ path }: HttpRequest) => (path.startsWith(basePath) ? path.slice(basePath.length) : OUTSIDE)
  const protocolAt = (path: string) => protocols.find(({ serves }) => serves(path))

  const refuse = (exchange: Received, fault: Fault): Promise<HttpResponse> => {
    exchange.record.refusal = fault
    logCause(log, exchange, fault)
    const { refuse: answer = problem } = protocolAt(pathOf(exchange.request)) ?? {}
    return answer(exchange, fault)
  }

  const handle = async (exchange: Received): Promise<HttpResponse> => {
    const { request, record } = exchange
    try {
      const path = pathOf(request)
      const protocol = protocolAt(path)
      if (protocol) return await protocol.handle(exchange, path)
      requireCredit(exchange)
      const hint = record.work.time('check', () => didYouMean(request.path, basePath))
      throw new Fault(
        'NOT_FOUND',
        `There is nothing at ${request.path}.${hint} GraphQL is at ${basePath}/graphql, REST below ${basePath}/v1.`,
      )
    } catch (error) {
      return refuse(exchange, asFault(error))
    }
  }

  return { handle, refuse }
}
