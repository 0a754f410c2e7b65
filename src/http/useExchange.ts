import type { IncomingMessage } from 'node:http'
import type { Plugin } from 'graphql-yoga'
import { adoptExchange, type Closing, closeExchange, type Exchange, exchangeOf, ownHeaders } from './exchange.js'
import { GUARDS, NO_CONTENT_POLICY } from './guards.js'
import { Content, isFinal, respond } from './represent.js'

interface ExchangeOptions extends Closing {
  /** Called before the headers go out, when nothing has changed since the caller last asked. */
  readonly onUnchanged: (exchange: Exchange) => void
  /** Called with every answer, in its final form. */
  readonly onAnswer: (exchange: Exchange, answer: Response) => void
}

/** Opens each request and closes it: its id, its headers, its line in the log. */
export function useExchange({ onUnchanged, onAnswer, ...closing }: ExchangeOptions): Plugin {
  return {
    onRequest({ request, serverContext }) {
      // Embedded behind another server's fetch there is none, and whoever embeds knows its callers.
      const { req } = Object(serverContext) as { req?: IncomingMessage }
      if (req) adoptExchange(request, req)
    },
    async onResponse({ request, response, setResponse }) {
      const exchange = exchangeOf(request)
      const answer = await finished(request, response)
      if (!answer.headers.has('cache-control')) answer.headers.set('cache-control', 'no-store')
      if (!answer.headers.has('content-security-policy')) {
        answer.headers.set('content-security-policy', NO_CONTENT_POLICY)
      }
      for (const [name, value] of Object.entries(GUARDS)) answer.headers.set(name, value)
      onAnswer(exchange, answer)
      if (answer.status === 304) onUnchanged(exchange)
      for (const [name, value] of Object.entries(ownHeaders(exchange))) answer.headers.set(name, value)
      setResponse(answer)
      const bytes = request.method === 'HEAD' ? 0 : Number(answer.headers.get('content-length') ?? 0)
      closeExchange(exchange, closing, { method: request.method, url: request.url, status: answer.status, bytes })
    },
  }
}

// Answers of Yoga and problems come here as they were made; the rest has its final form already.
async function finished(request: Request, response: Response): Promise<Response> {
  const type = response.headers.get('content-type')
  if (isFinal(response) || response.body === null || type === null) return response
  // Yoga's headers keep the case they were written in, and two cases would make two headers.
  const {
    'content-type': _,
    'content-length': __,
    ...headers
  } = Object.fromEntries([...response.headers].map(([name, value]) => [name.toLowerCase(), value]))
  const content = new Content(type, Buffer.from(await response.arrayBuffer()))
  return respond(request, content, { status: response.status, headers })
}
