import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a server that can be broken in the ways in which networks break. */
export interface Proxy {
  /** The address of a database behind it. */
  url(database: string): string
  /** Where connections lead from now on. */
  target: number
  /** Nothing passes any more in either direction, and nobody is told: a host that is lost. */
  freeze(): void
  /** What is new passes again; what was open stays silent, as after a firewall has forgotten it. */
  thaw(): void
  /** Ends every connection. */
  cut(): void
  /** Told of every piece that the client sends; if it answers true, the piece still passes and then all is cut. */
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
      // By then the server has read it and answers; the answer is lost.
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
