import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that simulates network failures. */
export interface Proxy {
  /** The address of a database behind it. */
  url(database: string): string
  /** The target of new connections. */
  target: number
  /** Drops all data in both directions without closing, like a lost host. */
  freeze(): void
  /** Forwards new connections again; open ones stay silent, as after a firewall lost its state. */
  thaw(): void
  /** Ends every connection. */
  cut(): void
  /** Called with every chunk from the client; if it returns true, the chunk is forwarded and then all is cut. */
  onSent: (bytes: Buffer) => boolean
  close(): void
}

export async function newProxy(target: number): Promise<Proxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(proxy.target, '127.0.0.1')
    const pair = [near, far] as const
    const wasMadeFrozen = isFrozen
    if (wasMadeFrozen) for (const socket of pair) socket.pause()
    pairs.add(pair)
    near.on('data', (bytes) => {
      far.write(bytes)
      // By then the server has read it; its response is lost.
      if (proxy.onSent(bytes)) {
        far.removeAllListeners('data')
        far.once('data', () => proxy.cut())
      }
    })
    far.on('data', (bytes) => near.write(bytes))
    const end = () => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    for (const socket of pair) {
      if (wasMadeFrozen) socket.pause()
      socket.on('error', end).on('close', end)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const proxy: Proxy = {
    target,
    url: (database) => `postgres://operations@127.0.0.1:${port}/${database}`,
    freeze() {
      isFrozen = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    thaw() {
      isFrozen = false
    },
    cut() {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
    },
    onSent: () => false,
    close() {
      proxy.cut()
      server.close()
    },
  }
  return proxy
}
