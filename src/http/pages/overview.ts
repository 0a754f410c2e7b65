import { LEVEL_FLOORS } from '../../vocabulary.js'
import { T } from '../../web/texts.js'
import { createPage, html, modulesOf, type Page, type PageOptions, styleSheet } from './shell.js'

/** The overview: a static page, whose modules are a client of the API. */
export function createOverview(options: PageOptions): Page {
  const { basePath } = options
  return createPage(options, () => ({
    title: T.documentTitle,
    description: T.description,
    modules: modulesOf('overview/main.js'),
    styles: ['theme', 'base', 'layout', 'figures', 'lists', 'dialog', 'print'].map(styleSheet),
    data: { levels: JSON.stringify(LEVEL_FLOORS) },
    body: () => html`<noscript><p>${T.noScript} <a href="${basePath}/v1">${T.rest}</a>, <a href="${basePath}/v1/openapi.json">${T.openapi}</a>.</p></noscript>
`,
  }))
}
