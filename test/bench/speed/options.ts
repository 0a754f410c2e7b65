import { parseArgs } from 'node:util'

/** The workloads and other measurements, by their names on the command line. */
export const PARTS = ['W1', 'W2', 'W3', 'W4', 'W5', 'W6', 'W7', 'W8', 'W9', 'W10', 'start', 'growth'] as const
export type Part = (typeof PARTS)[number]

/** The warm-up of a server before it is measured, for the JIT compiler. */
export interface WarmUp {
  readonly msMin: number
  /** With fewer, the figures would include code that is not compiled yet, and growing connections. */
  readonly answers: number
}

export interface Options {
  readonly rounds: number
  readonly seconds: number
  readonly warmUp: WarmUp
  readonly parts: ReadonlySet<Part>
  readonly growthRows: readonly number[]
  /** The folder for the report; undefined if the run is too short or incomplete to be published. */
  readonly saveTo: string | undefined
  readonly date: string
}

const HELP = `The speed bench: the gateway and its alternatives, measured in one run.

  npm run bench -- speed [--rounds 3] [--seconds 3] [--only W1,W6,W10,start,growth] [--quick] [--save DIR] [--date YYYY-MM-DD]

A full run writes performance.md and performance.svg into docs; one with --only or --quick only with --save.`

const FULL = {
  ...{ rounds: 3, seconds: 3, warmUp: { msMin: 2_000, answers: 3_000 } },
  growthRows: [1_000, 10_000, 100_000, 1_000_000],
}
const QUICK = {
  ...{ rounds: 1, seconds: 0.5, warmUp: { msMin: 1_500, answers: 1_500 } },
  growthRows: [1_000, 10_000, 100_000],
}

/** Undefined if only the help was printed. */
export function readOptions(args: readonly string[], docs: string): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      save: { type: 'string' },
      date: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return undefined
  }
  const defaults = values.quick ? QUICK : FULL
  const isWhole = !values.quick && values.only === undefined
  return {
    rounds: positive('--rounds', values.rounds, defaults.rounds),
    seconds: positive('--seconds', values.seconds, defaults.seconds),
    warmUp: defaults.warmUp,
    parts: new Set(values.only === undefined ? PARTS : values.only.split(',').map(readPart)),
    growthRows: defaults.growthRows,
    saveTo: values.save ?? (isWhole ? docs : undefined),
    date: values.date ?? new Date().toISOString().slice(0, 10),
  }
}

function positive(flag: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new Error(`${flag} is ${JSON.stringify(text)}; it must be a number above 0.`)
}

function readPart(text: string): Part {
  const part = PARTS.find((one) => one === text.trim())
  if (part) return part
  throw new Error(`--only names ${JSON.stringify(text)}; there are ${PARTS.join(', ')}.`)
}
