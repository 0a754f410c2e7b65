import type { Command } from 'commander'
import { type Flags as AllFlags, type Config, MEGABYTE, readConfig, SETTINGS } from '../config.js'
import { Fault } from '../errors.js'
import { namesOf } from '../fields.js'
import type { RequestRecord } from '../http/observe/exchange.js'
import { withoutValues } from '../store/faults.js'
import { openStore } from '../store/open.js'
import type { StatementRun, Store } from '../store/store.js'
import { CommandFailed, commandWith, print } from './command.js'

type Flags = AllFlags & { readonly variables?: string; readonly json?: true }

export function explainCommand(clock: () => Date): Command {
  return commandWith('explain', 'show the SQL statements of a request, and their plans', ['database', 'readWorkers'])
    .argument('<request>', 'a GraphQL query, or a path such as /v1/risks?limit=50')
    .option('--variables <json>', 'the variables of the query')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nIt reads as the operator, who may read everything, and changes nothing. No value is printed.\n\n' +
        "Examples:\n  operations explain '/v1/risks?project=APOLLO&limit=50'\n" +
        "  operations explain '{ risks(first: 5) { nodes { title owner { name } } } }'",
    )
    .action(async (given: string, flags: Flags) => {
      const config = readConfig(flags, namesOf(SETTINGS))
      const request = requestOf(given, flags.variables, config)
      const store = await openStore(config.database, { ...config, migrate: false })
      const { errors, ...explained } = await explain(request, config, store, clock).finally(() => store.close())
      const hasRun = errors.length === 0 || explained.statements.length > 0
      if (hasRun) await print(flags.json ? JSON.stringify(explained) : asText(explained))
      if (errors.length > 0) throw new CommandFailed(errors.join('\n'))
    })
}

function requestOf(given: string, variables: string | undefined, { basePath }: Config): Request {
  if (given.startsWith('/')) return new Request(`http://localhost${given}`)
  // The variables as they are: what is wrong with them is answered as to any caller.
  const body = `{"query":${JSON.stringify(given)},"variables":${variables ?? null}}`
  const headers = { 'content-type': 'application/json' }
  return new Request(`http://localhost${basePath}/graphql`, { method: 'POST', headers, body })
}

interface Explained {
  /** The cost that was foreseen, for the rate limit; 0 if it was refused before. */
  readonly cost: number
  readonly statements: readonly (StatementRun & { readonly plan: readonly string[] })[]
}

/** Runs a request as the operator, without the response cache, on a store that refuses every write. */
async function explain(request: Request, config: Config, store: Store, clock: () => Date) {
  // Imported lazily: the other commands start faster without the API.
  const [{ SILENT }, { createApp }, { OPERATOR }] = await Promise.all([
    import('../http/observe/log.js'),
    import('../http/app.js'),
    import('../http/rest/handler.js'),
  ])
  const runs: { readonly run: StatementRun; readonly values: readonly unknown[] }[] = []
  const onStatement = (run: StatementRun, values: readonly unknown[]) => void runs.push({ run, values })
  const write = () => Promise.reject(new Fault('BAD_REQUEST', 'Only what reads can be explained: this changes data.'))
  let record: Pick<RequestRecord, 'cost' | 'refusal'> = { cost: 0 }
  const app = createApp({
    ...config,
    ...{ clock, ratePerMinute: 0, responseCacheBytesMax: 0, callerOf: async () => OPERATOR },
    inFlightBytesMax: config.inFlightMegabytes * MEGABYTE,
    responseBytesMax: config.responseMegabytes * MEGABYTE,
    log: SILENT,
    store: { ...store, write, reading: (readership) => store.reading({ ...readership, onStatement }) },
    onFinished: (exchange) => {
      record = exchange.record
    },
  })
  const response = await app.fetch(request)
  const { cost, refusal } = record
  if (refusal?.code === 'INTERNAL') throw withoutValues(refusal.cause)
  const errors = refusal ? sentencesOf(await response.json()) : []
  const statements: Explained['statements'][number][] = []
  for (const { run, values } of runs) statements.push({ ...run, plan: await store.planOf({ text: run.text, values }) })
  return { cost, statements, errors }
}

/** The sentences of a problem of REST, or of the errors of GraphQL. */
function sentencesOf(body: { detail?: string; errors?: { message: string }[] }): string[] {
  return body.detail === undefined ? (body.errors ?? []).map(({ message }) => message) : [body.detail]
}

function asText({ cost, statements }: Explained): string {
  const shown = statements.map(({ text, where, ms, waitedMs, rows, plan }, index) => {
    const heading = `${index + 1}. ${where}: ${ms.toFixed(1)} ms, waited ${waitedMs.toFixed(1)} ms, rows: ${rows}`
    return [heading, text, ...plan.map((line) => `    ${line}`)].join('\n')
  })
  return [`Foreseen cost: ${cost}. Statements: ${statements.length}.`, ...shown].join('\n\n')
}
