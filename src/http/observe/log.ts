import { type DestinationStream, type Logger, pino } from 'pino'
import { withoutValues } from '../../store/faults.js'
import { escaped, escapedLine } from '../../text.js'

/** Output that waits for its reader; beyond it lines are dropped and counted. */
const WAITING_BYTES_MAX = 8_000_000

/** Lines that are written together. */
const TOGETHER_CHARACTERS_MAX = 64_000

/** A log that nobody reads. */
export const SILENT: Logger = pino({ level: 'silent' })

/** Logs JSON lines, which `flush` writes before the process ends; on a terminal, readable text. */
export function createLog(level: string, stream: NodeJS.WriteStream): Logger {
  // Without a listener, an `error` of the stream would end the process.
  stream.on('error', () => undefined)
  const bounded = boundedTo(WAITING_BYTES_MAX, stream)
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error) => pino.stdSerializers.err(withoutValues(error)) },
    },
    stream.isTTY ? readableLog(bounded) : bounded,
  )
}

/** Pino's `flush` calls that of its stream. */
interface LogStream extends DestinationStream {
  flush(): void
}

/**
 * Writes the lines of one turn of the event loop together: a write each took longer than a cached response. Drops and
 * counts lines while the reader of the log stalls, so that pending ones cannot fill the memory.
 */
function boundedTo(bytesMax: number, stream: NodeJS.WriteStream): LogStream {
  let lost = 0
  let pending = ''
  const flush = () => {
    if (pending !== '') stream.write(pending)
    pending = ''
  }
  return {
    write(text) {
      if (stream.writableLength > bytesMax) {
        lost += 1
        return
      }
      if (pending === '') setImmediate(flush)
      if (lost > 0) pending += `${JSON.stringify({ level: WARN, time: new Date(), lost, msg: 'lines were lost' })}\n`
      lost = 0
      pending += text
      if (pending.length > TOGETHER_CHARACTERS_MAX) flush()
    },
    flush,
  }
}

const WARN = 40
const ERROR = 50

interface Line {
  readonly time: string
  readonly level: number
  readonly msg: string
  readonly err?: { readonly stack?: string }
  readonly [member: string]: unknown
}

function readableLog(stream: LogStream): LogStream {
  return {
    ...stream,
    write(text) {
      const { time, level, msg, err, ...rest } = JSON.parse(text) as Line
      const facts = Object.entries(rest).map(
        ([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
      )
      const severity = level >= ERROR ? 'ERROR ' : ''
      const line = escapedLine(`${time.slice(11, 19)} ${severity}${msg} ${facts.join(' ')}`)
      stream.write(`${line}${err?.stack ? `\n${escaped(err.stack)}` : ''}\n`)
    },
  }
}
