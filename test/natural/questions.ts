/**
 * Questions as newcomers ask them, written from the README and the demo's data alone, before a look at the schema.
 * A promise: each is answered as meant, or refused with the sentence that leads on. No later change may break one.
 */
import type { Question } from './checks.js'
import { GRAPHQL_QUESTIONS } from './graphql.js'
import { HABITS } from './habits.js'
import { REST_QUESTIONS } from './rest.js'

export const NATURAL_QUESTIONS: readonly Question[] = [...GRAPHQL_QUESTIONS, ...REST_QUESTIONS, ...HABITS]
