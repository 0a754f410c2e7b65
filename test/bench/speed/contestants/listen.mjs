/** Listens on a free port of loopback, and prints it for the parent process. */
export function listen(server) {
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`))
}

/** The argument from the bench: the store's file, or the response's file for the limit. */
export const [, , FILE = ''] = process.argv

export function bodyOf(request) {
  return new Promise((resolve, reject) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('error', reject)
    request.on('end', () => resolve((parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString()))
  })
}
