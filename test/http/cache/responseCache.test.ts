import { expect, test } from 'vitest'
import { CachedResponses } from '../../../src/http/cache/responseCache.js'
import type { ChangeCounter, Versions } from '../../../src/store/changeCounters.js'

const response = (bytes: number, body = Buffer.alloc(bytes)) => ({
  response: { status: 200, headers: {}, body },
  operation: undefined,
  cost: 0,
})

/** The versions after this many changes of the roster and of the projects, read at this point. */
const at = (personnel: number, projects = 0, order = personnel + projects): Versions => ({
  all: `${personnel + projects}`,
  personnel: `${personnel}`,
  personnelUpdates: `${personnel}`,
  projects: `${projects}`,
  history: '0',
  keys: '0',
  order,
})
const START = at(0)
const ofPeople = new Set(['personnel'] as const)
const ofProjects = new Set(['projects'] as const)
const place = (key: string, versions = START, reads: ReadonlySet<ChangeCounter> = ofPeople) => ({
  key,
  versions,
  reads: [...reads],
})
const keep = (
  cache: CachedResponses,
  { key, ...read }: ReturnType<typeof place>,
  cached: ReturnType<typeof response>,
) => cache.keep(key, { hash: undefined, ...cached, ...read })

test('cached responses take no more than they may, and the least recently used go first, whatever they were read from', () => {
  const cache = new CachedResponses(10_000)
  const has = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.find(key, START))
  for (const key of ['a', 'b']) keep(cache, place(key), response(1_900))
  for (const key of ['c', 'd']) keep(cache, place(key, START, ofProjects), response(1_900))
  cache.find('a', START)
  keep(cache, place('e'), response(1_900))
  expect(has()).toEqual(['a', 'c', 'd', 'e'])
  keep(cache, place('b'), response(2_500))
  expect(has()).toEqual(['a', 'c', 'd', 'e'])
  for (const key of ['a', 'e']) cache.find(key, START)
  keep(cache, place('b'), response(1_900))
  expect(has()).toEqual(['a', 'b', 'd', 'e'])
})

test('cached responses make room for others when they fall', () => {
  const cache = new CachedResponses(10_000)
  for (const key of ['a', 'b', 'c', 'd']) keep(cache, place(key), response(1_900))
  for (const key of ['e', 'f', 'g', 'h']) keep(cache, place(key, at(1)), response(1_900))
  expect(['e', 'f', 'g', 'h'].filter((key) => cache.find(key, at(1)))).toEqual(['e', 'f', 'g', 'h'])
})

test('cached responses hold no more memory than their own bytes', () => {
  const cache = new CachedResponses(10_000)
  keep(cache, place('a'), response(0, Buffer.from('cut out of a larger buffer')))
  const { body } = (cache.find('a', START) ?? response(0)).response
  expect([body?.toString(), body?.buffer.byteLength]).toEqual(['cut out of a larger buffer', body?.length])
})

test('cached responses are of one version, and a late one of an older version is not kept', () => {
  const cache = new CachedResponses(10_000)
  keep(cache, place('a', at(1)), response(1))
  expect(cache.find('a', at(2))).toBe(undefined)
  keep(cache, place('b', at(2)), response(1))
  keep(cache, place('a', at(1)), response(1))
  expect([
    cache.find('a', at(1)),
    cache.find('a', at(2)),
    cache.find('b', at(1)),
    cache.find('b', at(2))?.response.body?.length,
  ]).toEqual([undefined, undefined, undefined, 1])
})

test('cached responses fall when the store is put back to an earlier state, and a late one of the state before is not kept', () => {
  const cache = new CachedResponses(10_000)
  const putBack = at(1, 0, 3)
  keep(cache, place('a', at(2)), response(1))
  expect(cache.find('a', putBack)).toBe(undefined)
  keep(cache, place('b', putBack), response(1))
  keep(cache, place('a', at(2)), response(1))
  expect([cache.find('a', at(2)), cache.find('b', putBack)?.response.body?.length]).toEqual([undefined, 1])
})

test('cached responses are invalidated by any change counter that they were read under, and by no other', () => {
  const cache = new CachedResponses(10_000)
  keep(cache, place('roster'), response(1))
  keep(cache, place('risks', START, ofProjects), response(1))
  keep(cache, place('risks and owners', START, new Set(['projects', 'personnel'] as const)), response(1))
  const standing = (versions: Versions) =>
    ['roster', 'risks', 'risks and owners'].filter((key) => cache.find(key, versions))
  expect(standing(at(1))).toEqual(['risks'])
  expect(standing(at(1, 1))).toEqual([])
})
