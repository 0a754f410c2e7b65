import { workerData } from 'node:worker_threads'
import pg from 'pg'

// Runs SQL for a blocked thread, so that tests can query PostgreSQL synchronously, as with SQLite.
const { port, signal } = workerData
const clients = new Map()

async function clientOf(url) {
  const known = clients.get(url)
  if (known) return known
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: parserOf } })
  client.on('error', () => undefined)
  client.on('end', () => clients.delete(url))
  await client.connect()
  clients.set(url, client)
  return client
}

// Whole numbers as numbers, however long.
function parserOf(oid, format) {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)
}

async function answer({ url, sql, values, rowMode, isLast }) {
  if (isLast) return { rows: await clients.get(url)?.end() }
  const client = await clientOf(url)
  const result = await client.query(values ? { text: sql, values, rowMode } : { text: sql, rowMode })
  return { rows: [result].flat().at(-1).rows }
}

port.on('message', async (message) => {
  let answered
  try {
    answered = await answer(message)
  } catch (error) {
    answered = { failure: error.message, code: error.code }
  }
  port.postMessage(answered)
  Atomics.store(signal, 0, 1)
  Atomics.notify(signal, 0)
})
