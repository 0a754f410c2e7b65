import {
  type DocumentNode,
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
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'

/** Parses a query whose text and shape keep within the limits; what it costs is asked when it runs. */
export function parseWithinLimits(text: string, options: ParseOptions | undefined): DocumentNode {
  requireAtMost('characters', text.length, LIMITS.queryCharactersMax)
  const document = parseTokens(text, options)
  requireAtMost('directives', directivesIn(document), LIMITS.queryDirectivesMax)
  requireAtMost('root fields and aliases', namesIn(document), LIMITS.queryNamesMax)
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
  throw new Fault('TOO_COMPLEX', `The query has ${actual} ${what}; the most is ${most}. Ask in smaller parts.`)
}

/** Up to the first thing that is none: past the limit nobody cares whether the rest is right. */
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

/** Fields at the root, also where fragments bring them, and aliases anywhere: each may be work of its own. */
function namesIn(document: DocumentNode): number {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const roots = new Set<unknown>()
  let count = 0
  const countRoots = (selectionSet: SelectionSetNode, within: readonly string[]): void => {
    for (const node of selectionSet.selections) {
      if (node.kind === Kind.FIELD) {
        roots.add(node)
        count += 1
      } else if (node.kind === Kind.INLINE_FRAGMENT) countRoots(node.selectionSet, within)
      else {
        const { value: name } = node.name
        const fragment = fragments.get(name)
        // A fragment that leads back to itself is refused by the validation that follows.
        if (fragment && !within.includes(name) && count <= LIMITS.queryNamesMax) {
          countRoots(fragment.selectionSet, [...within, name])
        }
      }
    }
  }
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) countRoots(definition.selectionSet, [])
  }
  visit(document, {
    Field(node) {
      if (node.alias && !roots.has(node)) count += 1
    },
  })
  return count
}
