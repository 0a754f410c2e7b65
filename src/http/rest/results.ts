import { getNamedType } from 'graphql'
import { Fault } from '../../errors.js'
import { ChangedRow } from '../../graph/sql/compiledMutations.js'
import type { CompiledResult } from '../../graph/sql/compiledQueries.js'
import type { Separator } from '../../ingest/files/csv.js'
import { framed } from '../../store/query/framed.js'
import { Content, emptyAnswer, JSON_TYPE, respond } from '../wire/content.js'
import { longJson } from '../wire/longJson.js'
import type { Answer, Asked } from '../wire/request.js'
import { joined } from '../wire/slices.js'
import type { MediaType, StoredOperation } from './compiledRoutes.js'
import { csvContent, type Entry, entriesIn } from './csv.js'

/** A routed request: its operation and the negotiated media type. */
export interface Wanted {
  readonly asked: Asked
  readonly operation: StoredOperation
  /** Undefined if the response has no body. */
  readonly type: MediaType | undefined
  /** The path of the request, including the base path. */
  readonly path: string
  /** What stands between the cells of CSV. */
  readonly separator: Separator
}

/** The HTTP response for a compiled result, byte for byte the same as for the executed one. */
export async function answerWithCompiled({ roots: [root] }: CompiledResult, wanted: Wanted): Promise<Answer> {
  if (root?.list) {
    const { list } = root
    const next = nextOf(list.pageInfo)
    const { columns } = wanted.operation
    if (wanted.type === 'text/csv' && columns) {
      return pageWith(await csvContent(columns, entriesIn(list.entries), wanted.separator), next, wanted)
    }
    const page = JSON.stringify({ next, total: list.totalCount ?? null })
    const parts = [BEFORE_DATA, list.entries, Buffer.from(`],"page":${page}}`)] as const
    const bytes = framed(...parts) ?? (await joined(parts))
    return pageWith(new Content(JSON_TYPE, bytes), next, wanted)
  }
  if (!root?.isThere) throw nothingAt(wanted)
  // The store has built it of the fields that were asked for.
  if (wanted.operation.shown.isInner) return answerWith(JSON.parse(Buffer.concat(root.json).toString()), wanted)
  return respond(wanted.asked, new Content(JSON_TYPE, Buffer.concat(root.json)), {
    status: wanted.operation.route.status,
  })
}

const BEFORE_DATA = Buffer.from('{"data":[')

/** The HTTP response for the result of an executed operation or of a change. */
export async function answerWith(answer: unknown, wanted: Wanted): Promise<Answer> {
  const { asked, operation, path } = wanted
  const { route, isList, shown } = operation
  if (answer === null || answer === undefined) throw nothingAt(wanted)
  if (route.status === 204) return emptyAnswer()
  if (isList) {
    const list = shown.isInner ? (answer as Entry)[shown.node.name.value] : answer
    return listWith(list as ListAnswer, wanted)
  }
  const created = route.status === 201 ? { location: `${path}/${(answer as { id: string }).id}` } : undefined
  const content = answer instanceof ChangedRow ? new Content(JSON_TYPE, answer.json) : Content.json(answer)
  return respond(asked, content, { status: route.status, ...(created && { headers: created }) })
}

interface ListAnswer {
  readonly nodes: readonly Entry[]
  readonly pageInfo: PageInfo
  readonly totalCount?: number
}

interface PageInfo {
  readonly hasNextPage?: boolean
  readonly endCursor?: string | null
}

function nextOf({ hasNextPage, endCursor = null }: PageInfo): string | null {
  return hasNextPage ? endCursor : null
}

export function nothingAt({ operation: { rootField }, path }: Wanted): Fault {
  return new Fault('NOT_FOUND', `There is no ${getNamedType(rootField.type).name.toLowerCase()} at ${path}.`)
}

async function listWith({ nodes, pageInfo, totalCount }: ListAnswer, wanted: Wanted): Promise<Answer> {
  const { operation, type } = wanted
  const next = nextOf(pageInfo)
  const content =
    type === 'text/csv' && operation.columns
      ? await csvContent(operation.columns, nodes, wanted.separator)
      : new Content(JSON_TYPE, await longJson({ data: nodes, page: { next, total: totalCount ?? null } }))
  return pageWith(content, next, wanted)
}

function pageWith(content: Content, next: string | null, { asked, path, type, operation }: Wanted): Promise<Answer> {
  const { sheet } = operation.route
  const headers = {
    ...(next !== null && { link: nextLink(path, asked.url.searchParams, next) }),
    ...(type === 'text/csv' && { 'content-disposition': `attachment; filename="${sheet}.csv"` }),
  }
  return respond(asked, content, { headers })
}

function nextLink(path: string, query: URLSearchParams, next: string): string {
  const following = new URLSearchParams(query)
  following.set('cursor', next)
  return `<${path}?${following}>; rel="next"`
}
