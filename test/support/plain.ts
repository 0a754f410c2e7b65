import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Tests that are meaningless without the response cache and compiled queries, mostly because they test those. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'test/graphql/comparedTexts.test.ts': 'Counts what is folded, which execution coerces again.',
  'test/store/plans.test.ts': 'Reads the query plans of compiled statements.',
  'test/http/cache/sharing.test.ts': 'The response cache.',
  'test/http/negotiation.test.ts': 'Asks for which Accept headers compiled SQL answers.',
  'test/http/cache/hits.test.ts': 'The response cache.',
  'test/http/cache/newPerson.test.ts': 'The response cache.',
  'test/store/changeCounters.test.ts': 'The change counters that its entries depend on.',
  'test/compiled/mutations/ways.test.ts': 'Opens a service of each kind by itself.',
  'test/compiled/memory.test.ts': 'What is remembered of compiled queries.',
  'test/compiled/statements.test.ts': 'Counts the statements of a request, which are more where it is executed.',
  'test/store/store.test.ts': 'Calls the store itself.',
  'test/compiled/ways.test.ts': 'Opens a service of each kind by itself.',
}

const HARNESS = 'test/support/harness.ts'

const sources = new Map(sourcesIn('test').map((path) => [path, readFileSync(path, 'utf8')]))

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourcesIn(path)
    return path.endsWith('.ts') ? [path] : []
  })
}

/** Whether a file opens a service with the harness, or imports one that does. */
function opensService(path: string): boolean {
  if (path === HARNESS) return false
  const text = sources.get(path) ?? ''
  const imported = [...text.matchAll(/^(?:import \{|\}).* from '(\.[^']*)\.js'/gm)].map(([, specifier = '']) =>
    join(dirname(path), `${specifier}.ts`),
  )
  return /\bopen(Filled|Gateway|Office)\b/.test(text) || imported.some(opensService)
}

/** The tests outside these folders that run again without the response cache and without compiled queries. */
export function plainTests(otherFolders: readonly string[]): string[] {
  const isOther = (path: string) => otherFolders.some((folder) => path.startsWith(`test/${folder}/`))
  const tests = [...sources.keys()].filter((path) => path.endsWith('.test.ts') && !isOther(path))
  return tests.filter((path) => !(path in LEFT_OUT) && opensService(path))
}
