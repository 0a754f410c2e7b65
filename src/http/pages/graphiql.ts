import { Worker } from 'node:worker_threads'
import { PACKAGE } from '../../about.js'
import { lazily } from '../../caches.js'
import { Fault } from '../../errors.js'
import { preferredType } from '../wire/content.js'
import type { HttpRequest } from '../wire/request.js'
import type { GraphiqlReport } from './graphiqlWorker.js'
import { type Assets, assetIn, assetsOf, createPage, html, modulesOf, type Page, type PageOptions } from './shell.js'

const TITLE = 'Operations Gateway: GraphiQL'
const ASSETS = '/assets/graphiql-'

// Not beside this module: the bundler of a host would leave it behind.
const SCRIPT = new URL('dist/bundle/graphiqlWorker.js', PACKAGE)

/** In a worker: loading 9 MB of script, which most servers never use, would block the event loop for a second. */
const readGraphiql = lazily(
  () =>
    new Promise<Assets>((resolve, reject) => {
      const worker = new Worker(SCRIPT, { name: 'graphiql', execArgv: [] })
      worker.unref()
      worker.once('message', ({ digest, files }: GraphiqlReport) => resolve(assetsOf(ASSETS, files, digest)))
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`The worker of GraphiQL ended with code ${code}.`)))
    }),
)

/** Serves GraphiQL, whose assets come from this service. */
export function createGraphiql({ basePath, graphiql, demoKey, tokens }: PageOptions): Page {
  // Never in a frame: a page around it could make a person run a mutation.
  return createPage({ basePath, graphiql, demoKey, tokens }, async () => {
    const { folder } = await readGraphiql()
    return {
      title: TITLE,
      description: 'Write, run and read about GraphQL queries.',
      modules: [...modulesOf('graphiql/main.js'), `${folder}/graphiql.js`],
      styles: [`${folder}/graphiql.css`],
      data: { 'graphiql-at': `${basePath}${folder}`, heading: TITLE },
      policy: {
        // The editor creates style elements and inline styles.
        'style-src': "'self' 'unsafe-inline'",
        'font-src': 'data:',
        'worker-src': "'self'",
      },
      body: () => html`<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
`,
    }
  })
}

/** The asset of GraphiQL at a path below the base path. */
export function graphiqlAssetAt(path: string): Page | undefined {
  if (!path.startsWith(ASSETS)) return undefined
  return async (request) => {
    const asset = assetIn(await readGraphiql(), path)
    if (!asset) throw new Fault('NOT_FOUND', `There is nothing at ${request.path}.`)
    return asset(request)
  }
}

export function wantsPage(request: HttpRequest): boolean {
  const accept = request.header('accept') ?? ''
  return request.method === 'GET' && accept.includes('text/html') && preferredType(accept, ['text/html']) !== undefined
}
