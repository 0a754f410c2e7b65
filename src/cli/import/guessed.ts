import type { Guess } from '../../ingest/files/guess/guess.js'
import { escapedLine } from '../../text.js'

const SAMPLE_CHARACTERS = 40

/** The guessed columns of a file, in words; printed before anything is stored. */
export function guessInWords(file: string, { columns, kept, ignored, notes }: Guess): string {
  const taken = columns.map(({ column, field, samples, how }) => {
    const shown = samples.map((sample) => JSON.stringify(shortened(sample))).join(', ')
    return `${oneLine(column)} → ${field}${shown && `: ${shown}`}${how === undefined ? '' : ` (${how})`}`
  })
  const left = ignored.map(({ column, why }) => `${oneLine(column)} (${why})`)
  const lines = [
    ...taken,
    ...(kept.length > 0 ? [`kept in details: ${kept.join('; ')}`] : []),
    ...(left.length > 0 ? [`ignored: ${left.join('; ')}`] : []),
    ...notes,
  ]
  const heading = `${file}: The columns were guessed. --map takes your own map, --suggest-map prints this one, --strict takes exact names only.`
  return [heading, ...lines.map((line) => `  ${line}`)].map(escapedLine).join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

function shortened(text: string): string {
  const line = oneLine(text)
  return line.length > SAMPLE_CHARACTERS ? `${line.slice(0, SAMPLE_CHARACTERS)}…` : line
}
