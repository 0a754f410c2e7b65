import { type GraphQLNamedType, getNamedType, isObjectType } from 'graphql'
import { type CompiledRoute, compiledRoute } from '../rest/compiledRoutes.js'
import { DESCRIPTIONS } from '../rest/operations.js'
import { IN_GRAPHQL } from '../rest/parameters.js'
import { ROUTES, type Route, routeOf } from '../rest/routes.js'
import type { JsonObject } from './jsonSchema.js'

/** The type of the entity that a route is below. */
export function parentOf({ parent }: Route): GraphQLNamedType | undefined {
  const route = routeOf(parent)
  return route && getNamedType(compiledRoute(route).rootField.type)
}

/** What a route does: in words of its own, else those of the list that it shows of an entity, else of its root field. */
export function descriptionOf({ route, shown }: CompiledRoute): string {
  const type = parentOf(route)
  const part = route.path.split('/').at(-1) ?? ''
  const list = !shown.isInner && isObjectType(type) ? type.getFields()[part] : undefined
  return DESCRIPTIONS[route.operation] ?? (list ?? shown.field).description ?? ''
}

/** A document whose descriptions are those of the schema, in the words of REST. */
export function inRest(document: JsonObject): JsonObject {
  const lists = ROUTES.filter(({ method, path, type }) => method === 'GET' && !type && !path.includes('{'))
  const words = new Map([
    ...Object.entries(IN_GRAPHQL).map(([name, inGraphql]) => [inGraphql, name] as const),
    ...lists.map((route) => [compiledRoute(route).rootField.name, route.path] as const),
  ])
  // Names are in backticks: a word of prose stays.
  const spoken = (text: string) =>
    text.replace(/`(\w+)`/g, (code, name) => (words.has(name) ? `\`${words.get(name)}\`` : code))
  return JSON.parse(JSON.stringify(document), (member, value) =>
    (member === 'description' || member === 'summary') && typeof value === 'string' ? spoken(value) : value,
  )
}
