import { SCOPES } from '../../auth/scopes.js'
import { openapi } from '../openapi/document.js'
import type { JsonObject, JsonSchema } from '../openapi/jsonSchema.js'
import { createPage, type Html, html, modulesOf, type Page, type PageOptions, styleSheet, words } from './shell.js'

/** The reference of the REST API: its OpenAPI document, to read and to try. */
export function createReference(options: PageOptions): Page {
  return createPage(options, () => ({
    title: 'Operations Gateway: REST reference',
    description: 'Every route of the REST API, with its parameters, examples and errors.',
    modules: modulesOf('reference/main.js'),
    styles: ['theme', 'base', 'reference'].map(styleSheet),
    body: () => referencePage(readable(openapi(options.basePath)), options.basePath),
  }))
}

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The body of the reference page: every route of an OpenAPI document, by tag. */
function referencePage({ info, tags, paths }: ApiDocument, basePath: string): Html {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ method: method.toUpperCase(), path, operation })),
  )
  const routesOf = (tag: string) => routes.filter(({ operation }) => operation.tags[0] === tag)
  return html`<a class="skip" href="#routes">Skip to the routes</a>
<header><div class="brand"><h1>REST reference</h1><p class="freshness">${info.title} ${info.version}</p></div>
<nav aria-label="Pages"><a href="${basePath}/">Overview</a> <a href="${basePath}/graphql">GraphQL</a> <a href="${basePath}/v1/openapi.json">OpenAPI document</a></nav></header>
<div class="reference">
<nav class="contents" aria-label="Routes">${tags.map(({ name }) => contentsOf(name, routesOf(name)))}</nav>
<main id="routes">
${introduction(info.description)}
${tags.map(
  ({
    name,
    description,
  }) => html`<section aria-labelledby="tag-${name}"><h2 id="tag-${name}">${name}</h2><p>${words(description)}</p>
${routesOf(name).map(routeSection)}</section>
`,
)}</main>
</div>
`
}

function contentsOf(tag: string, routes: readonly Route[]): Html {
  return html`<h2><a href="#tag-${tag}">${tag}</a></h2><ul>${routes.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}">${methodMark(method)} ${path}</a></li>`,
  )}</ul>`
}

function introduction(description: string): Html {
  const scopes = Object.entries(SCOPES).map(
    ([scope, meaning]) => html`<li><code>${scope}</code>: ${words(meaning)}</li>`,
  )
  return html`<section aria-labelledby="key-heading"><h2 id="key-heading">Before you start</h2>
<p>${words(description)}</p>
<p>Every request needs a key: <code>Authorization: Bearer $API_KEY</code>. A key holds scopes:</p>
<ul class="plain">${scopes}</ul>
<div id="key-place"></div></section>`
}

function routeSection({ method, path, operation }: Route): Html {
  const { operationId: id, description, parameters, requestBody, responses } = operation
  const sample = method === 'GET' ? sampleOf(path, parameters) : path
  const body = mediaOf(requestBody)
  const [[status = '', success] = []] = Object.entries(responses)
  return html`<article class="route" aria-labelledby="${id}">
<h3 id="${id}"><a href="#${id}">${methodMark(method)} <code>${path}</code></a></h3>
<p>${words(description)}</p>
${parameters.length > 0 ? parameterTable(parameters) : undefined}
${body && html`${memberTable(`Body (${body.type})`, body.schema)}${example(json(body.example), 'Example of a body')}`}
<h4>Request</h4>
${example(curlLine(method, sample, body), 'curl')}
${runForm(id, method, sample, body)}
${success && responsePart(status, success)}
${errorTable(responses)}
</article>
`
}

function parameterTable(parameters: readonly ApiParameter[]): Html {
  const rows = parameters.map(
    ({ name, in: where, required, description, schema }) => html`<tr><th scope="row"><code>${name}</code></th>
<td>${where}${required ? ', required' : ''}</td><td>${words(typeOf(schema))}</td><td>${words(description)}</td></tr>`,
  )
  return table('Parameters', ['Name', 'In', 'Type', 'Meaning'], rows)
}

function responsePart(status: string, response: ApiResponse): Html {
  const media = mediaOf(response)
  const heading = html`<h4>Response</h4><p><strong>${status}</strong> ${words(response.description)}</p>`
  if (!media) return heading
  const text = typeof media.example === 'string' ? media.example : json(media.example)
  return html`${heading}<details><summary>Example (${media.type})</summary>${example(text, 'Example of a response')}</details>
${fieldsPart(media.schema)}`
}

/** The fields of what a response shows: of a list those of its entries. */
function fieldsPart(schema: JsonSchema): Html {
  const data = schema.properties?.['data']
  const shown = data ?? schema
  if (!objectIn(shown).properties) return html``
  const caption = data ? 'Fields of each entry of data' : 'Fields'
  return html`<details><summary>${caption}</summary>${memberTable(caption, shown)}</details>`
}

function memberTable(caption: string, schema: JsonSchema): Html {
  const { properties = {}, required = [] } = objectIn(schema)
  const rows = Object.entries(properties).map(
    ([name, own]) => html`<tr><th scope="row"><code>${name}</code></th>
<td>${required.includes(name) ? 'always' : 'optional'}</td><td>${words(typeOf(own))}</td><td>${words(own.description ?? '')}</td></tr>`,
  )
  return table(caption, ['Name', 'Given', 'Type', 'Meaning'], rows)
}

function errorTable(responses: Operation['responses']): Html {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description }]) => html`<tr><th scope="row">${status}</th><td>${words(description)}</td></tr>`)
  return html`<details><summary>Errors</summary>${table('Errors', ['Status', 'Codes'], rows)}</details>`
}

function table(caption: string, columns: readonly string[], rows: readonly Html[]): Html {
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`)
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`
}

function example(text: string, name: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>`
}

const methodMark = (method: string) => html`<span class="method ${method}">${method}</span>`

/** Requests are sent by the page's script, with the key of the tab; one that changes data only after a tick. */
function runForm(id: string, method: string, sample: string, body: ReturnType<typeof mediaOf>): Html {
  const text =
    body &&
    html`<label for="body-${id}">Body</label>
<textarea id="body-${id}" rows="8" spellcheck="false" data-type="${body.type}">${json(body.example)}</textarea>`
  const tick = html`<p class="warning"><label><input type="checkbox" required> This changes the data of this service, for everyone. Run it all the same.</label></p>`
  return html`<form class="run" data-run="${id}" data-method="${method}"><label for="run-${id}">Path and query</label>
<div class="row"><input id="run-${id}" value="${sample}" spellcheck="false" autocomplete="off" required><button type="submit">Run</button></div>
${text}${method === 'GET' ? undefined : tick}
<output aria-live="polite"></output></form>`
}

/** A path with what it requires; of a list the first entries. */
function sampleOf(path: string, parameters: readonly ApiParameter[]): string {
  const query = parameters.flatMap(({ name, in: where, required, example }) => {
    if (where !== 'query') return []
    if (name === 'limit') return ['limit=5']
    return required ? [`${name}=${example}`] : []
  })
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

function curlLine(method: string, sample: string, body: ReturnType<typeof mediaOf>): string {
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $API_KEY"`,
    ...(body ? [`-H "Content-Type: ${body.type}" -d '${JSON.stringify(body.example)}'`] : []),
    `"$BASE_URL${sample}"`,
  ].join(' ')
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** The parts of an OpenAPI document that the reference shows, with components in place of references. */
interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly ApiParameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, ApiResponse>>
}

interface ApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: string
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>
}

interface ApiResponse extends Body {
  readonly description: string
}

/** Puts the components in place of the references. Our own document: openapi() builds it in this shape, without cycles. */
function readable(document: JsonObject): ApiDocument {
  const components = Object(document['components'])
  const text = JSON.stringify(document, (_, value) => {
    if (typeof value?.$ref !== 'string') return value
    const { $ref, ...own } = value
    const [kind, name] = $ref.split('/').slice(-2)
    return { ...components[kind][name], ...own }
  })
  return JSON.parse(text)
}

/** The first media type of a body: examples show that one. */
function mediaOf({ content = {} }: Body = {}) {
  const [first] = Object.entries(content)
  return first && { type: first[0], ...first[1] }
}

/** The object itself, or those of a list. */
function objectIn(schema: JsonSchema): JsonSchema {
  return schema.items ? objectIn(schema.items) : schema
}

/** The type of a value, as a reader would call it. */
function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.items) return `list of ${typeOf(schema.items)}`
  const [name = '', ...others] = [schema.type ?? 'object'].flat()
  return [[schema.format ?? name, ...boundsOf(schema)].join(', '), ...others].join(' or ')
}

function boundsOf({ minimum, maximum, maxLength, default: byDefault }: JsonSchema): string[] {
  return [
    ...(minimum !== undefined && maximum !== undefined ? [`${minimum} to ${maximum}`] : []),
    ...(maxLength === undefined ? [] : [`at most ${maxLength.toLocaleString('en')} characters`]),
    ...(byDefault === undefined ? [] : [`by default \`${String(byDefault)}\``]),
  ]
}
