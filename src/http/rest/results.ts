import { getNamedType } from 'graphql'
import type { Separator } from '../../csv.js'
import { Fault } from '../../errors.js'
import type { ListResult, RootResult } from '../../graph/query/readers.js'
import { ID_PREFIX } from '../../ids.js'
import { keysIn } from '../../store/query/cursors.js'
import type { Work } from '../../work.js'
import { Content, emptyResponse, JSON_TYPE, respond } from '../wire/content.js'
import type { HttpRequest, HttpResponse } from '../wire/request.js'
import { joined } from '../wire/slices.js'
import type { CompiledRoute, MediaType } from './compiledRoutes.js'
import { csvContent, JsonLines } from './csv.js'
import { eventsContent } from './feed.js'
import { NAMINGS } from './router.js'
import { CSV_TYPE, EVENTS_TYPE } from './routes.js'

/** A routed request: its operation and the negotiated media type. */
export interface RouteCall {
  readonly request: HttpRequest
  readonly operation: CompiledRoute
  /** Those of the path. */
  readonly parameters: Readonly<Record<string, string>>
  /** Undefined if the response has no body. */
  readonly type: MediaType | undefined
  /** The path of the request, including the base path. */
  readonly path: string
}

/** The HTTP response for the result of an operation; `separator` is that of CSV cells. */
export async function responseOf(
  root: RootResult,
  call: RouteCall,
  work: Work,
  separator: Separator = ',',
): Promise<HttpResponse> {
  const { request, operation, path } = call
  const { route, shown } = operation
  if (root.list) return listResponse(root.list, call, work, separator)
  if (!root.isThere) throw nothingAt(call)
  if (route.status === 204) return emptyResponse()
  const json = await joined(root.json)
  // The JSON is of the root entity; the response is the list nested in it.
  if (shown.isInner) return nestedResponse(json, call)
  const created = route.status === 201 ? { location: `${path}/${root.id}` } : undefined
  return respond(request, new Content(JSON_TYPE, json), { status: route.status, ...(created && { headers: created }) })
}

async function listResponse(
  list: ListResult,
  call: RouteCall,
  work: Work,
  separator: Separator,
): Promise<HttpResponse> {
  const { entries } = list
  const { operation, type, path } = call
  const { next, page } = pageOf(list, operation)
  const respondWith = (content: Content) => pageWith(content, next, call, entries.length === 0)
  if (type === CSV_TYPE && operation.columns)
    return respondWith(await csvContent(operation.columns, new JsonLines(entries, work), separator))
  if (type === EVENTS_TYPE) return respondWith(await eventsContent(new JsonLines(entries, work), path))
  const end = Buffer.from(`],"page":${JSON.stringify(page)}}`)
  return respondWith(new Content(JSON_TYPE, await joined([Buffer.from('{"data":['), entries, end])))
}

/** A page that is nested in an entity has at most a thousand entries. */
function nestedResponse(json: Buffer, call: RouteCall): Promise<HttpResponse> {
  const { operation } = call
  const { nodes, ...list } = JSON.parse(json.toString())[operation.shown.node.name.value]
  const { next, page } = pageOf(list, operation)
  return pageWith(Content.json({ data: nodes, page }), next, call, nodes.length === 0)
}

/** The cursor of the next page, and the member `page` of the body. */
function pageOf({ pageInfo, totalCount }: Pick<ListResult, 'pageInfo' | 'totalCount'>, { route }: CompiledRoute) {
  const { hasNextPage = false, endCursor = null } = pageInfo
  const next = hasNextPage || route.isFeed ? endCursor : null
  return { next, page: route.isFeed ? { next, more: hasNextPage } : { next, total: totalCount ?? null } }
}

export function nothingAt({ operation: { rootField, route }, path }: Pick<RouteCall, 'operation' | 'path'>): Fault {
  const noun = getNamedType(rootField.type).name.toLowerCase()
  return new Fault('NOT_FOUND', `There is no ${noun} at ${path}.${findingHint(path, route)}`)
}

/** How to name what was not found, and where to find it. */
function findingHint(path: string, { path: pattern }: CompiledRoute['route']): string {
  const slash = path.lastIndexOf('/')
  const [list, given] = [path.slice(0, slash), path.slice(slash + 1)]
  if (pattern.endsWith('/{reference}')) return ` Find it with ${list}?search=${given}.`
  const isOfOne = pattern.endsWith('/{id}') || pattern.endsWith('/{idOrKey}')
  const naming = NAMINGS[pattern.split('/')[2] ?? '']
  const prefix = naming && `${ID_PREFIX[naming.kind]}_`
  if (!isOfOne || !prefix || given.startsWith(prefix)) return ''
  const how = naming.identifiers ? `Name it by ${naming.identifiers}, or` : `Its id begins with ${prefix}:`
  return ` ${how} find it with ${list}?search=${given}.`
}

async function pageWith(
  content: Content,
  next: string | null,
  { request, path, type, operation }: RouteCall,
  isEmpty: boolean,
): Promise<HttpResponse> {
  const { sheet, isFeed } = operation.route
  const headers = {
    ...(next !== null && { link: nextLink(path, request.url.searchParams, next) }),
    ...(type === CSV_TYPE && { 'content-disposition': `attachment; filename="${sheet}.csv"` }),
  }
  const response = await respond(request, content, { headers })
  return isFeed && next !== null ? { ...response, isEmpty, endsWith: Number(keysIn(next)[0]) } : response
}

function nextLink(path: string, query: URLSearchParams, next: string): string {
  const following = new URLSearchParams(query)
  following.delete('lastEventId')
  following.set('cursor', next)
  return `<${path}?${following}>; rel="next"`
}
