import { escapedLine } from '../text.js'

const WIDTH = 30
const EVERY_MS = 100

/** A progress bar on a terminal; nothing in a pipe. */
export function progressBar(label: string, total: number, stream: NodeJS.WriteStream = process.stderr) {
  let shownAt = 0
  return {
    show(done: number, outOf = total): void {
      const now = performance.now()
      if (!stream.isTTY || now - shownAt < EVERY_MS) return
      shownAt = now
      const filled = Math.round((WIDTH * done) / Math.max(outOf, 1))
      const bar = '#'.repeat(filled).padEnd(WIDTH, '.')
      stream.write(`\r${escapedLine(label)} [${bar}] ${done.toLocaleString('en')} of ${outOf.toLocaleString('en')}`)
    },
    clear(): void {
      if (stream.isTTY && shownAt > 0) stream.write('\r\x1b[K')
    },
  }
}
