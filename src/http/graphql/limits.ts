import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  Lexer,
  type ParseOptions,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  visit,
} from 'graphql'
import { Fault } from '../../errors.js'
import { fragmentsOf, type Operation } from '../../graph/query/selections.js'
import { LIMITS } from '../../limits.js'

/** Parses a query and enforces the limits on its text and shape; its cost is checked when it runs. */
export function parseWithinLimits(text: string, options: ParseOptions | undefined): DocumentNode {
  requireAtMost('characters', text.length, LIMITS.queryCharactersMax)
  const document = parseTokens(text, options)
  const { directives, names, introspected, fields, repeats } = countsIn(document)
  requireAtMost('directives', directives, LIMITS.queryDirectivesMax)
  requireAtMost('root fields and aliases', names, LIMITS.queryNamesMax)
  requireAtMost('fields of introspection', introspected, LIMITS.introspectedFieldsMax)
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

/** A node in a place of the response, and the fragments around it: one inside itself is not expanded again. */
interface Placed<Node = { readonly selectionSet?: SelectionSetNode | undefined }> {
  readonly node: Node
  readonly within: readonly string[]
  /** Whether it is below `__schema` or `__type`, which neither the depth nor the cost limit covers. */
  readonly isIntrospected: boolean
}

const INTROSPECTING = new Set(['__schema', '__type'])

/**
 * Counts what is separate work: directives, names (root fields, and aliases below the root), the fields with all
 * fragments expanded, and those in the same place of the response as another of their name, of which validation
 * compares every pair. Stops above the limits.
 */
function countsIn(document: DocumentNode) {
  const fragments = fragmentsOf(document)
  const used = new Set<string>()
  const aliased = new Set<FieldNode>()
  const repeated = new Set<FieldNode>()
  const counts = { directives: 0, roots: 0, fields: 0, introspected: 0 }
  visit(document, {
    Directive() {
      counts.directives += 1
    },
    Field(node) {
      if (node.alias) aliased.add(node)
    },
  })
  const isOver = () => counts.fields > LIMITS.queryFieldsMax || repeated.size > LIMITS.queryRepeatsMax
  const expand = (places: readonly Placed[], isRoot = false): void => {
    const named = new Map<string, Placed<FieldNode>[]>()
    for (const placed of fieldsOf(places, fragments, used)) {
      const { node, isIntrospected } = placed
      counts.fields += 1
      if (isRoot) counts.roots += 1
      if (isRoot) aliased.delete(node)
      if (isIntrospected) counts.introspected += 1
      if (counts.fields > LIMITS.queryFieldsMax) return
      const { value: name } = node.alias ?? node.name
      const inside = { ...placed, isIntrospected: isIntrospected || INTROSPECTING.has(node.name.value) }
      const same = named.get(name)
      if (same) same.push(inside)
      else named.set(name, [inside])
    }
    for (const same of named.values()) {
      if (same.length > 1) for (const { node } of same) repeated.add(node)
      if (!isOver()) expand(same)
    }
  }
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) expand([{ node, within: [], isIntrospected: false }], true)
  }
  // Fragments that are not used are invalid, but compared all the same.
  for (const [name, node] of Object.entries(fragments)) {
    if (!used.has(name)) expand([{ node, within: [name], isIntrospected: false }])
  }
  return { ...counts, names: counts.roots + aliased.size, repeats: repeated.size }
}

/** The fields in one place of the response; a fragment that is spread twice there counts once, as in validation. */
function* fieldsOf(
  places: readonly Placed[],
  fragments: Operation['fragments'],
  used: Set<string>,
): Generator<Placed<FieldNode>> {
  const spread = new Set<string>()
  const pending = [...places]
  for (const { node: outer, within, isIntrospected } of pending) {
    for (const node of outer.selectionSet?.selections ?? []) {
      if (node.kind === Kind.FIELD) yield { node, within, isIntrospected }
      else if (node.kind === Kind.INLINE_FRAGMENT) pending.push({ node, within, isIntrospected })
      else {
        const name = node.name.value
        const fragment = Object.hasOwn(fragments, name) ? fragments[name] : undefined
        if (!fragment || spread.has(name) || within.includes(name)) continue
        spread.add(name)
        used.add(name)
        pending.push({ node: fragment, within: [...within, name], isIntrospected })
      }
    }
  }
}
