import type { InputFieldBuilder, InputFieldMap, InputObjectRef, InputShapeFromFields, ObjectRef } from '@pothos/core'
import { DETAILS, type Detail } from '../details.js'
import { type Fields, inputMeaning, type Values } from '../fields.js'
import type { Optional } from '../store/query/conditions.js'
import type { FilterMembers, FilterOf } from '../store/query/filters.js'
import { type AnyNoun, isShown } from '../store/query/nouns.js'
import { detailsOf, type Identified } from '../store/query/relations.js'
import { builder, needs } from './builder.js'
import { DetailType, detailsInput } from './details.js'
import type { EntityOptions } from './federation/references.js'
import { asEntity, displayed } from './federation/schema.js'
import { field, itemsField, type Types } from './fields.js'
import { bounded, boundedItems, neverNull } from './inputs.js'

/** The GraphQL type of a noun, with the fields that it declares; other subgraphs may show it by its `title`. */
export function entityType<T extends Identified>(
  name: string,
  description: string,
  { members }: AnyNoun,
  { title, ...entity }: EntityOptions<T> & { readonly title: string },
): ObjectRef<Types, T['$inferSelect']> {
  const type = builder.objectRef<T['$inferSelect']>(name)
  type.implement({ description, ...needs(entity.scope) })
  for (const [member, declared] of Object.entries(members)) {
    const more = member === title ? displayed.extensions : {}
    if (member === DETAILS) {
      const relation = detailsOf(entity.table)
      itemsField(type, DETAILS, { of: DetailType, description: declared.meaning, relation })
    } else if (isShown(declared) || !('role' in declared) || declared.column) {
      field(type, member, () => optionsOf(member, declared, more))
    }
  }
  const noun = name.toLowerCase()
  const instant = (member: string, description: string) =>
    field(type, member, () => ({ type: 'DateTime', description, extensions: { sql: { column: member } } }))
  instant('createdAt', `When the ${noun} was added.`)
  instant('updatedAt', `When the ${noun} was last changed.`)
  asEntity(type, entity)
  return type
}

/** How a member is shown: by its column, or computed by SQL. */
function optionsOf(name: string, declared: AnyNoun['members'][string], more: object) {
  const { meaning } = declared
  const extensions = { sql: { column: name }, ...more }
  if (isShown(declared)) {
    const { computed, isNullable: nullable, type } = declared
    return { type, nullable, description: meaning, extensions: computed ? { sql: { computed } } : extensions }
  }
  const { bound, isRequired, hasDefault = false } = declared
  const { description } = bound && 'minimum' in bound ? bounded(meaning, bound) : { description: meaning }
  const type = 'role' in declared ? declared.column : declared.type
  return { type, nullable: !isRequired && !hasDefault, description, extensions }
}

/** The fields of a record as arguments: details as a list, and the key that names it. */
type InputOf<F extends Fields, Key extends keyof F> = {
  readonly [Name in keyof F]?: Optional<Name extends typeof DETAILS ? readonly Detail[] : NonNullable<Values<F>[Name]>>
} & { readonly [Name in Key]: string }

interface RecordOptions<Key, More extends InputFieldMap> {
  /** What a record is for: with it, what a new one needs is required, never null, or only needed by new ones. */
  readonly use: keyof typeof MEANINGS
  /** The field that a synced record is always known by. */
  readonly key?: Key
  /** Further options of the type. */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** Inputs that are no fields of the noun. */
  readonly more?: (t: PothosInputs) => More
}
type PothosInputs = InputFieldBuilder<Types, 'InputObject'>

/** What is said of a field by the use of its record: a change says nothing of new ones. */
const MEANINGS = { add: inputMeaning, sync: inputMeaning, change: ({ meaning }: { meaning: string }) => meaning }

/** The input type of records with these fields. */
export function recordInput<
  F extends Fields,
  Key extends keyof F & string = never,
  More extends InputFieldMap = Record<never, never>,
>(
  name: string,
  description: string,
  fields: F,
  { use, key, extensions = {}, more }: RecordOptions<Key, More>,
): InputObjectRef<Types, InputOf<F, Key> & InputShapeFromFields<More>> {
  const ref = builder.inputType(name, {
    description,
    extensions,
    fields: (t) => {
      const inputs = Object.entries(fields).map(([member, one]) => {
        if (one.type === 'Detail') return [member, t.field(detailsInput)]
        const isNeeded = one.isRequired && (use === 'add' || member === key)
        const isKept = !isNeeded && (one.isRequired || (use === 'change' && one.hasDefault === true))
        const meaning = isKept && use === 'sync' ? `${one.meaning} A new one needs it.` : MEANINGS[use](one)
        const { bound, isList = false, type } = one
        const said = bound ? (isList ? boundedItems : bounded)(meaning, bound) : { description: meaning }
        const options = { ...(isKept ? neverNull(said) : said), required: isNeeded }
        return [member, t.field({ ...options, type: isList ? t.listRef(type) : type })]
      })
      return { ...Object.fromEntries(inputs), ...more?.(t) }
    },
  })
  // A cast: the input has the members that the type was made of.
  return ref as never
}

/** The input type of a filter, with the members that its noun declares. */
export function filterInput<M extends FilterMembers>(
  name: string,
  description: string,
  { members }: { readonly members: M },
): InputObjectRef<Types, FilterOf<M>> {
  const ref = builder.inputType(name, {
    description,
    // In the order of the noun: the printed schema is sorted.
    extensions: { members: Object.keys(members) },
    fields: (t) => {
      const inputs = Object.entries(members).map(
        ([member, { type, isList, mayBeNobody = false, bound, description }]) => {
          const options = bound ? (isList ? boundedItems : bounded)(description, bound) : { description }
          return [member, t.field({ ...options, type: isList ? t.listRef(type, { required: !mayBeNobody }) : type })]
        },
      )
      return Object.fromEntries(inputs)
    },
  })
  // A cast, as above.
  return ref as never
}
