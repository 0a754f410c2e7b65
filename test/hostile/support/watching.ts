import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Waited } from './watcher.js'

const WATCHER = fileURLToPath(new URL('./watcher.ts', import.meta.url))

/** A watcher process, which measures the latency of a server for other clients. */
export interface Watching {
  /** The longest latency of its requests that ended after this instant, in milliseconds since 1970. */
  longestWait(since: number): Promise<Waited>
  end(): void
}

/** Starts the watcher; `paths` are the ones that it repeats, if not all. */
export function startWatcher(
  origin: string,
  authorization: string,
  everyMs: number,
  paths: readonly string[] = [],
): Watching {
  const watcher = fork(WATCHER, [origin, authorization, String(everyMs), ...paths], { execArgv: ['--import', 'tsx'] })
  let sentCount = 0
  return {
    longestWait(since) {
      const id = sentCount++
      return new Promise((resolve) => {
        const listen = (outcome: { id: number; waited: Waited }) => {
          if (outcome.id !== id) return
          watcher.off('message', listen)
          resolve(outcome.waited)
        }
        watcher.on('message', listen)
        watcher.send({ id, since })
      })
    },
    end: () => {
      watcher.kill()
    },
  }
}
