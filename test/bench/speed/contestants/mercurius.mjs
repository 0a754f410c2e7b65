/** mercurius with compiled queries. */
import { FILE } from './listen.mjs'
import { startMercurius } from './mercuriusServer.mjs'
import { openStore } from './store.mjs'

await startMercurius(openStore(FILE))
