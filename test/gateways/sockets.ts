import { createServer, type RequestListener } from 'node:http'

/** Serves on a free port until the given hook; returns its origin. */
export async function listen(listener: RequestListener, atEnd: (close: () => void) => void): Promise<string> {
  const server = createServer(listener)
  atEnd(() => {
    server.close()
    // Clients and gateways keep their connections alive.
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('There is no port.')
  return `http://127.0.0.1:${address.port}`
}
