import type { AppOptions } from '../../src/http/app.js'

/** Answered without either of what makes answers quicker: none is kept ready, and the store tells none by itself. */
export const PLAIN = { responseCacheBytesMax: 0, isCompiled: false } as const satisfies Partial<AppOptions>

/** How the suite has its answers made: `npm test` as a server does, `npm run test:plain` plainly. */
export const way: Partial<AppOptions> = process.env['TEST_WAY'] === 'plain' ? PLAIN : {}
