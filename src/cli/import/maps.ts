import { Command } from 'commander'
import { Fault } from '../../errors.js'
import { forgetMap, sourceMaps } from '../../ingest/sourceMaps.js'
import { escapedLine } from '../../text.js'
import { pluralNamed } from '../../vocabulary.js'
import { commandWith, type JsonFlags, print, say, WrongUsage, withStore } from '../command.js'

/** The maps that imports of sources were accepted with. */
export function mapsCommand(clock: () => Date): Command {
  return new Command('maps')
    .description('list, show and forget the maps that imports were accepted with')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(forgetCommand(clock))
}

function listCommand(): Command {
  return commandWith('list', 'list the sources, and since when each map is accepted', ['database'])
    .option('--json', 'print one JSON document')
    .action(async (flags: JsonFlags) => {
      const all = await withStore(flags, { create: false }, ({ read }) => sourceMaps(read))
      const shown = all.map(({ source, noun, acceptedAt, headings }) => ({
        ...{ source, noun, acceptedAt },
        headings: JSON.parse(headings) as string[],
      }))
      if (flags.json) return print(JSON.stringify(shown, null, 2))
      if (all.length === 0) return say('There are no maps yet: the first import of a sheet stores one.')
      const line = (one: (typeof shown)[number]) =>
        `${one.source}  ${one.noun}  accepted ${one.acceptedAt}  ${one.headings.length} columns`
      return print(shown.map((one) => escapedLine(line(one))).join('\n'))
    })
}

function showCommand(): Command {
  return commandWith('show', 'print the map of a source, as a file for --map', ['database'])
    .argument('<source>', 'the source')
    .argument('[noun]', 'what it has, if it has several nouns')
    .action(async (source: string, noun: string | undefined, flags: JsonFlags) => {
      const { map } = await found(source, noun, flags)
      return print(map.trimEnd())
    })
}

function forgetCommand(clock: () => Date): Command {
  return commandWith('forget', 'forget the map of a source: the next import is guessed anew', ['database'])
    .argument('<source>', 'the source')
    .argument('[noun]', 'what it has, if it has several nouns')
    .action(async (source: string, noun: string | undefined, flags: JsonFlags) => {
      const map = await found(source, noun, flags)
      await withStore(flags, { create: false }, (store) =>
        store.write({ by: 'cli', at: clock }, (write) => forgetMap(write, source, map.noun)),
      )
      say(escapedLine(`The map of ${source} for ${map.noun} is forgotten.`))
    })
}

async function found(source: string, named: string | undefined, flags: JsonFlags) {
  const noun = named === undefined ? undefined : pluralNamed(named)
  if (named !== undefined && noun === undefined) throw new WrongUsage(`There is no noun ${named}.`)
  const all = await withStore(flags, { create: false }, ({ read }) => sourceMaps(read, source))
  const [map, ...others] = all.filter((one) => noun === undefined || one.noun === noun)
  if (!map) throw new Fault('NOT_FOUND', `There is no map of ${source}. \`operations maps list\` lists them.`)
  if (others.length > 0) {
    const nouns = [map, ...others].map((one) => one.noun).join(', ')
    throw new WrongUsage(`${source} has several maps: ${nouns}. Say which.`)
  }
  return map
}
