import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { openapi } from '../../src/http/openapi/document.js'
import type { TestResponse } from './harness.js'

/** The OpenAPI document without additional properties, so that undocumented members fail. */
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject> }>>
  components: { responses: Record<string, ResponseObject>; schemas: Record<string, object> }
}
interface ResponseObject {
  $ref?: string
  headers?: Record<string, unknown>
  content?: Record<string, { schema: object }>
}

const document = closed(openapi()) as Document
// Compiling takes most of the time of validating, so it is kept short.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } })
formats.default(ajv)
ajv.addSchema({ $id: 'http://openapi.example/document', components: document.components })

/** By schema object, so that each is compiled once. */
const validators = new Map<object, ValidateFunction>()
const PROBLEM = { $ref: '#/components/schemas/Problem' }
const templates = Object.keys(document.paths).map((path) => ({ path, pattern: patternOf(path) }))

/** Fails the test when a REST response does not match the OpenAPI document. */
export function requireDocumented(method: string, path: string, answer: TestResponse): void {
  const pathname = path.split('?')[0] ?? ''
  if (!pathname.startsWith('/v1/') || pathname === '/v1/openapi.json') return
  // A path without variables precedes one whose variable would match it, as OpenAPI has it.
  const template =
    templates.find(({ path: fixed }) => fixed === pathname) ?? templates.find(({ pattern }) => pattern.test(pathname))
  const operation = template && document.paths[template.path]?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()]
  if (!operation) {
    requireProblem(answer)
    return
  }
  const named = operation.responses[String(answer.status)]
  const documented = named?.$ref ? document.components.responses[named.$ref.split('/').at(-1) ?? ''] : named
  if (!documented) throw new Error(`${method} ${path} answered ${answer.status}, which is not documented.`)
  for (const name of Object.keys(documented.headers ?? {})) {
    const isOptional = ['Link', 'RateLimit-Policy', 'RateLimit', 'Idempotency-Replayed'].includes(name)
    if (!isOptional && !answer.headers.has(name))
      throw new Error(`${method} ${path} lacks the documented header ${name}.`)
  }
  if (method === 'HEAD') return
  const type = answer.headers.get('content-type') ?? ''
  // Described in words: a second media type would be a union in generated clients.
  if (type === 'application/cloudevents-batch+json') return
  if (!documented.content) {
    if (answer.text !== '' || type !== '') throw new Error(`${method} ${path} answered ${type}, where nothing belongs.`)
    return
  }
  // A list requested with `Accept: text/csv` is documented at the path of its CSV.
  const content = isCsv(type)
    ? (document.paths[`${template.path.replace(/\.csv$/, '')}.csv`]?.['get']?.responses['200']?.content ?? {})
    : documented.content
  const media = content[isCsv(type) ? 'text/csv' : type]
  if (!media) throw new Error(`${method} ${path} answered ${type}, which is not documented.`)
  requireValid(media.schema, answer, `${method} ${path}`)
}

function isCsv(type: string): boolean {
  return type.startsWith('text/csv;')
}

function requireProblem(answer: TestResponse): void {
  if (answer.status < 400 || answer.text === '') return
  requireValid(PROBLEM, answer, 'a problem')
}

function requireValid(shape: object, answer: TestResponse, what: string): void {
  const validate = validators.get(shape) ?? ajv.compile(absolute(shape))
  validators.set(shape, validate)
  if (!validate(answer.body ?? answer.text))
    throw new Error(`${what} is not as documented: ${ajv.errorsText(validate.errors)}\n${answer.text}`)
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]))
  return 'properties' in entries ? { additionalProperties: false, ...entries } : entries
}

function absolute(value: object): object {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/components', '"http://openapi.example/document#/components'))
}
