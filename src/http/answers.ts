import { getNamedType } from 'graphql'
import { Fault } from '../errors.js'
import type { Answer, Asked } from './asked.js'
import { csvContent, type Entry } from './csv.js'
import { Content, emptyAnswer, respond } from './represent.js'
import type { StoredOperation } from './stored.js'

export type MediaType = 'application/json' | 'text/csv'

/** What was asked for, and how. */
interface Wanted {
  readonly asked: Asked
  readonly operation: StoredOperation
  /** Undefined where nothing is shown. */
  readonly type: MediaType | undefined
  /** With the base path. */
  readonly path: string
}

/** What HTTP makes of what an operation answers. */
export async function answerWith(answer: unknown, wanted: Wanted): Promise<Answer> {
  const { asked, operation, path } = wanted
  const { route, isList, rootField } = operation
  if (answer === null || answer === undefined) {
    throw new Fault('NOT_FOUND', `There is no ${getNamedType(rootField.type).name.toLowerCase()} at ${path}.`)
  }
  if (route.status === 204) return emptyAnswer()
  if (isList) return listWith(answer as ListAnswer, wanted)
  const created = route.status === 201 ? { location: `${path}/${(answer as { id: string }).id}` } : undefined
  return respond(asked, Content.json(answer), { status: route.status, ...(created && { headers: created }) })
}

interface ListAnswer {
  readonly nodes: readonly Entry[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly totalCount?: number
}

function listWith({ nodes, pageInfo, totalCount }: ListAnswer, wanted: Wanted): Promise<Answer> {
  const { asked, operation, type, path } = wanted
  const next = pageInfo.hasNextPage ? pageInfo.endCursor : null
  const content =
    type === 'text/csv' && operation.columns
      ? csvContent(operation.columns, nodes)
      : Content.json({ data: nodes, page: { next, total: totalCount ?? null } })
  return respond(asked, content, {
    headers: next === null ? {} : { link: nextLink(path, asked.url.searchParams, next) },
  })
}

function nextLink(path: string, query: URLSearchParams, next: string): string {
  const following = new URLSearchParams(query)
  following.set('cursor', next)
  return `<${path}?${following}>; rel="next"`
}
