import { expect } from 'vitest'
import { type MintedKey, mintKey, revokeKey } from '../../../src/auth/keys.js'
import { addPerson } from '../../../src/personnel/people.js'
import type { Store } from '../../../src/store/store.js'
import { type Caller, type Gateway, NOW } from '../../support/harness.js'

const as = { by: 'cli', at: () => NOW }
const person = (externalId: string) => ({ name: externalId, externalId })

/** A running service with caches of a state that a restore then discards. */
export interface Remembered {
  /** Makes other writes, which raise every change counter to its previous value. */
  storeOthers(store: Store): Promise<void>
  /** Checks that the service shows the current rows, and refuses the revoked key. */
  expectForgotten(): Promise<void>
}

/** Two keys, a state that `save` can restore, and later writes that are lost. */
export async function remember(gateway: Gateway, save: () => unknown): Promise<Remembered> {
  const [staying, leaving] = [await mint(gateway), await mint(gateway)]
  await save()
  await gateway.write((write) => addPerson(write, person('lost')))
  await mint(gateway)
  const [stays, leaves] = [staying, leaving].map(({ secret }) => gateway.with(`Bearer ${secret}`)) as [Caller, Caller]
  for (const caller of [stays, leaves]) expect(await roster(caller)).toEqual(['lost'])
  return {
    async storeOthers(store) {
      await store.write(as, (write) => addPerson(write, person('new')))
      await store.write(as, (write) => revokeKey(write, leaving.id))
    },
    async expectForgotten() {
      expect(await roster(stays)).toEqual(['new'])
      expect(await leaves.get('/v1/personnel')).toMatchProblem(401, 'UNAUTHENTICATED')
    },
  }
}

function mint(gateway: Gateway): Promise<MintedKey> {
  return gateway.write((write) => mintKey(write, { name: 'Mine', scopes: ['personnel.read'], expiresAt: undefined }))
}

async function roster(caller: Caller): Promise<string[]> {
  const { body } = await caller.get('/v1/personnel')
  return body.data.map(({ externalId }: { externalId: string }) => externalId)
}
