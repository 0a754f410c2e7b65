import { readFileSync } from 'node:fs'

/** What the systemd unit of docs/operating.md says of memory. */
const OPERATING = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
const [, gigabytes] = /^MemoryMax=(\d+)G$/m.exec(OPERATING) ?? []

/** Above this the process is killed. */
export const MEMORY_BYTES_MAX = Number(gigabytes) * 2 ** 30

/** The settings of glibc, without which it keeps more of the memory that was freed. */
export const MEMORY_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  [...OPERATING.matchAll(/^Environment=(MALLOC_\w+)=(\d+)$/gm)].map(([, name, value]) => [name, value]),
)
