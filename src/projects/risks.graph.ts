import { enumOf } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { queryOne } from '../graph/entities.js'
import { referenceField } from '../graph/fields.js'
import { entityType, filterInput } from '../graph/nouns.js'
import { Person, personField } from '../personnel/people.graph.js'
import { entryKeys } from './projectEntries.js'
import { byReference, ENTRY_ORDERS_IN_WORDS, Project, TO_PROJECT } from './projects.graph.js'
import { RISK, risks, risksOfPerson, risksOfProject } from './risks.js'

export const Risk = entityType(
  'Risk',
  'An entry of the risk register. It belongs to its project and is read-only here.',
  RISK,
  { scope: 'projects.read', table: risks.table, keys: entryKeys, title: 'title' },
)
referenceField(Risk, 'project', { ...TO_PROJECT, by: 'projectId', description: 'The project that it threatens.' })
personField(Risk, 'owner', 'ownerId')

const RiskConnection = connectionOf(Risk, 'risks')

export const RiskFilter = filterInput('RiskFilter', 'Filters risks. All given conditions must hold.', risks)

const LISTED = { type: RiskConnection, filter: RiskFilter, scope: 'projects.read' } as const

pageField(Project, 'risks', {
  ...LISTED,
  description: 'The live risks of the project, highest score first.',
  relation: risksOfProject,
})

pageField(Person, 'risks', {
  ...LISTED,
  description: 'The live risks that the person owns, highest score first; needs the scope projects.read.',
  relation: risksOfPerson,
})

const RiskOrder = enumOf('RiskOrder', 'The order of risks.', {
  RANK: 'The highest score first, then the highest impact, then the one raised first.',
  ...ENTRY_ORDERS_IN_WORDS,
})

queryList('risks', {
  ...LISTED,
  description: 'The risk register across all projects, ordered by rank (highest score first).',
  list: risks,
  order: { type: RiskOrder, own: 'RANK' },
})

queryOne('risk', {
  type: Risk,
  scope: 'projects.read',
  description: 'One risk, by id, or by its project and its reference there, closed or not.',
  list: risks,
  keys: [byReference],
})
