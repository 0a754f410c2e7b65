import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type ParseOptions,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  TokenKind,
  visit,
} from 'graphql'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'

/** Parses a query and enforces the limits on its text and shape; its cost is checked when it runs. */
export function parseWithinLimits(text: string, options: ParseOptions | undefined): DocumentNode {
  requireAtMost('characters', text.length, LIMITS.queryCharactersMax)
  const document = parseTokens(text, options)
  requireAtMost('directives', directivesIn(document), LIMITS.queryDirectivesMax)
  requireAtMost('root fields and aliases', namesIn(document), LIMITS.queryNamesMax)
  requireAtMost('fields of introspection', introspectedIn(document), LIMITS.introspectedFieldsMax)
  const { fields, repeats } = expandedIn(document)
  requireAtMost('fields with its fragments expanded', fields, LIMITS.queryFieldsMax)
  requireAtMost('repeated fields in the same place', repeats, LIMITS.queryRepeatsMax)
  return document
}

function parseTokens(text: string, options: ParseOptions | undefined): DocumentNode {
  try {
    return parse(text, { ...options, maxTokens: LIMITS.queryTokensMax })
  } catch (error) {
    if (error instanceof GraphQLError && /more th\w+ \d+ tokens/.test(error.message)) {
      requireAtMost('tokens', tokensIn(text), LIMITS.queryTokensMax)
    }
    throw error
  }
}

function requireAtMost(what: string, actual: number, most: number): void {
  if (actual <= most) return
  throw new Fault('TOO_COMPLEX', `The query has ${actual} ${what}; the most is ${most}. Split the query.`)
}

/** Counts up to the first syntax error: past the limit, the rest need not be valid. */
function tokensIn(text: string): number {
  const lexer = new Lexer(new Source(text))
  let count = 0
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count += 1
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
  }
  return Math.max(count, LIMITS.queryTokensMax + 1)
}

function directivesIn(document: DocumentNode): number {
  let count = 0
  visit(document, {
    Directive() {
      count += 1
    },
  })
  return count
}

/** A part of a place in the response, and the fragments that it is in: one inside itself is not expanded again. */
interface Part {
  readonly selections: readonly SelectionNode[]
  readonly within: Within | undefined
}

/** A field in its place. */
interface Placed {
  readonly field: FieldNode
  readonly within: Within | undefined
}

interface Within {
  readonly fragment: string
  readonly outer: Within | undefined
}

/**
 * The fields of a document with its fragments expanded, and those that are in the same place of the response as another
 * of their name: validation compares every pair of those. Stops above the limits.
 */
function expandedIn(document: DocumentNode): { fields: number; repeats: number } {
  const fragments = fragmentsOf(document)
  const used = new Set<string>()
  const repeated = new Set<FieldNode>()
  let fields = 0
  const isOver = () => fields > LIMITS.queryFieldsMax || repeated.size > LIMITS.queryRepeatsMax
  const expand = (parts: readonly Part[]): void => {
    const named = new Map<string, Placed[]>()
    for (const placed of fieldsOf(parts, fragments, used)) {
      fields += 1
      if (fields > LIMITS.queryFieldsMax) return
      const name = responseName(placed.field)
      const same = named.get(name) ?? []
      same.push(placed)
      named.set(name, same)
    }
    for (const same of named.values()) {
      if (same.length > 1) for (const { field } of same) repeated.add(field)
      if (!isOver()) expand(same.map(partOf))
    }
  }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    expand([{ selections: definition.selectionSet.selections, within: undefined }])
  }
  // Fragments that are not used are invalid, but compared all the same.
  for (const [fragment, { selectionSet }] of fragments) {
    if (!used.has(fragment)) expand([{ ...selectionSet, within: { fragment, outer: undefined } }])
  }
  return { fields, repeats: repeated.size }
}

const partOf = ({ field, within }: Placed): Part => ({ selections: field.selectionSet?.selections ?? [], within })

/** The fields in one place of the response; a fragment that is spread twice there counts once, as in validation. */
function* fieldsOf(parts: readonly Part[], fragments: Fragments, used: Set<string>): Generator<Placed> {
  const spread = new Set<string>()
  const pending = [...parts]
  for (const { selections, within } of pending) {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) yield { field: node, within }
      else if (node.kind === Kind.INLINE_FRAGMENT) pending.push({ selections: node.selectionSet.selections, within })
      else {
        const name = node.name.value
        const fragment = fragments.get(name)
        if (!fragment || spread.has(name) || isIn(within, name)) continue
        spread.add(name)
        used.add(name)
        pending.push({ selections: fragment.selectionSet.selections, within: { fragment: name, outer: within } })
      }
    }
  }
}

function isIn(within: Within | undefined, name: string): boolean {
  for (let one = within; one; one = one.outer) if (one.fragment === name) return true
  return false
}

const responseName = ({ alias, name }: FieldNode): string => alias?.value ?? name.value

/** Root fields, those in fragments included, and aliases below the root: each may be separate work. */
function namesIn(document: DocumentNode): number {
  const fragments = fragmentsOf(document)
  const roots = new Set<FieldNode>()
  const count = counterOf(fragments, (field) => {
    roots.add(field)
    return 1
  })
  let names = 0
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) names += count(definition.selectionSet)
  }
  visit(document, {
    Field(node) {
      if (node.alias && !roots.has(node)) names += 1
    },
  })
  return names
}

/** Fields below `__schema` and `__type`, fragments expanded: neither the depth nor the cost limit covers them. */
function introspectedIn(document: DocumentNode): number {
  const count = counterOf(fragmentsOf(document), ({ selectionSet }) => 1 + (selectionSet ? count(selectionSet) : 0))
  let fields = 0
  visit(document, {
    Field(node) {
      if ((node.name.value === '__schema' || node.name.value === '__type') && node.selectionSet) {
        fields += count(node.selectionSet)
      }
    },
  })
  return fields
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/**
 * Adds up `countField` over a selection and its fragments, each of which is counted once and its sum reused. A spread
 * of a missing fragment, or of one inside itself, counts as 0: the validation that follows refuses it.
 */
function counterOf(fragments: Fragments, countField: (field: FieldNode) => number) {
  const known = new Map<string, number>()
  const countFragment = (name: string): number => {
    const counted = known.get(name)
    if (counted !== undefined) return counted
    known.set(name, 0)
    const fragment = fragments.get(name)
    const count = fragment ? countSelections(fragment.selectionSet) : 0
    known.set(name, count)
    return count
  }
  const countSelections = ({ selections }: SelectionSetNode): number => {
    let count = 0
    for (const node of selections) {
      if (node.kind === Kind.FIELD) count += countField(node)
      else if (node.kind === Kind.INLINE_FRAGMENT) count += countSelections(node.selectionSet)
      else count += countFragment(node.name.value)
    }
    return count
  }
  return countSelections
}
