import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { parseAst } from 'vite'
import { expect, test, vi } from 'vitest'

const SRC = new URL('../../src/', import.meta.url)
const RECORD = new URL('expressions.txt', import.meta.url)

/** Expressions that are built from text: the call, and what it builds. */
const BUILT: Readonly<Record<string, string>> = {
  'ids.ts: new RegExp(`^[0-7][${CROCKFORD}]{25}$`)': '/^[0-7][0-9a-hjkmnp-tv-z]{25}$/',
  'text.ts: new RegExp(CONTROL, "gu")': '/[\\p{Cc}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]/gu',
  'ingest/files/days.ts: new RegExp(`^${source}${end}`, "iu")':
    '/^(?<day>\\d\\d?)\\. (?<month>[\\p{L}\\p{M}]+\\.?) (?<year>\\d\\d)(?!\\d)/iu',
  'http/idempotency.ts: new RegExp(`^[\\\\x21-\\\\x7e]{1,${LIMITS.idempotencyKeyCharactersMax}}$`)':
    '/^[\\x21-\\x7e]{1,255}$/',
  'http/rest/handler.ts: new RegExp(String.raw`^[\\s,]*${TAG}(?:\\s*,[\\s,]*${TAG})*[\\s,]*$`)':
    '/^[\\s,]*(?:W\\/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"(?:\\s*,[\\s,]*(?:W\\/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*")*[\\s,]*$/',
  'http/rest/handler.ts: new RegExp(TAG, "g")': '/(?:W\\/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"/g',
  'http/rest/router.ts: new RegExp(`^${path.replaceAll(".", "\\\\.").replace(/\\{(\\w+)\\}/g, "(?<$1>[^/]+)")}$`)':
    '/^\\/v1\\/groups\\/(?<id>[^/]+)\\/members\\/(?<personId>[^/]+)$/',
}

/** Expressions that are not proven to be linear: the bound of the text that they are used on, or why they are. */
const JUSTIFIED: Readonly<Record<string, string>> = {
  'cli/import/command.ts: /, (?=\\w+$)/': 'The names of our own options; no word is read twice.',
  'config.ts: /^(\\/(?!\\.+(\\/|$))[\\w.~-]+)*\\/?$/':
    'A setting of the operator; looks ahead as far as the dots of a step.',
  'http/pages/graphiqlWorker.ts: /@font-face\\{[^}]*unicode-range:(?!U\\+0000)[^}]*\\}/g':
    'The style sheet of a package, in a worker.',
  "csv.ts: /(?<=^|[,;\\t\\r\\n])'(?='*[=+\\-@\\t\\r＝＋－＠])/g":
    'Starts at a separator, and looks ahead as far as the quotes after it.',
  "csv.ts: /(?<=^|[,;\\t\\r\\n])(?='*[=+\\-@\\t\\r＝＋－＠])/g":
    'Starts at a separator, and looks ahead as far as the quotes after it.',
  "csv.ts: /(^|[,;\\t\\r\\n])(?='*[=+\\-@\\t\\r＝＋－＠])/":
    'Starts at a separator, and looks ahead as far as the quotes after it.',
  'ingest/files/days.ts: /^(?<day>\\d\\d?)\\. (?<month>[\\p{L}\\p{M}]+\\.?) (?<year>\\d\\d)(?!\\d)/iu':
    'Starts at the beginning alone, and looks one character ahead.',
  'ingest/files/guess/dates.ts: /^(\\p{L}+)(\\.?) \\d{1,2}(,? )\\d{4}(?!\\d)/u':
    'Starts at the beginning alone, and looks one character ahead.',
  'ingest/files/guess/dates.ts: /^\\d{1,2}(\\.?[ /-])(\\p{L}+)(\\.?)(,?[ /-])(\\d{4}|\\d{2})(?!\\d)/u':
    'Starts at the beginning alone, and looks one character ahead.',
  'ingest/files/guess/headings.ts: /(?:\\/|out of|von|sur|de|z)\\s*(3|4|5|10|100)(?!\\d)/iu':
    'No blanks are read twice, and it looks one character ahead.',
  'ingest/files/guess/headings.ts: /(?<![\\d.])([01])(?:\\s*(?:[-–—~]|to|bis|do|à|a|至|\\.{2,3})\\s*|\\s+(?=\\d+\\s*$))(3|4|5|6|7|10|100)(?!\\d)/iu':
    'Blanks and digits are read from the digit before them alone.',
  'ingest/files/outline.ts: /^(?:(?:grand|sub|overall)[\\s-]*)?(?:totals?|sum|average|mean|count|summe|gesamt|gesamtsumme|durchschnitt|somme|moyenne|suma|promedio|soma|média|razem|średnia|合计|总计|平均)(?:\\s+(?:of|number|risks?|issues?|scores?|points|exposure|cost|costs|rating|général|open|:))*\\s*:?$/iu':
    'Starts at the beginning alone; blanks that no word follows are read twice.',
  'ingest/files/workbook/numberFormats.ts: /"[^"]*"|\\\\.|_.|\\*.|\\[(?!h+\\]|m+\\]|s+\\])[^\\][]*\\]|am\\/pm|a\\/p/gi':
    'At most `FORMAT_CHARACTERS_MAX`: 1,000 characters.',
  'web/graphiql/main.ts: /("Authorization"\\s*:\\s*"Bearer )([^"]*)(?=")/i':
    'What a person typed into their own browser.',
}

interface Expression {
  readonly file: string
  /** As in `/a+b/g`; of a call of `RegExp`, what `BUILT` says that it builds. */
  readonly literal: string | undefined
  readonly code: string
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const found = sources.sort().flatMap(expressionsIn)

/** From the syntax tree: in the text, a division or a comment may look like an expression. */
function expressionsIn(file: string): Expression[] {
  const { code } = transformSync(readFileSync(new URL(file, SRC), 'utf8'), { loader: 'ts', target: 'esnext' })
  return [...nodesOf(parseAst(code))].flatMap((node) => {
    const own = `${file}: ${code.slice(node.start, node.end)}`
    if (node.regex) return [{ file, literal: `/${node.regex.pattern}/${node.regex.flags}`, code: own }]
    return node.callee?.name === 'RegExp' ? [{ file, literal: BUILT[own], code: own }] : []
  })
}

/** The members that are of interest here. */
interface SyntaxNode {
  readonly start?: number
  readonly end?: number
  readonly regex?: { readonly pattern: string; readonly flags: string }
  readonly callee?: { readonly name?: string }
}

function* nodesOf(value: unknown): Generator<SyntaxNode> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value
  for (const one of Object.values(value)) yield* nodesOf(one)
}

/** What the checkers said of an expression: proving it takes seconds, so the verdict is kept until it changes. */
const recorded = new Map(
  (existsSync(RECORD) ? readFileSync(RECORD, 'utf8') : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(line.indexOf('/')), line.slice(0, line.indexOf(' '))]),
)

const PROOF_MS = 60_000

/** `unproven` with look-around, back references or long repeats, which the proof does not cover. */
async function verdictOf(literal: string): Promise<string> {
  const end = literal.lastIndexOf('/')
  const [source, flags] = [literal.slice(1, end), literal.slice(end + 1)]
  // The build in JavaScript: the others need Java, or exist for some processors only.
  vi.stubEnv('RECHECK_BACKEND', 'pure')
  const { checkSync } = await import('recheck')
  const { status } = checkSync(source, flags, { checker: 'automaton', timeout: PROOF_MS })
  if (status !== 'unknown') return status === 'safe' ? 'linear' : 'super-linear'
  const { analyse } = await import('scslre')
  return analyse(new RegExp(source, flags)).reports.length > 0 ? 'super-linear' : 'unproven'
}

test('each call of RegExp is listed with what it builds', () => {
  const calls = found.filter(({ code }) => /\bRegExp\(/.test(code)).map(({ code }) => code)
  expect(calls.sort()).toEqual(Object.keys(BUILT).sort())
})

test('expressions.txt has a verdict on each expression (vitest -u for a new one)', async () => {
  const lines: string[] = []
  for (const literal of new Set(found.flatMap(({ literal }) => literal ?? []))) {
    lines.push(`${recorded.get(literal) ?? (await verdictOf(literal))} ${literal}`)
  }
  await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot(fileURLToPath(RECORD))
}, 1_800_000)

test('an expression that is not proven to be linear is used on a text of bounded length, or justified', () => {
  const doubtful = found.filter(({ literal = '' }) => recorded.get(literal) !== 'linear')
  expect(doubtful.map(({ file, literal }) => `${file}: ${literal}`).sort()).toEqual(Object.keys(JUSTIFIED).sort())
})
