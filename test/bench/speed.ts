/**
 * The speed bench: the gateway and its alternatives, measured in one run on loopback.
 *
 *   npm run bench -- speed [--help]
 */
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONTESTANTS } from './speed/contestants.js'
import { COMPANY, type Filled, fill } from './speed/data.js'
import { measureCrowd } from './speed/measurements/crowd.js'
import { checkEquality, referenceAnswers } from './speed/measurements/equality.js'
import { measureGrowth } from './speed/measurements/growth.js'
import { type Figures, measureAll } from './speed/measurements/rounds.js'
import { measureStartup } from './speed/measurements/startup.js'
import { type Options, readOptions } from './speed/options.js'
import { print, save } from './speed/results/report.js'
import { graphWorksOn } from './speed/workloads/graphql.js'
import { type Work, worksOn } from './speed/workloads/workloads.js'

const HERE = fileURLToPath(new URL('./speed', import.meta.url))
const DOCS = fileURLToPath(new URL('../../docs', import.meta.url))

const options = readOptions(process.argv.slice(2), DOCS)
if (options) {
  const { parts, rounds } = options
  console.error('Filling the store.')
  const filled = fill(COMPANY)
  const works = [...worksOn(filled), ...graphWorksOn(filled)].filter(({ part }) => parts.has(part))
  if (works.length > 0 && !isInstalled()) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: HERE, stdio: 'inherit' })
  }
  const results = {
    works,
    figures: works.length > 0 ? await compareAndMeasure(filled, works, options) : new Map(),
    crowd: parts.has('W10') ? await measureCrowd(filled, options) : undefined,
    startup: parts.has('start') ? await measureStartup(filled, rounds) : undefined,
    growth: parts.has('growth') ? await measureGrowth(options) : [],
  }
  print(results, options)
  if (options.saveTo) save(options.saveTo, results, options)
}

/** The contestants' packages are not part of the product: they are installed here, once for each lock file. */
function isInstalled(): boolean {
  const changedAt = (file: string) => statSync(join(HERE, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return changedAt('node_modules/.package-lock.json') > changedAt('package-lock.json')
}

async function compareAndMeasure(filled: Filled, works: readonly Work[], options: Options): Promise<Figures> {
  console.error(`Comparing the responses of ${CONTESTANTS.length} contestants.`)
  const answers = await referenceAnswers(filled, works)
  await checkEquality(filled, works, answers)
  return measureAll(filled, works, answers, options)
}
