import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { print, say } from './command.js'
import { writeOutput } from './outputFile.js'

/** The subgraph with its federation directives, the schema for clients, the OpenAPI document, and two pages of docs/. */
const FORMATS = ['graphql', 'api', 'openapi', 'limits', 'columns'] as const

const FILES = { graphql: 'schema.graphql', api: 'api.graphql', openapi: 'openapi.json' } as const

export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the contracts: the GraphQL schema (for gateways, or for clients) and the OpenAPI document')
    .addOption(new Option('--format <format>', 'which one to print').choices(FORMATS).default('graphql'))
    .option('--output <folder>', 'write the contracts into this folder instead')
    .addHelpText(
      'after',
      '\nExamples:\n  operations schema > schema.graphql\n  operations schema --format api > api.graphql\n  operations schema --output schema',
    )
    .action(async (flags: { format: (typeof FORMATS)[number]; output?: string }) => {
      const { columnsPage, CONTRACTS, limitsPage } = await import('./contracts.js')
      if (flags.format === 'limits') return print(limitsPage().trimEnd())
      if (flags.format === 'columns') return print(columnsPage().trimEnd())
      if (flags.output === undefined) return print(CONTRACTS[FILES[flags.format]]().trimEnd())
      mkdirSync(flags.output, { recursive: true })
      for (const [name, contents] of Object.entries(CONTRACTS)) {
        const file = join(flags.output, name)
        await writeOutput(file, 'Leave out --output to print one of them.', (output) => output.writeFile(contents()))
      }
      say(`Wrote ${Object.keys(CONTRACTS).join(', ')} into ${flags.output}.`)
    })
}
