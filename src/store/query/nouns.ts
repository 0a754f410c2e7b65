import { type Field, type Fields, text, type ValueType } from '../../fields.js'
import type { AnyComputed, Computed, Identified } from './relations.js'

/*
 * What an entity has is declared once, in its noun, in the order in which sheets show it:
 *
 *     export const RISK = nounOf({
 *       id: idMember('The id of the risk.'),
 *       title: required(text('headline', 'What may happen, in one line.', 'Steel arrives late')),
 *       level: shown('RiskLevel', 'The level of the score.', { computed: riskLevel }),
 *       owner: asked(text('email', 'The owner: an e-mail, a user id, ...', 'ada@example.com')),
 *     })
 *
 * A member is one of three: a fact (a field alone: it is given, stored as given, and shown), a value that is asked for
 * but stored otherwise, because it names another row, or a value that is only shown. From them follow the fields of the
 * GraphQL type, its inputs, the columns of sheets with their page in the documents, and what a history tracks.
 */

/** A value that nobody gives: SQL computes it, or the service writes its column. */
export interface Shown {
  readonly role: 'SHOWN'
  readonly type: ValueType
  readonly meaning: string
  readonly isNullable: boolean
  readonly computed?: AnyComputed
}

/** What is given and is no fact of the row itself. */
export interface Asked {
  readonly role: 'ASKED'
  /** The type of its column, if a column of this name has what the value names. */
  readonly column?: ValueType
  /** Whether an export has it too. */
  readonly isExported: boolean
}

type Members = Readonly<Record<string, Shown | Field<unknown> | (Field<unknown> & Asked)>>

/** The members that are facts. */
type FactsOf<M> = { readonly [Name in keyof M as M[Name] extends { role: string } ? never : Name]: M[Name] }

/** The members that are given. */
type InputsOf<M> = { readonly [Name in keyof M as M[Name] extends Shown ? never : Name]: M[Name] }

/** A noun, for what does not care which. */
export interface AnyNoun {
  readonly members: Members
  readonly facts: Fields
  readonly inputs: Fields
  readonly columns: readonly string[]
}

export interface Noun<M extends Members> {
  readonly members: M
  /** What a row has as it was given. */
  readonly facts: FactsOf<M>
  /** What a record of a sheet or of an API can have. */
  readonly inputs: InputsOf<M>
  /** The columns of an export, in this order. */
  readonly columns: readonly string[]
}

export function nounOf<M extends Members>(members: M): Noun<M> {
  const all = Object.entries(members)
  const some = (isWanted: (member: Members[string]) => boolean) => all.filter(([, member]) => isWanted(member))
  const exported = some((member) => !('role' in member) || member.role === 'SHOWN' || member.isExported)
  return {
    members,
    // Casts: TypeScript does not follow filters of entries.
    facts: Object.fromEntries(some((member) => !('role' in member))) as FactsOf<M>,
    inputs: Object.fromEntries(some((member) => !isShown(member))) as InputsOf<M>,
    columns: [...exported.map(([name]) => name), 'createdAt', 'updatedAt'],
  }
}

export function isShown(member: Members[string]): member is Shown {
  return 'role' in member && member.role === 'SHOWN'
}

/** A value that is only shown. */
export function shown<T extends Identified>(
  type: ValueType,
  meaning: string,
  { isNullable = false, computed }: { readonly isNullable?: boolean; readonly computed?: Computed<T> } = {},
): Shown {
  // A cast: a computed value is only read of rows of its own table.
  return { role: 'SHOWN', type, meaning, isNullable, ...(computed && { computed: computed as unknown as AnyComputed }) }
}

/** A value that is given to name another row. */
export function asked<V>(field: Field<V>, { isExported = true } = {}): Field<V> & Asked {
  return { ...field, role: 'ASKED', isExported }
}

/** The same where a column of this name has it, such as `ownerId`. */
export function askedFor<V>(column: ValueType, field: Field<V>): Field<V> & Asked {
  return { ...asked(field), column }
}

/** The id of a row: its member `id`. */
export function idMember(meaning: string): Field<string> & Asked {
  return askedFor('ID', { ...text('reference', meaning, ''), rule: 'From an export; matched first.', hasDefault: true })
}
