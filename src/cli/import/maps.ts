import { readFileSync } from 'node:fs'
import { SHEETS } from '../../ingest/columns.js'
import { type Mapping, printMapping } from '../../ingest/files/mapping.js'
import { BadMapping, readMapping } from '../../ingest/files/maps/reader.js'
import type { SheetNoun } from '../../ingest/files/nouns.js'
import type { ShippedMap } from '../../ingest/shipped/map.js'
import { SHIPPED_MAPS, shippedMapping } from '../../ingest/shipped/shipped.js'
import { print, WrongUsage } from '../command.js'

/** The map that `--map` names: one that comes with the command, or a file. */
export function mappingOf(named: string, noun: SheetNoun): Mapping {
  const shipped = SHIPPED_MAPS.find(({ name }) => name === named)
  if (shipped && shipped.noun !== noun)
    throw new WrongUsage(`The map ${named} is for ${shipped.noun}, not for ${noun}. ${MAPS_HINT}`)
  if (shipped) return shippedMapping(shipped)
  try {
    return readMapping(textOf(named), named, Object.keys(SHEETS[noun].fields))
  } catch (error) {
    throw error instanceof BadMapping ? new WrongUsage(error.message) : error
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw error
    throw new WrongUsage(`There is neither a file nor a map ${JSON.stringify(file)}. ${MAPS_HINT}`)
  }
}

const MAPS_HINT = '`operations import --maps` lists the maps.'

/** Lists the maps that come with the command, or prints one of them as a file to edit. */
export function printMaps(named: string | true, isJson: boolean): Promise<void> {
  if (named === true) return print(isJson ? JSON.stringify(SHIPPED_MAPS.map(summary), null, 2) : table(SHIPPED_MAPS))
  const map = SHIPPED_MAPS.find(({ name }) => name === named)
  if (!map) throw new WrongUsage(`There is no map ${JSON.stringify(named)}. ${MAPS_HINT}`)
  return print(printMapping(shippedMapping(map)).trimEnd())
}

function summary({ name, noun, reads }: ShippedMap) {
  return { name, noun, reads }
}

function table(maps: readonly ShippedMap[]): string {
  const width = (of: (map: ShippedMap) => string) => Math.max(...maps.map((map) => of(map).length))
  const [names, nouns] = [width(({ name }) => name), width(({ noun }) => noun)]
  return maps.map(({ name, noun, reads }) => `${name.padEnd(names)}  ${noun.padEnd(nouns)}  ${reads}`).join('\n')
}
