import { and, asc, eq, type SQL } from 'drizzle-orm'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { SHEETS } from './columns.js'
import { type Mapping, printMapping, readMapping } from './files/mapping.js'
import type { AcceptedMap } from './files/maps/fit.js'
import type { SheetNoun } from './files/table.js'

export interface SourceMap extends AcceptedMap {
  readonly acceptedAt: string
}

type Row = Tables['sourceMap']['$inferSelect']

/** The map of a source, since an import of this noun from it was accepted. */
export async function sourceMap({ db, t }: Read, source: string, noun: SheetNoun): Promise<SourceMap | undefined> {
  const [row] = await db
    .select()
    .from(t.sourceMap)
    .where(isOf(t, source, noun))
  if (!row) return undefined
  const { map, headings, acceptedAt } = row
  const mapping = readMapping(map, nameOf(row), Object.keys(SHEETS[noun].fields))
  return { mapping, headings: JSON.parse(headings) as string[], acceptedAt }
}

/** The maps of all sources, or of one. */
export function sourceMaps({ db, t }: Read, source?: string): Promise<Row[]> {
  const { source: of, noun } = t.sourceMap
  return db
    .select()
    .from(t.sourceMap)
    .where(source === undefined ? undefined : eq(of, source))
    .orderBy(asc(of), asc(noun))
}

/** Whether a map differs from the one that is stored. */
export function isOtherMap(before: AcceptedMap | undefined, { mapping, headings }: AcceptedMap): boolean {
  return (
    !before ||
    printMapping(before.mapping) !== printMapping(mapping) ||
    before.headings.join('\n') !== headings.join('\n')
  )
}

export async function acceptMap(write: Write, source: string, noun: SheetNoun, accepted: AcceptedMap): Promise<void> {
  const { db, t, at } = write
  const map = printMapping(accepted.mapping)
  await forgetMap(write, source, noun)
  const headings = JSON.stringify(accepted.headings)
  await db.insert(t.sourceMap).values({ source, noun, map, headings, acceptedAt: at })
}

export async function forgetMap({ db, t }: Write, source: string, noun: string): Promise<void> {
  await db.delete(t.sourceMap).where(isOf(t, source, noun))
}

function isOf({ sourceMap }: Tables, source: string, noun: string): SQL | undefined {
  return and(eq(sourceMap.source, source), eq(sourceMap.noun, noun))
}

function nameOf({ source }: Pick<Row, 'source'>): Mapping['name'] {
  return `the map of the source ${source}`
}
