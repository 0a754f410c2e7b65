import type { DocumentNode, GraphQLError } from 'graphql'
import { SCOPE_NAMES } from '../../src/auth/scopes.js'
import { createContext } from '../../src/graph/builder.js'
import { answer, dataOf, errorsOf } from '../../src/graph/query/run.js'
import { operationIn } from '../../src/graph/query/selections.js'
import { schema } from '../../src/schema.js'
import type { Store } from '../../src/store/store.js'
import { NOW } from './harness.js'

/** Answers valid queries below HTTP, without its caches, for a caller with every scope. */
export function answering(store: Store) {
  const principal = { keyId: 'key_1', name: 'test', scopes: new Set(SCOPE_NAMES), projects: null, expiresAt: null }
  return async (document: DocumentNode, variables: Readonly<Record<string, unknown>> = {}): Promise<Answered> => {
    const operation = operationIn(schema, document)
    if (!operation) throw new Error('The document has no operation.')
    const context = createContext({ schema, store, principal, clock: () => NOW, onStatement: () => undefined })
    const answered = await answer(operation, variables, context)
    return { data: JSON.parse(Buffer.concat(dataOf(answered)).toString()), errors: errorsOf(answered).errors }
  }
}

interface Answered {
  readonly data: Readonly<Record<string, unknown>>
  readonly errors: readonly GraphQLError[]
}
