import { type Command, Option } from 'commander'
import { commandWith, print, WrongUsage, withStore } from './command.js'
import { readPast } from './durations.js'

const FORMATS = ['text', 'markdown', 'json'] as const

interface Flags {
  readonly since: string
  readonly until?: string
  readonly project?: string
  readonly format: (typeof FORMATS)[number]
  readonly database?: string
}

export function diffCommand(clock: () => Date): Command {
  return commandWith('diff', 'show which risks and issues have moved since then', ['database'])
    .requiredOption('--since <when>', 'the beginning: a day such as 2027-01-31, an instant, or 24h, 7d ago')
    .option('--until <when>', 'the end; everything recorded so far by default')
    .option('--project <keys>', 'only these projects, by key or id, separated by commas')
    .addOption(
      new Option('--format <format>', 'markdown for minutes, json as GET /v1/movements')
        .choices(FORMATS)
        .default('text'),
    )
    .addHelpText(
      'after',
      '\nThe net movement, not every edit: what went up and came back has not moved.\n\n' +
        'Examples:\n  operations diff --since 7d\n  operations diff --since 2026-10-01 --project APOLLO --format markdown',
    )
    .action(async (flags: Flags) => {
      const instantOf = (flag: string, text: string) => readPast(flag, text, clock()).toISOString()
      const since = instantOf('--since', flags.since)
      const until = flags.until === undefined ? undefined : instantOf('--until', flags.until)
      if (until !== undefined && until < since) throw new WrongUsage('--until must not be before --since.')
      const project = flags.project?.split(',').map((one) => one.trim())
      // Imported lazily: the other commands start faster without the API.
      const { bodyOf } = await import('../http/rest/handler.js')
      const body = await withStore(flags, { create: false }, (store) =>
        bodyOf('getMovements', { since, until, project }, { store, clock }),
      )
      await print(SHOWN[flags.format](JSON.parse(body)))
    })
}

const SHOWN = {
  text: asText,
  markdown: asMarkdown,
  json: (movements: Movements) => JSON.stringify(movements),
} as const

interface Entry {
  readonly reference: string
  readonly title: string
  readonly project: { readonly key: string }
  readonly movement: string
}

type Ends<Name extends string, V> = { readonly [End in `${Name}${'From' | 'To'}`]: V | null }
type RiskEntry = Entry & Ends<'score' | 'rank', number> & Ends<'level', string>
type IssueEntry = Entry & Ends<'severity' | 'due', string>

/** The body of `GET /v1/movements`, as far as it is shown in words. */
interface Movements {
  readonly since: string
  readonly until: string | null
  readonly counts: Readonly<Record<string, number>>
  readonly risks: readonly RiskEntry[]
  readonly issues: readonly IssueEntry[]
}

const HEADERS = ['Movement', 'Project', 'Reference', 'Title', 'From', 'To', 'Rank'] as const
const NONE = '-'

/** A line of the table: risks first, each list with its biggest movement first. */
const linesOf = ({ risks, issues }: Movements) => [...risks.map(riskLine), ...issues.map(issueLine)]

function riskLine(risk: RiskEntry): string[] {
  const state = (score: number | null, level: string | null) =>
    score === null ? NONE : `${score} ${level?.toLowerCase()}`
  const { scoreFrom, scoreTo, levelFrom, levelTo, rankFrom, rankTo } = risk
  const rank = `${rankFrom ?? NONE} → ${rankTo ?? NONE}`
  return [...placeOf(risk), state(scoreFrom, levelFrom), state(scoreTo, levelTo), rank]
}

function issueLine(issue: IssueEntry): string[] {
  const { movement, severityFrom, severityTo, dueFrom, dueTo } = issue
  const severities = [severityFrom, severityTo].map((one) => one?.toLowerCase() ?? NONE)
  return [...placeOf(issue), ...(movement === 'SLIPPED' ? [`due ${dueFrom}`, `due ${dueTo}`] : severities), '']
}

function placeOf({ movement, project: { key }, reference, title }: Entry): string[] {
  return [movement.toLowerCase(), key, ...[reference, title].map((text) => text.replaceAll(/\s+/g, ' '))]
}

/** Such as `since 2026-10-01: risks 1 new, ...`. */
function headingOf({ since, until, counts }: Movements): string {
  const count = (...names: string[]) => names.map((name) => `${counts[name]} ${name}`).join(', ')
  const period = until === null ? `since ${dayOf(since)}` : `from ${dayOf(since)} to ${dayOf(until)}`
  const risks = count('new', 'closed', 'up', 'down', 'unchanged')
  return `What moved ${period}: risks ${risks}; issues ${count('opened', 'resolved', 'worse', 'slipped')}`
}

/** The beginning of a day is shown as that day. */
function dayOf(instant: string): string {
  return instant.replace('T00:00:00.000Z', '')
}

function asText(movements: Movements): string {
  const lines = linesOf(movements)
  const heading = `${headingOf(movements)}.`
  if (lines.length === 0) return heading
  // The title is last, where it needs no room of its own.
  const table = [[...HEADERS], ...lines].map(([movement = '', project = '', reference = '', title = '', ...rest]) => [
    ...[movement, project, reference, ...rest],
    title,
  ])
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? []
  const padded = table.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [heading, '', ...padded].join('\n')
}

function asMarkdown(movements: Movements): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const lines = linesOf(movements).map((cells) => row(cells.map(plain)))
  const heading = `## ${headingOf(movements)}`
  if (lines.length === 0) return `${heading}\n\nNothing moved.`
  return [heading, '', row(HEADERS), row(HEADERS.map(() => '---')), ...lines].join('\n')
}

/** Text without a meaning in Markdown. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|~&]/g, '\\$&')
}
