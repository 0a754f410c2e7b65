/** Listens on a free port of loopback, and tells it to whoever started this process. */
export function listen(server) {
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`))
}

/** What the bench hands over: the store's file, or for the limit the ready answer's. */
export const [, , FILE = ''] = process.argv

/** The whole body of a request. */
export function bodyOf(request) {
  return new Promise((resolve, reject) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('error', reject)
    request.on('end', () => resolve((parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString()))
  })
}
