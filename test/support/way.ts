import type { AppOptions } from '../../src/http/app.js'

/** Options without the response cache and without compiled queries. */
export const PLAIN = { responseCacheBytesMax: 0, isCompiled: false } as const satisfies Partial<AppOptions>

/** How the suite runs: `npm test` like a server, `npm run part -- plain` without cache and compiled queries. */
export const way: Partial<AppOptions> = process.env['TEST_WAY'] === 'plain' ? PLAIN : {}
