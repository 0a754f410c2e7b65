import { expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { FairQueue, FairSlots } from '../../src/store/fairQueue.js'

interface Item {
  readonly owner: string
  readonly name: string
}

const { queueShareMax } = LIMITS

function queueOf(options: ConstructorParameters<typeof FairQueue>[0], names = '') {
  const queue = new FairQueue<Item>(options)
  const item = (name: string): Item => ({ owner: name[0] ?? '', name })
  const add = (...all: string[]) => {
    for (const name of all) queue.add(item(name))
  }
  const take = () => {
    const taken: Item[] = []
    for (let next = queue.take(); next; next = queue.take()) taken.push(next)
    return taken
  }
  add(...names.split(' ').filter((name) => name !== ''))
  return { queue, add, take, names: (items: readonly Item[]) => items.map(({ name }) => name).join(' ') }
}

const many = (owner: string, count: number) => Array.from({ length: count }, (_, i) => `${owner}${i + 1}`)

test('owners take turns, and the items of each keep their order', () => {
  const { queue, take, names } = queueOf({ slots: 1 }, 'a1 a2 a3 a4 b1 b2 c1')
  const order: Item[] = []
  for (let [next] = take(); next; [next] = take()) {
    order.push(next)
    queue.finish(next)
  }
  expect(names(order)).toBe('a1 b1 c1 a2 b2 a3 a4')
  expect([queue.waiting, queue.underWay]).toEqual([0, 0])
})

test('an owner alone has all slots; while another waits, half of them', () => {
  const { queue, add, take, names } = queueOf({ slots: 4 }, 'a1 a2 a3 a4 a5 a6')
  const alone = take()
  expect(names(alone)).toBe('a1 a2 a3 a4')
  add('b1', 'b2', 'b3')
  expect([queue.isOverShare('a'), queue.isOverShare('b')]).toEqual([true, false])
  for (const one of alone.slice(0, 2)) queue.finish(one)
  const beside = take()
  expect(names(beside)).toBe('b1 b2')
  expect(queue.isOverShare('a')).toBe(false)
  // Of the two that end, each gives its slot to the next of its owner.
  for (const one of [...alone.slice(2, 3), ...beside.slice(0, 1)]) queue.finish(one)
  expect(names(take())).toBe('a5 b3')
  for (const one of alone.slice(3)) queue.finish(one)
  // Nobody else waits any more.
  expect(names(take())).toBe('a6')
})

test('an item that is repeated comes before the others of its owner, but after another owner', () => {
  const { queue, add, take, names } = queueOf({ slots: 2 }, 'a1 a2 a3')
  const [, second] = take()
  add('b1')
  if (second) queue.repeat(second)
  if (second) queue.finish(second)
  const [other] = take()
  expect(other?.name).toBe('b1')
  if (other) queue.finish(other)
  expect(names(take())).toBe('a2')
})

test('an owner alone has all places; while another waits, ten', () => {
  const { queue, add } = queueOf({ slots: 0, placesMax: 12 })
  add(...many('a', 12))
  expect(() => add('a13')).toThrow(/^12 requests of this key are waiting already\. Try again in a moment\.$/)
  add(...many('b', queueShareMax))
  expect(() => add('b11')).toThrow(/^10 requests of this key are waiting already, and other keys wait too\./)
  for (const item of queue.waitingOf('a')) queue.remove(item)
  add('b11', 'b12')
  expect(() => add('b13')).toThrow(/^12 requests/)
  expect(queue.allWaiting()).toHaveLength(12)
})

test('with patience, only another that has waited for long enough counts', () => {
  let now = 0
  const { add, queue, take } = queueOf({ slots: 1, patienceMs: 100, nowMs: () => now })
  add(...many('a', 1 + queueShareMax))
  const served = take()
  add('b1', 'b2')
  now = 99
  add('a12')
  now = 100
  expect(() => add('a13')).toThrow(/other keys wait too/)
  // One of each is served.
  for (let turn = 0; turn < 2; turn++) {
    for (const one of served.splice(0)) queue.finish(one)
    served.push(...take())
  }
  expect(served).toMatchObject([{ name: 'b1' }])
  add('a13')
  now = 200
  expect(() => add('a14')).toThrow(/other keys wait too/)
})

test('after an owner without a slot had to wait, the others keep to their share for a while', () => {
  let now = 0
  const { add, queue, take, names } = queueOf({ slots: 4, patienceMs: 100, lingerMs: 1_000, nowMs: () => now })
  add(...many('a', 9))
  const running = take()
  add('b1')
  now = 100
  for (const one of running.splice(0)) queue.finish(one)
  const served = take()
  expect(names(served)).toBe('a5 b1 a6')
  for (const one of served.splice(0)) queue.finish(one)
  served.push(...take())
  expect(names(served)).toBe('a7 a8')
  now = 1_100
  expect(names(take())).toBe('a9')
})

test('a slot that is left goes to the next, as does that of one who gave up before', async () => {
  const slots = new FairSlots({ slots: 1 })
  const entered: string[] = []
  const enter = (name: string) => {
    const { entered: turn, leave } = slots.enter(name[0] ?? '')
    void Promise.resolve(turn).then(() => entered.push(name))
    return leave
  }
  const [first, second, , other] = ['a1', 'a2', 'a3', 'b1'].map(enter)
  await Promise.resolve()
  expect(entered).toEqual(['a1'])
  second?.()
  first?.()
  // Only the first call counts.
  first?.()
  await Promise.resolve()
  expect(entered).toEqual(['a1', 'a3'])
  other?.()
  expect(slots.enter('c').entered).toBeInstanceOf(Promise)
})
