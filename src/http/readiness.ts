import { COMMIT, VERSION } from '../about.js'
import { Fault, Overloaded } from '../errors.js'
import { atMostEvery, HEALTH_EVERY_MS } from '../store/coalesce.js'
import { isDamage } from '../store/faults.js'
import type { AppOptions } from './options.js'
import { Content, respond } from './wire/content.js'
import type { HttpRequest } from './wire/request.js'

const NOT_STORED = { headers: { 'cache-control': 'no-store' } }

const alive = (request: HttpRequest) => respond(request, Content.json({ status: 'ok' }), NOT_STORED)

/** The probes, and what a request has met in the store. */
export function createReadiness({ store, log }: Pick<AppOptions, 'store' | 'log'>) {
  // This path needs no key, so checks of the store are limited to one per `HEALTH_EVERY_MS`.
  const readVersion = atMostEvery(HEALTH_EVERY_MS, () => store.version())
  const advice = 'Stop every server of it, run `operations check`, and restore a backup.'
  const damaged = `The store ${store.name} is damaged. ${advice}`
  let isDamaged = false
  let isStopping = false
  // A read-only store still counts as ready: otherwise it would take every instance out of the load balancer.
  const ready = async (request: HttpRequest) => {
    if (isDamaged) throw new Fault('UNAVAILABLE', damaged)
    if (isStopping) throw new Overloaded('This server is stopping.')
    try {
      await readVersion()
      const { isWritable: writes, whyNot: reason } = await store.health()
      const state = { status: 'ready', writes, reason, version: VERSION, commit: COMMIT }
      return respond(request, Content.json(state), NOT_STORED)
    } catch (cause) {
      throw new Fault('UNAVAILABLE', 'The store cannot be read.', { cause })
    }
  }
  const see = (fault: Fault | undefined): void => {
    if (isDamaged || !fault || !isDamage(fault)) return
    isDamaged = true
    log.error(damaged)
  }
  const stop = (): void => {
    isStopping = true
  }
  return { alive, ready, see, stop }
}
