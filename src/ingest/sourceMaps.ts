import { and, asc, eq } from 'drizzle-orm'
import { Fault } from '../errors.js'
import { SHEETS } from '../nouns.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import type { NounPlural } from '../vocabulary.js'
import { printMapping, readMapping } from './files/mapping.js'
import type { AcceptedMap } from './files/maps/fit.js'

export type SourceMap = AcceptedMap & { readonly acceptedAt: string }

/** The map of a source, since an import of this noun from it was accepted. */
export async function sourceMap(read: Read, source: string, noun: NounPlural): Promise<SourceMap | undefined> {
  const row = (await sourceMaps(read, source)).find((one) => one.noun === noun)
  if (!row) return undefined
  const mapping = readMapping(row.map, `the map of the source ${source}`, Object.keys(SHEETS[noun].inputs))
  return { mapping, headings: JSON.parse(row.headings) as string[], acceptedAt: row.acceptedAt }
}

/** The maps of all sources, or of one. */
export function sourceMaps({ db, t }: Read, source?: string): Promise<Tables['sourceMap']['$inferSelect'][]> {
  const { source: of, noun } = t.sourceMap
  const isOf = source === undefined ? undefined : eq(of, source)
  return db.select().from(t.sourceMap).where(isOf).orderBy(asc(of), asc(noun))
}

/** Whether a map differs from the one that is stored. */
export function isOtherMap(before: AcceptedMap | undefined, given: AcceptedMap): boolean {
  const text = ({ mapping, headings }: AcceptedMap) => [printMapping(mapping), ...headings].join('\n')
  return !before || text(before) !== text(given)
}

/** Refuses to go on with a map that is no longer the one of its source. */
export async function requireMap(write: Write, source: string, noun: NounPlural, read: SourceMap | undefined) {
  if ((await sourceMap(write, source, noun))?.acceptedAt === read?.acceptedAt) return
  const sentence = `Another import from the source ${source} has changed its map meanwhile. Import the file again.`
  throw new Fault('CONFLICT', sentence)
}

export async function acceptMap(write: Write, source: string, noun: NounPlural, accepted: AcceptedMap): Promise<void> {
  const { db, t, at } = write
  const map = printMapping(accepted.mapping)
  await forgetMap(write, source, noun)
  const headings = JSON.stringify(accepted.headings)
  await db.insert(t.sourceMap).values({ source, noun, map, headings, acceptedAt: at })
}

export async function forgetMap({ db, t }: Write, source: string, noun: string): Promise<void> {
  await db.delete(t.sourceMap).where(and(eq(t.sourceMap.source, source), eq(t.sourceMap.noun, noun)))
}
