import { expect, test } from 'vitest'
import { shownAddress } from '../../src/store/address.js'
import { Hosts } from '../../src/store/postgres/hosts.js'

const state = (isInRecovery: boolean, isReadOnly = false) => ({ isInRecovery, isReadOnly })

test('an address with several hosts is one address for each', () => {
  const hosts = new Hosts('postgres://me:p%40ss@h1:5433,[::1],h3/ops?target_session_attrs=primary&sslmode=verify-full')
  const rest = '/ops?target_session_attrs=primary&sslmode=verify-full'
  expect(hosts.urls).toEqual([
    `postgres://me:p%40ss@h1:5433${rest}`,
    `postgres://me:p%40ss@[::1]${rest}`,
    `postgres://me:p%40ss@h3${rest}`,
  ])
  expect(shownAddress('postgres://me:secret@h1:5433,h2/ops?password=secret')).toBe('postgres://me@h1:5433,h2/ops')
})

test('an address with one host, or with none, stays as it is', () => {
  for (const url of ['postgres://me@h1/ops', 'postgresql:///ops?host=/var/run/postgresql', 'postgres://h1'])
    expect(new Hosts(url).urls).toEqual([url])
})

test('the next host is used when one is left, and concurrent callers do not skip it', () => {
  const hosts = new Hosts('postgres://h1,h2/ops')
  hosts.leave(0)
  hosts.leave(0)
  expect(hosts.current).toBe(1)
  hosts.leave(1)
  expect(hosts.current).toBe(0)
})

test.each([
  ['any', [true, true, true]],
  ['primary', [true, true, false]],
  ['read-write', [true, false, false]],
  ['read-only', [false, true, true]],
  ['standby', [false, false, true]],
])('target_session_attrs=%s takes what it does in libpq', (wanted, expected) => {
  const hosts = new Hosts(`postgres://h1,h2/ops?target_session_attrs=${wanted}`)
  const takes = [state(false), state(false, true), state(true)].map((one) => {
    try {
      hosts.require(one)
      return true
    } catch {
      return false
    }
  })
  expect(takes).toEqual(expected)
})

test('another word is refused with those that are known', () => {
  expect(() => new Hosts('postgres://h1,h2/ops?target_session_attrs=prefer-standby')).toThrow(
    'target_session_attrs must be one of any, primary, standby, read-write, read-only.',
  )
})
