import { expect, test } from 'vitest'
import { ReadyAnswers } from '../src/http/readyAnswers.js'
import type { Register, Versions } from '../src/store/registers.js'

const answer = (bytes: number) => ({
  headers: [],
  etag: undefined,
  bytes: Buffer.alloc(bytes),
  operation: undefined,
  cost: 0,
})

/** The store after so many changes of the roster and of the projects, as it was found after so many looks. */
const at = (personnel: number, projects = 0, order = personnel + projects): Versions => ({
  all: `${personnel + projects}`,
  personnel: `${personnel}`,
  projects: `${projects}`,
  history: '0',
  keys: '0',
  order,
})
const START = at(0)
const ofPeople = new Set(['personnel'] as const)
const ofProjects = new Set(['projects'] as const)
const place = (key: string, versions = START, reads: ReadonlySet<Register> = ofPeople) => ({ key, versions, reads })

test('kept answers take no more than they may, and the least recently used go first, whatever they were read from', () => {
  const answers = new ReadyAnswers(10_000)
  const has = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => answers.find(START, key))
  for (const key of ['a', 'b']) answers.keep(place(key), answer(1_900))
  for (const key of ['c', 'd']) answers.keep(place(key, START, ofProjects), answer(1_900))
  answers.find(START, 'a')
  answers.keep(place('e'), answer(1_900))
  expect(has()).toEqual(['a', 'c', 'd', 'e'])
  answers.keep(place('b'), answer(2_500))
  expect(has()).toEqual(['a', 'c', 'd', 'e'])
  for (const key of ['a', 'e']) answers.find(START, key)
  answers.keep(place('b'), answer(1_900))
  expect(has()).toEqual(['a', 'b', 'd', 'e'])
})

test('kept answers make room for others when they fall', () => {
  const answers = new ReadyAnswers(10_000)
  for (const key of ['a', 'b', 'c', 'd']) answers.keep(place(key), answer(1_900))
  for (const key of ['e', 'f', 'g', 'h']) answers.keep(place(key, at(1)), answer(1_900))
  expect(['e', 'f', 'g', 'h'].filter((key) => answers.find(at(1), key))).toEqual(['e', 'f', 'g', 'h'])
})

test('kept answers hold no more memory than their own bytes', () => {
  const answers = new ReadyAnswers(10_000)
  answers.keep(place('a'), { ...answer(0), bytes: Buffer.from('cut out of a larger buffer') })
  const { bytes } = answers.find(START, 'a') ?? answer(0)
  expect([bytes.toString(), bytes.buffer.byteLength]).toEqual(['cut out of a larger buffer', bytes.length])
})

test('kept answers are of one version, and a late one of an older version is not kept', () => {
  const answers = new ReadyAnswers(10_000)
  answers.keep(place('a', at(1)), answer(1))
  expect(answers.find(at(2), 'a')).toBe(undefined)
  answers.keep(place('b', at(2)), answer(1))
  answers.keep(place('a', at(1)), answer(1))
  expect([
    answers.find(at(1), 'a'),
    answers.find(at(2), 'a'),
    answers.find(at(1), 'b'),
    answers.find(at(2), 'b')?.bytes.length,
  ]).toEqual([undefined, undefined, undefined, 1])
})

test('kept answers fall when the store is put back to an earlier state, and a late one of the state before is not kept', () => {
  const answers = new ReadyAnswers(10_000)
  const putBack = at(1, 0, 3)
  answers.keep(place('a', at(2)), answer(1))
  expect(answers.find(putBack, 'a')).toBe(undefined)
  answers.keep(place('b', putBack), answer(1))
  answers.keep(place('a', at(2)), answer(1))
  expect([answers.find(at(2), 'a'), answers.find(putBack, 'b')?.bytes.length]).toEqual([undefined, 1])
})

test('kept answers fall with any of the registers that they were read from, and with no other', () => {
  const answers = new ReadyAnswers(10_000)
  answers.keep(place('roster'), answer(1))
  answers.keep(place('risks', START, ofProjects), answer(1))
  answers.keep(place('risks and owners', START, new Set(['projects', 'personnel'] as const)), answer(1))
  const standing = (versions: Versions) =>
    ['roster', 'risks', 'risks and owners'].filter((key) => answers.find(versions, key))
  expect(standing(at(1))).toEqual(['risks'])
  expect(standing(at(1, 1))).toEqual([])
})
