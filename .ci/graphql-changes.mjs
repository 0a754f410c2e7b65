// Finds changes between two printed GraphQL schemas that break clients, or subgraphs that build on the schema.
import { diff } from '@graphql-inspector/core'
import { buildSchema, parse } from 'graphql'

/** @typedef {import('./openapi-changes.mjs').Note} Note */

const isFederated = (sdl) => sdl.includes('specs.apollo.dev/federation/')

export function read(sdl) {
  // Not validated: a subgraph uses federation directives without defining them.
  return { sdl, schema: buildSchema(sdl, { assumeValidSDL: true, assumeValid: true }) }
}

/** @param {Note} note */
export async function compareContracts(before, after, note) {
  const levels = { BREAKING: 'breaking', DANGEROUS: 'dangerous', NON_BREAKING: 'compatible' }
  for (const { criticality, message, path, type } of await diff(before.schema, after.schema)) {
    // The inspector rates a removed @key like an added one, so compareFederation judges these directives.
    const isOurs = type.startsWith('DIRECTIVE_USAGE_') && /(^|\.)@(key|shareable|inaccessible|link)\b/.test(path ?? '')
    if (!isOurs) note(levels[criticality.level], path ?? 'schema', message)
  }
  compareFederation(before.sdl, after.sdl, note)
}

/** Every type, field and enum value with its federation directives: @inaccessible, @shareable and each @key. */
function federationMarks(sdl) {
  const marks = new Map()
  const mark = (coordinate, directives) => {
    const all = marks.get(coordinate) ?? new Set()
    for (const { name, arguments: given } of directives) {
      const args = Object.fromEntries(given.map((argument) => [argument.name.value, argument.value.value]))
      if (name.value === 'key' && args.resolvable !== false) all.add(`@key(${args.fields.trim().replace(/\s+/g, ' ')})`)
      if (name.value === 'shareable' || name.value === 'inaccessible') all.add(`@${name.value}`)
    }
    marks.set(coordinate, all)
  }
  for (const node of parse(sdl).definitions.filter(({ name }) => name)) {
    // @shareable on a type is short for @shareable on each of its fields, so moving it to the fields changes nothing.
    const [shared, own] = [true, false].map((is) =>
      node.directives?.filter((d) => (d.name.value === 'shareable') === is),
    )
    mark(node.name.value, own ?? [])
    for (const member of node.fields ?? node.values ?? []) {
      const coordinate = `${node.name.value}.${member.name.value}`
      mark(coordinate, [...member.directives, ...(shared ?? [])])
      for (const argument of member.arguments ?? []) mark(`${coordinate}.${argument.name.value}`, argument.directives)
    }
  }
  return marks
}

/** @param {Note} note */
function compareFederation(before, after, note) {
  if (isFederated(before) && !isFederated(after)) note('breaking', '@link', 'It is no longer a federation subgraph')
  const now = federationMarks(after)
  for (const [coordinate, old] of federationMarks(before)) {
    const marks = now.get(coordinate)
    if (!marks) continue
    for (const mark of [...old].filter((name) => !marks.has(name)))
      note(mark === '@inaccessible' ? 'compatible' : 'breaking', coordinate, `${mark} was removed`)
    for (const mark of [...marks].filter((name) => !old.has(name))) {
      // Before there was a subgraph, no router can have used it.
      const hidden = isFederated(before) ? 'breaking' : 'dangerous'
      note(mark === '@inaccessible' ? hidden : 'compatible', coordinate, `${mark} was added`)
    }
  }
}
