import { expect, test } from 'vitest'
import { differenceFrom } from '../bench/speed/measurements/difference.js'

const ours = { data: [{ id: 'a', name: 'Ada', lead: { id: 'b' } }], page: { next: null } }

test.each([
  [
    'a field that only ours has',
    { data: [{ id: 'a', name: 'Ada' }], page: { next: null } },
    undefined,
    ['.data[].lead'],
  ],
  ['another order of members', { page: { next: null }, data: ours.data }, undefined, []],
  ['a field that ours lacks', { ...ours, total: 1 }, '.total', []],
  ['another value', { data: [{ ...ours.data[0], name: 'Bo' }], page: { next: null } }, '.data[].name', []],
  ['another length', { ...ours, data: [] }, '.data.length', []],
  ['a value for null', { ...ours, page: { next: 'x' } }, '.page.next', []],
])('the speed bench compares what a contestant has, with %s', (_, theirs, difference, lacks) => {
  const lacking = new Set<string>()
  expect([differenceFrom(ours, theirs, lacking), [...lacking]]).toEqual([difference, lacks])
})
