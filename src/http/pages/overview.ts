import { issues } from '../../projects/issues.js'
import { risks } from '../../projects/risks.js'
import type { FilterMembers } from '../../store/query/filters.js'
import { ENUMS, type EnumName, LEVEL_FLOORS, valuesOf } from '../../vocabulary.js'
import { T } from '../../web/texts.js'
import { createPage, html, modulesOf, type Page, type PageOptions, styleSheet } from './shell.js'

/** What the page needs to know of the filters of a list. */
function declared(members: FilterMembers) {
  const known = Object.entries(members).map(([name, { type, isList }]) => {
    const values = type in ENUMS ? valuesOf(type as EnumName) : undefined
    return [name, { type, isList, ...(values && { values }) }]
  })
  return Object.fromEntries(known)
}

/** The overview: a static page, whose modules are a client of the API. */
export function createOverview(options: PageOptions): Page {
  const { basePath } = options
  return createPage(options, () => ({
    title: T.documentTitle,
    description: T.description,
    modules: modulesOf('overview/main.js'),
    styles: ['theme', 'base', 'layout', 'figures', 'lists', 'dialog', 'print'].map(styleSheet),
    data: {
      levels: JSON.stringify(LEVEL_FLOORS),
      filters: JSON.stringify({ risks: declared(risks.members), issues: declared(issues.members) }),
    },
    body: () => html`<noscript><p>${T.noScript} <a href="${basePath}/v1">${T.rest}</a>, <a href="${basePath}/v1/openapi.json">${T.openapi}</a>.</p></noscript>
`,
  }))
}
