import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
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
import { fragmentsOf } from '../../graph/query/selections.js'
import { LIMITS } from '../../limits.js'

/** Parses a query and enforces the limits on its text and shape; its cost is checked when it runs. */
export function parseWithinLimits(text: string, options: ParseOptions | undefined): DocumentNode {
  requireAtMost('characters', text.length, LIMITS.queryCharactersMax)
  const document = parseTokens(text, options)
  const fragments = new Map(Object.entries(fragmentsOf(document)))
  const { directives, names, introspected } = countsIn(document, fragments)
  requireAtMost('directives', directives, LIMITS.queryDirectivesMax)
  requireAtMost('root fields and aliases', names, LIMITS.queryNamesMax)
  requireAtMost('fields of introspection', introspected, LIMITS.introspectedFieldsMax)
  const { fields, repeats } = expandedIn(document, fragments)
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

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** Counts directives, names (root fields and aliases) and introspected fields, which no cost covers. */
function countsIn(document: DocumentNode, fragments: Fragments) {
  const roots = new Set<FieldNode>()
  const rootsIn = counterOf(fragments, (field) => {
    roots.add(field)
    return 1
  })
  const fieldsIn = counterOf(fragments, ({ selectionSet }) => 1 + (selectionSet ? fieldsIn(selectionSet) : 0))
  const counts = { directives: 0, names: 0, introspected: 0 }
  visit(document, {
    OperationDefinition({ selectionSet }) {
      counts.names += rootsIn(selectionSet)
    },
    Directive() {
      counts.directives += 1
    },
    Field({ name, alias, selectionSet }) {
      if (alias) counts.names += 1
      if (selectionSet && INTROSPECTING.has(name.value)) counts.introspected += fieldsIn(selectionSet)
    },
  })
  for (const { alias } of roots) if (alias) counts.names -= 1
  return counts
}

const INTROSPECTING = new Set(['__schema', '__type'])

/** Adds up over a selection and its fragments, each counted once. A missing or recursive one is 0, and invalid. */
function counterOf(fragments: Fragments, countField: (field: FieldNode) => number) {
  const known = new Map<string, number>()
  const count = ({ selections }: SelectionSetNode): number => {
    let sum = 0
    for (const node of selections) {
      if (node.kind === Kind.FIELD) sum += countField(node)
      else if (node.kind === Kind.INLINE_FRAGMENT) sum += count(node.selectionSet)
      else {
        const name = node.name.value
        const fragment = fragments.get(name)
        if (fragment && !known.has(name)) known.set(name, 0).set(name, count(fragment.selectionSet))
        sum += known.get(name) ?? 0
      }
    }
    return sum
  }
  return count
}

/** A node in a place of the response, and the fragments around it: one inside itself is not expanded again. */
interface Placed<Node = { readonly selectionSet?: SelectionSetNode | undefined }> {
  readonly node: Node
  readonly within: readonly string[]
}

/** Fields with fragments expanded, and those with the name of another in the same place: validation compares pairs. */
function expandedIn(document: DocumentNode, fragments: Fragments): { fields: number; repeats: number } {
  const used = new Set<string>()
  const repeated = new Set<FieldNode>()
  let fields = 0
  const isOver = () => fields > LIMITS.queryFieldsMax || repeated.size > LIMITS.queryRepeatsMax
  const expand = (places: readonly Placed[]): void => {
    const named = new Map<string, Placed<FieldNode>[]>()
    for (const placed of fieldsInPlace(places, fragments, used)) {
      fields += 1
      if (fields > LIMITS.queryFieldsMax) return
      const { value: name } = placed.node.alias ?? placed.node.name
      const same = named.get(name) ?? []
      same.push(placed)
      named.set(name, same)
    }
    for (const same of named.values()) {
      if (same.length > 1) for (const { node } of same) repeated.add(node)
      if (!isOver()) expand(same)
    }
  }
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) expand([{ node, within: [] }])
  }
  // Fragments that are not used are invalid, but compared all the same.
  for (const [name, node] of fragments) if (!used.has(name)) expand([{ node, within: [name] }])
  return { fields, repeats: repeated.size }
}

/** The fields in one place of the response; a fragment that is spread twice there counts once, as in validation. */
function* fieldsInPlace(
  places: readonly Placed[],
  fragments: Fragments,
  used: Set<string>,
): Generator<Placed<FieldNode>> {
  const spread = new Set<string>()
  const pending = [...places]
  for (const { node: outer, within } of pending) {
    for (const node of outer.selectionSet?.selections ?? []) {
      if (node.kind === Kind.FIELD) yield { node, within }
      else if (node.kind === Kind.INLINE_FRAGMENT) pending.push({ node, within })
      else {
        const name = node.name.value
        const fragment = fragments.get(name)
        if (!fragment || spread.has(name) || within.includes(name)) continue
        spread.add(name)
        used.add(name)
        pending.push({ node: fragment, within: [...within, name] })
      }
    }
  }
}
