import type { ObjectRef } from '@pothos/core'
import type { Types } from './graph/fields.js'
import { Group } from './personnel/groups.graph.js'
import { Person } from './personnel/people.graph.js'
import { Issue } from './projects/issues.graph.js'
import { Project } from './projects/projects.graph.js'
import { Risk } from './projects/risks.graph.js'
import type { Tables } from './store/tables.js'
import type { NounName } from './vocabulary.js'

/** The GraphQL type of each noun. */
export const FACES: { readonly [N in NounName]: ObjectRef<Types, Tables[N]['$inferSelect']> } = {
  person: Person,
  group: Group,
  project: Project,
  risk: Risk,
  issue: Issue,
}
