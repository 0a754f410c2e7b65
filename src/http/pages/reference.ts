import type { GraphQLSchema } from 'graphql'
import { SCOPES } from '../../auth/scopes.js'
import { openapi } from '../openapi/document.js'
import type { JsonSchema } from '../openapi/jsonSchema.js'
import { type Html, html, words } from './html.js'
import { createPage, modulesOf, type Page, type PageOptions, styleSheet } from './shell.js'

/** The reference of the REST API: its OpenAPI document, to read and to try. */
export function createReference(schema: GraphQLSchema, options: PageOptions): Page {
  return createPage(options, () => ({
    title: 'Operations Gateway: REST reference',
    description: 'Every route of the REST API, with its parameters, examples and errors.',
    modules: modulesOf('reference/main.js'),
    styles: ['theme', 'base', 'reference'].map(styleSheet),
    body: () => referencePage(new ApiReader(openapi(schema, options.basePath)), options.basePath),
  }))
}

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The body of the reference page: every route of an OpenAPI document, by tag. */
function referencePage(reader: ApiReader, basePath: string): Html {
  const { document } = reader
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ method: method.toUpperCase(), path, operation })),
  )
  const tags = document.tags.map((tag) => ({
    tag,
    own: routes.filter(({ operation }) => operation.tags[0] === tag.name),
  }))
  return html`<a class="skip" href="#routes">Skip to the routes</a>
<header><div class="brand"><h1>REST reference</h1><p class="freshness">${document.info.title} ${document.info.version}</p></div>
<nav aria-label="Pages"><a href="${basePath}/">Overview</a> <a href="${basePath}/graphql">GraphQL</a> <a href="${basePath}/v1/openapi.json">OpenAPI document</a></nav></header>
<div class="reference">
<nav class="contents" aria-label="Routes">${tags.map(({ tag, own }) => contentsOf(tag.name, own))}</nav>
<main id="routes">
${introduction(document.info.description)}
${tags.map(
  ({
    tag,
    own,
  }) => html`<section aria-labelledby="tag-${tag.name}"><h2 id="tag-${tag.name}">${tag.name}</h2><p>${words(tag.description)}</p>
${own.map((route) => routeSection(reader, route))}</section>
`,
)}</main>
</div>
`
}

function contentsOf(tag: string, routes: readonly Route[]): Html {
  return html`<h2><a href="#tag-${tag}">${tag}</a></h2><ul>${routes.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a></li>`,
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

function routeSection(reader: ApiReader, { method, path, operation }: Route): Html {
  const id = operation.operationId
  const parameters = operation.parameters.map((one) => reader.resolved<ApiParameter>(one))
  const sample = method === 'GET' ? sampleOf(path, parameters) : path
  const [status = '', success] = Object.entries(operation.responses)[0] ?? []
  return html`<article class="route" aria-labelledby="${id}">
<h3 id="${id}"><a href="#${id}"><span class="method">${method}</span> <code>${path}</code></a></h3>
<p>${words(operation.description)}</p>
${parameters.length > 0 ? parameterTable(reader, parameters) : undefined}
${operation.requestBody ? bodyPart(reader, operation.requestBody.content) : undefined}
<h4>Request</h4>
${example(curlLine(method, sample, operation), 'curl')}
${method === 'GET' ? runForm(id, sample) : undefined}
${success ? responsePart(reader, status, reader.resolved<ApiResponse>(success)) : undefined}
${errorTable(reader, operation)}
</article>
`
}

function parameterTable(reader: ApiReader, parameters: readonly ApiParameter[]): Html {
  const rows = parameters.map(
    ({ name, in: where, required, description = '', schema }) => html`<tr><th scope="row"><code>${name}</code></th>
<td>${where}${required ? ', required' : ''}</td><td>${words(reader.typeOf(schema))}</td><td>${words(description)}</td></tr>`,
  )
  return table('Parameters', ['Name', 'In', 'Type', 'Meaning'], rows)
}

function bodyPart(reader: ApiReader, content: NonNullable<Operation['requestBody']>['content']): Html {
  const [[type = '', media] = []] = Object.entries(content)
  if (!media) return html``
  return html`${memberTable(reader, `Body (${type})`, media.schema)}${example(json(media.example), 'Example of a body')}`
}

function responsePart(reader: ApiReader, status: string, { description, content = {} }: ApiResponse): Html {
  const [[type = '', media] = []] = Object.entries(content)
  const heading = html`<h4>Response</h4><p><strong>${status}</strong> ${words(description)}</p>`
  if (!media) return heading
  const text = typeof media.example === 'string' ? media.example : json(media.example)
  return html`${heading}<details><summary>Example (${type})</summary>${example(text, 'Example of a response')}</details>
${fieldsPart(reader, media.schema)}`
}

/** The fields of what a response shows: of a list those of its entries. */
function fieldsPart(reader: ApiReader, schema: Schema): Html {
  const members = reader.membersOf(schema)
  const data = members.find(({ name }) => name === 'data')
  const shown = data ? data.schema : schema
  if (reader.membersOf(shown).length === 0) return html``
  const caption = data ? 'Fields of each entry of data' : 'Fields'
  return html`<details><summary>${caption}</summary>${memberTable(reader, caption, shown)}</details>`
}

function memberTable(reader: ApiReader, caption: string, schema: Schema): Html {
  const rows = reader.membersOf(schema).map(
    ({ name, schema: own, isRequired }) => html`<tr><th scope="row"><code>${name}</code></th>
<td>${isRequired ? 'always' : 'optional'}</td><td>${words(reader.typeOf(own))}</td><td>${words(own.description ?? '')}</td></tr>`,
  )
  return table(caption, ['Name', 'Given', 'Type', 'Meaning'], rows)
}

function errorTable(reader: ApiReader, { responses }: Operation): Html {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => {
      const { description } = reader.resolved<ApiResponse>(response)
      return html`<tr><th scope="row">${status}</th><td>${words(description)}</td></tr>`
    })
  return html`<details><summary>Errors</summary>${table('Errors', ['Status', 'Codes'], rows)}</details>`
}

function table(caption: string, columns: readonly string[], rows: readonly Html[]): Html {
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`)
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`
}

function example(text: string, name: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>`
}

/** Requests are sent by the page's script, with the key of the tab. */
function runForm(id: string, sample: string): Html {
  return html`<form class="run" data-run="${id}"><label for="run-${id}">Path and query</label>
<div class="row"><input id="run-${id}" value="${sample}" spellcheck="false" autocomplete="off" required><button type="submit">Run</button></div>
<output aria-live="polite"></output></form>`
}

/** A path with what it requires; of a list the first entries. */
function sampleOf(path: string, parameters: readonly ApiParameter[]): string {
  const query = parameters.flatMap(({ name, in: where, required }) => {
    if (where !== 'query') return []
    if (name === 'limit') return ['limit=5']
    return required ? [`${name}=${name === 'to' ? '2026-12-31' : '2026-01-01'}`] : []
  })
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

function curlLine(method: string, sample: string, { requestBody }: Operation): string {
  const [[type = '', media] = []] = Object.entries(requestBody?.content ?? {})
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $API_KEY"`,
    ...(media ? [`-H "Content-Type: ${type}" -d '${JSON.stringify(media.example)}'`] : []),
    `"$BASE_URL${sample}"`,
  ].join(' ')
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** The parts of an OpenAPI document that the reference shows. */
interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly (ApiParameter | Reference)[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, ApiResponse | Reference>>
}

interface ApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface ApiResponse {
  readonly description: string
  readonly content?: Content
}

interface Reference {
  readonly $ref: string
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly description?: string
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

/** Follows references within the document. */
class ApiReader {
  readonly document: ApiDocument

  constructor(document: JsonSchema) {
    // Our own document: openapi() builds it in this shape.
    this.document = document as unknown as ApiDocument
  }

  /** The object itself, or the component that it refers to. */
  resolved<T extends object>(one: T | Reference): T {
    const reference = '$ref' in one ? one.$ref : undefined
    if (typeof reference !== 'string') return one as T
    const [kind = '', name = ''] = reference.split('/').slice(-2)
    const found = this.document.components[kind]?.[name]
    if (!found) throw new Error(`The document has no ${reference}.`)
    return found as T
  }

  /** The type of a value, as a reader would call it. */
  typeOf(given: Schema): string {
    const schema = this.resolved<Schema>(given)
    if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
    if (schema.anyOf) return schema.anyOf.map((one) => this.typeOf(one)).join(' or ')
    if (schema.items) return `list of ${this.typeOf(schema.items)}`
    const [name = '', ...others] = [schema.type ?? 'object'].flat()
    return [[schema.format ?? name, ...this.boundsOf(schema)].join(', '), ...others].join(' or ')
  }

  private boundsOf({ minimum, maximum, maxLength, default: byDefault }: Schema): string[] {
    return [
      ...(minimum !== undefined && maximum !== undefined ? [`${minimum} to ${maximum}`] : []),
      ...(maxLength === undefined ? [] : [`at most ${maxLength.toLocaleString('en')} characters`]),
      ...(byDefault === undefined ? [] : [`by default \`${String(byDefault)}\``]),
    ]
  }

  /** The members of an object, or of the objects of a list. */
  membersOf(given: Schema): { name: string; schema: Schema; isRequired: boolean }[] {
    const schema = this.resolved<Schema>(given)
    if (schema.items) return this.membersOf(schema.items)
    const required = new Set(schema.required)
    return Object.entries(schema.properties ?? {}).map(([name, one]) => {
      return { name, schema: one, isRequired: required.has(name) }
    })
  }
}
