import { type DestinationStream, type Logger, pino } from 'pino'

/** JSON lines for machines; on a terminal the same in words. */
export function createLog(level: string, stream: NodeJS.WriteStream): Logger {
  // A log that cannot be written is no reason to stop serving.
  stream.on('error', () => undefined)
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream.isTTY ? inWords(stream) : stream)
}

const ERROR = 50

interface Line {
  readonly time: string
  readonly level: number
  readonly msg: string
  readonly err?: { readonly stack?: string }
  readonly [member: string]: unknown
}

function inWords(stream: NodeJS.WriteStream): DestinationStream {
  return {
    write(text) {
      const { time, level, msg, err, ...rest } = JSON.parse(text) as Line
      const facts = Object.entries(rest).map(([name, value]) => `${name}=${String(value)}`)
      const severity = level >= ERROR ? 'ERROR ' : ''
      stream.write(`${time.slice(11, 19)} ${severity}${msg} ${facts.join(' ')}${err?.stack ? `\n${err.stack}` : ''}\n`)
    },
  }
}
