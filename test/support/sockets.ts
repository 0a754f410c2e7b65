import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { bytesOf, type Sent, type Talk, talk } from '../hostile/support/wire.js'

/** A server that listens on loopback until the test is over. */
export async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A connection that has sent this text, and is paused. */
export async function dial(port: number, bytes: string | Buffer = '', localAddress?: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', ...(localAddress && { localAddress }) })
  socket.on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'connect')
  socket.pause()
  if (bytes.length > 0) socket.write(bytes)
  return socket
}

/** The header of a request. */
export function head(line: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Sends one request over a connection of its own. */
export function exchange(port: number, sent: Sent): Promise<Talk> {
  return talk(port, { bytes: bytesOf(sent) })
}

/** A request for the largest file of this server: the script of GraphiQL, of several megabytes. */
export async function largeFile(port: number): Promise<string> {
  const page = await fetch(`http://127.0.0.1:${port}/graphql`, { headers: { accept: 'text/html' } })
  const [path] = /\/assets\/graphiql-\w+\/graphiql\.js/.exec(await page.text()) ?? []
  if (!path) throw new Error('GraphiQL has no script.')
  return head(`GET ${path}`, {})
}

/** Waits until the condition holds, with time for a busy machine. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (await isSo()) return
    await sleep(20)
  }
  throw new Error('It did not come about.')
}
