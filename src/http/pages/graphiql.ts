import { Fault } from '../../errors.js'
import { preferredType } from '../wire/negotiation.js'
import type { HttpRequest } from '../wire/request.js'
import { html } from './html.js'
import { assetIn, assetsOf, createPage, lazily, modulesOf, type Page, type PageOptions } from './shell.js'

const TITLE = 'Operations Gateway: GraphiQL'
const ASSETS = '/assets/graphiql-'

/** Fonts for scripts other than Latin: the system has its own. */
const OTHER_FONTS = /@font-face\{[^}]*unicode-range:(?!U\+0000)[^}]*\}/g

/** A pressed tab jumps away from the pointer, and the click misses it: only tabs without focus are kept in place. */
const TABS_IN_PLACE = '.graphiql-tab:not(:focus-within)'

const readGraphiql = lazily(async () => {
  // Imported lazily: 9 MB of script that most servers never use.
  const { css, editorWorkerService, graphqlWorker, js, jsonWorker } = await import(
    '@graphql-yoga/render-graphiql/graphiql'
  )
  // Workers have the names by which the editor asks for them.
  const texts = {
    'graphiql.js': js,
    'graphiql.css': css.replace(OTHER_FONTS, '').replace(TABS_IN_PLACE, '.graphiql-tab'),
    'editorWorkerService.js': editorWorkerService,
    'graphql.js': graphqlWorker,
    'json.js': jsonWorker,
  }
  return assetsOf(
    ASSETS,
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]),
  )
})

/** Serves GraphiQL, whose assets come from this service. */
export function createGraphiql({ basePath, graphiql, demoKey }: PageOptions): Page {
  // Never in a frame: a page around it could make a person run a mutation.
  return createPage({ basePath, graphiql, demoKey }, async () => {
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
