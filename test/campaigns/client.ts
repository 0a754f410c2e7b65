import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface ClientResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | undefined
}

/** A client with keep-alive connections. */
export class Client {
  readonly agent: Agent
  origin: string
  private readonly key: string | undefined

  constructor(origin: string, key: string | undefined, connectionsMax: number) {
    this.origin = origin
    this.key = key
    this.agent = new Agent({ keepAlive: true, maxSockets: connectionsMax })
  }

  /** Rejects without a complete response; the error says whether the connection had been used before. */
  request(path: string, { method = 'GET', headers = {}, body }: RequestOptions = {}): Promise<ClientResponse> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.origin}${path}`, {
        method,
        agent: this.agent,
        timeout: 30_000,
        headers: {
          ...(this.key && { authorization: `Bearer ${this.key}` }),
          ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      })
      sent.on('timeout', () => sent.destroy(new Error('No answer within 30 s.')))
      sent.on('error', (error) => reject(Object.assign(error, { isReused: sent.reusedSocket })))
      sent.on('response', (response) => {
        const parts: Buffer[] = []
        response.on('data', (part) => parts.push(part))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(parts).toString(),
          }),
        )
      })
      sent.end(body)
    })
  }

  close(): void {
    this.agent.destroy()
  }
}

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
