import { SHEETS } from '../columns.js'
import type { Mapping } from '../files/mapping.js'
import { mappingOf } from '../files/maps/reader.js'
import type { Recognisable } from '../files/maps/recognition.js'
import type { SheetNoun } from '../files/table.js'
import { PEOPLE } from './people.js'
import type { ShippedMap } from './rules.js'
import { GIT, JIRA, TRACKERS } from './trackers.js'

/** The maps that come with the command. */
export const SHIPPED_MAPS: readonly ShippedMap[] = [...JIRA, ...GIT, ...TRACKERS, ...PEOPLE]

export function shippedMapping({ name, noun, where = [], columns }: ShippedMap): Mapping {
  return mappingOf({ where, columns }, name, Object.keys(SHEETS[noun].fields))
}

/** The maps by which a file of a noun may be recognised. */
export function recognisable(noun: SheetNoun): Recognisable[] {
  return SHIPPED_MAPS.filter((map) => map.noun === noun).map((map) => ({
    ...map,
    mapping: () => shippedMapping(map),
  }))
}
