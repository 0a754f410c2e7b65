import { DETAILS, detailField } from '../../details.js'
import { headingKey } from './header.js'
import { listed, type Place, UnreadableSheet } from './table.js'

/** The names of a noun's fields and computed columns, and the file's name for messages. */
interface ColumnOptions {
  readonly name: string
  readonly fields: readonly string[]
  readonly derived: readonly string[]
  readonly ignoreUnknown: boolean
}

/** Sorts the column names of a source into fields, computed columns and unknown ones. */
export class Columns {
  /** The source's name for the column of each field. */
  readonly named = new Map<string, string>()
  readonly derived = new Set<string>()
  readonly unknown = new Set<string>()
  readonly #options: ColumnOptions
  readonly #fields: ReadonlyMap<string, string>
  readonly #derived: ReadonlySet<string>
  /** Every name that was seen, so that each is resolved once. */
  readonly #met = new Map<string, string | undefined>()

  constructor(options: ColumnOptions) {
    this.#options = options
    this.#fields = new Map(options.fields.map((field) => [headingKey(field), field]))
    this.#derived = new Set(options.derived.map(headingKey))
  }

  /** Every name that was seen. */
  get met(): Iterable<string> {
    return this.#met.keys()
  }

  knows(name: string): boolean {
    const key = headingKey(name)
    return this.#fields.has(key) || this.#derived.has(key) || this.#detailOf(name) !== undefined
  }

  #detailOf(name: string): string | undefined {
    return this.#fields.has(DETAILS) ? detailField(name) : undefined
  }

  fieldOf(name: string): string | undefined {
    if (!this.#met.has(name)) this.#met.set(name, this.#meet(name))
    return this.#met.get(name)
  }

  #meet(name: string): string | undefined {
    const key = headingKey(name)
    // A detail may be called #, which has no letter to compare.
    const field = this.#detailOf(name) ?? this.#fields.get(key)
    if (field === undefined) (this.#derived.has(key) ? this.derived : this.unknown).add(name)
    else if (!this.named.has(field)) this.named.set(field, name)
    return field
  }

  requireSome(place?: Place): void {
    if (this.named.size > 0) return
    const sentence =
      `No column is known. The columns may be called ${this.#options.fields.join(', ')}. ` +
      'If the file has columns of other names, say in a map what they mean: --suggest-map prints one to start with, --map takes it.'
    throw new UnreadableSheet(this.#options.name, sentence, place)
  }

  requireKnown(place?: Place, advice?: string): void {
    if (this.unknown.size === 0 || this.#options.ignoreUnknown) return
    const sentences = [
      `Unknown ${this.unknown.size === 1 ? 'column' : 'columns'}: ${listed(this.unknown)}.`,
      'Ignore them with --ignore-unknown.',
      ...(advice === undefined ? [] : [advice]),
      `Known columns: ${this.#options.fields.join(', ')}.`,
    ]
    throw new UnreadableSheet(this.#options.name, sentences.join(' '), place)
  }
}
