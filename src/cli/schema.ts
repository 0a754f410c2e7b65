import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { print, say } from './command.js'
import { writeDraft } from './draft.js'

export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the contracts: the GraphQL schema and the OpenAPI document')
    .addOption(
      new Option('--format <format>', 'which one to print')
        .choices(['graphql', 'openapi', 'limits'])
        .default('graphql'),
    )
    .option('--output <folder>', 'write both into this folder instead')
    .addHelpText('after', '\nExamples:\n  operations schema > schema.graphql\n  operations schema --output schema')
    .action(async (flags: { format: 'graphql' | 'openapi' | 'limits'; output?: string }) => {
      const { CONTRACTS, limitsPage } = await import('./contracts.js')
      if (flags.format === 'limits') return print(limitsPage().trimEnd())
      if (flags.output === undefined) {
        return print(CONTRACTS[flags.format === 'graphql' ? 'schema.graphql' : 'openapi.json']().trimEnd())
      }
      mkdirSync(flags.output, { recursive: true })
      for (const [name, contents] of Object.entries(CONTRACTS)) {
        const file = join(flags.output, name)
        writeDraft(file, 'Without --output, one of them is printed.', (to) => writeFileSync(to, contents()))
      }
      say(`Wrote ${Object.keys(CONTRACTS).join(' and ')} into ${flags.output}.`)
    })
}
