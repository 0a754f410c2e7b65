import { getNamedType } from 'graphql'
import { Fault } from '../../errors.js'
import type { CompiledResult } from '../../graph/sql/compiledQueries.js'
import { ChangedRow } from '../../graph/sql/mutations/compiler.js'
import { ID_PREFIX } from '../../ids.js'
import type { Separator } from '../../ingest/files/csv.js'
import { Content, emptyResponse, JSON_TYPE, respond } from '../wire/content.js'
import { longJson } from '../wire/longJson.js'
import type { HttpRequest, HttpResponse } from '../wire/request.js'
import { joined } from '../wire/slices.js'
import type { CompiledRoute, MediaType } from './compiledRoutes.js'
import { csvContent, type Entry, JsonLines } from './csv.js'
import { eventsContent } from './feed/cloudEvents.js'
import { EVENTS_TYPE } from './routes.js'

/** A routed request: its operation and the negotiated media type. */
export interface RouteCall {
  readonly request: HttpRequest
  readonly operation: CompiledRoute
  /** Undefined if the response has no body. */
  readonly type: MediaType | undefined
  /** The path of the request, including the base path. */
  readonly path: string
  /** The largest response. */
  readonly bytesMax: number
  /** The separator of CSV cells. */
  readonly separator: Separator
}

/** The HTTP response for a compiled result, byte for byte the same as for the executed one. */
export async function respondWithCompiled({ roots: [root] }: CompiledResult, call: RouteCall): Promise<HttpResponse> {
  if (root?.list) {
    const { list } = root
    const next = nextOf(list.pageInfo, call)
    const { columns } = call.operation
    if (call.type === 'text/csv' && columns) {
      return pageWith(await csvContent(columns, new JsonLines(list.entries), call.separator), next, call)
    }
    const page = JSON.stringify(pageOf(list, next, call))
    const isEmpty = list.entries.length === 0
    if (call.type === EVENTS_TYPE) {
      return pageWith(await eventsContent(new JsonLines(list.entries), call), next, call, isEmpty)
    }
    const parts = [BEFORE_DATA, list.entries, Buffer.from(`],"page":${page}}`)] as const
    const bytes = await joined(parts)
    return pageWith(new Content(JSON_TYPE, bytes), next, call, isEmpty)
  }
  if (!root?.isThere) throw nothingAt(call)
  // The JSON is of the root entity; the response is the list nested in it.
  if (call.operation.shown.isInner) return respondWithResult(JSON.parse(Buffer.concat(root.json).toString()), call)
  return respond(call.request, new Content(JSON_TYPE, Buffer.concat(root.json)), {
    status: call.operation.route.status,
  })
}

const BEFORE_DATA = Buffer.from('{"data":[')

/** The HTTP response for the result of an executed operation or of a change. */
export async function respondWithResult(result: unknown, call: RouteCall): Promise<HttpResponse> {
  const { request, operation, path } = call
  const { route, isList, shown } = operation
  if (result === null || result === undefined) throw nothingAt(call)
  if (route.status === 204) return emptyResponse()
  if (isList) {
    const list = shown.isInner ? (result as Entry)[shown.node.name.value] : result
    return listWith(list as ListResult, call)
  }
  const created = route.status === 201 ? { location: `${path}/${(result as { id: string }).id}` } : undefined
  const content = result instanceof ChangedRow ? new Content(JSON_TYPE, result.json) : Content.json(result)
  return respond(request, content, { status: route.status, ...(created && { headers: created }) })
}

interface ListResult {
  readonly nodes: readonly Entry[]
  readonly pageInfo: PageInfo
  readonly totalCount?: number
}

interface PageInfo {
  readonly hasNextPage?: boolean
  readonly endCursor?: string | null
}

function nextOf({ hasNextPage, endCursor = null }: PageInfo, { operation }: RouteCall): string | null {
  return hasNextPage || operation.route.isFeed ? endCursor : null
}

function pageOf(
  { pageInfo, totalCount = null }: { readonly pageInfo: PageInfo; readonly totalCount?: number | null | undefined },
  next: string | null,
  { operation }: RouteCall,
) {
  return operation.route.isFeed ? { next, more: pageInfo.hasNextPage ?? false } : { next, total: totalCount }
}

export function nothingAt({ operation: { rootField, route }, path }: RouteCall): Fault {
  const noun = getNamedType(rootField.type).name.toLowerCase()
  return new Fault('NOT_FOUND', `There is no ${noun} at ${path}.${findingHint(noun, path, route)}`)
}

const PREFIXES = new Map<string, string>(Object.entries(ID_PREFIX))

/** Where to find what was named by something else than its id. */
function findingHint(noun: string, path: string, { path: pattern }: CompiledRoute['route']): string {
  const slash = path.lastIndexOf('/')
  const [list, given] = [path.slice(0, slash), path.slice(slash + 1)]
  const prefix = `${PREFIXES.get(noun)}_`
  if (!pattern.endsWith('/{id}') || given.startsWith(prefix)) return ''
  return ` Its id begins with ${prefix}: find it with ${list}?search=${given}.`
}

async function listWith(list: ListResult, call: RouteCall): Promise<HttpResponse> {
  const { operation, type } = call
  const { nodes, pageInfo } = list
  const next = nextOf(pageInfo, call)
  const content =
    type === 'text/csv' && operation.columns
      ? await csvContent(operation.columns, nodes, call.separator)
      : type === EVENTS_TYPE
        ? await eventsContent(nodes, call)
        : new Content(JSON_TYPE, await jsonOf({ data: nodes, page: pageOf(list, next, call) }, call))
  return pageWith(content, next, call, nodes.length === 0)
}

async function jsonOf(value: unknown, { bytesMax }: RouteCall): Promise<Buffer> {
  return joined(await longJson(value, bytesMax))
}

async function pageWith(
  content: Content,
  next: string | null,
  { request, path, type, operation }: RouteCall,
  isEmpty = false,
): Promise<HttpResponse> {
  const { sheet, isFeed } = operation.route
  const headers = {
    ...(next !== null && { link: nextLink(path, request.url.searchParams, next) }),
    ...(type === 'text/csv' && { 'content-disposition': `attachment; filename="${sheet}.csv"` }),
  }
  const response = await respond(request, content, { headers })
  return isFeed ? { ...response, isEmpty } : response
}

function nextLink(path: string, query: URLSearchParams, next: string): string {
  const following = new URLSearchParams(query)
  following.delete('lastEventId')
  following.set('cursor', next)
  return `<${path}?${following}>; rel="next"`
}
