import { builder, enumOf, needs } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { detailsField } from '../graph/details.js'
import { queryOne, timestampFields } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation/schema.js'
import { columns, computedField, referenceField } from '../graph/fields.js'
import { filterInput } from '../graph/inputs.js'
import { Person, personField } from '../personnel/people.graph.js'
import { entryKeys } from './projectEntries.js'
import { byReference, ENTRY_ORDERS_IN_WORDS, Project, TO_PROJECT } from './projects.graph.js'
import { type RiskRow, risks, risksOfPerson, risksOfProject } from './risks.js'
import { residualLevel, residualScore, riskLevel, riskRank } from './scores.js'

export const Risk = builder.objectRef<RiskRow>('Risk')
Risk.implement({
  description: 'An entry of the risk register. It belongs to its project and is read-only here.',
  ...needs('projects.read'),
})
columns(Risk, {
  id: { type: 'ID', description: 'The id of the risk.' },
  reference: { type: 'String', description: "Its name in the project's own register, such as R-7." },
  title: { type: 'String', description: 'What may happen, in one line.', ...displayed },
  description: { type: 'String', nullable: true, description: 'What may happen, in detail.' },
  category: { type: 'String', nullable: true, description: 'The kind of risk, in the words of the project.' },
  likelihood: { type: 'Int', nullable: true, description: 'How likely it is, 1 to 5; null while unassessed.' },
  impact: { type: 'Int', nullable: true, description: 'How severe it would be, 1 to 5; null while unassessed.' },
  score: {
    type: 'Int',
    description:
      'Likelihood times impact, or else scoreGiven, 0 while unassessed: the current exposure with the measures in place.',
  },
  scoreGiven: {
    type: 'Int',
    nullable: true,
    description: 'The score as the source gives it, 0 to 25, if it gives no likelihood and impact.',
  },
  status: { type: 'RiskStatus', description: 'Its status.' },
  response: { type: 'RiskResponse', nullable: true, description: 'The response to it.' },
  mitigation: { type: 'String', nullable: true, description: 'What is done about it, in words.' },
  cause: { type: 'String', nullable: true, description: 'What would cause it.' },
  residualLikelihood: {
    type: 'Int',
    nullable: true,
    description: 'How likely it will be after the response, 1 to 5; null while unassessed.',
  },
  residualImpact: {
    type: 'Int',
    nullable: true,
    description: 'How severe it would be after the response, 1 to 5; null while unassessed.',
  },
  ownerId: { type: 'ID', nullable: true, description: 'The user id of the owner.' },
  ownerName: { type: 'String', nullable: true, description: 'The owner as named by the source.' },
  url: { type: 'String', nullable: true, description: 'The link to it in its own system.' },
  raisedOn: { type: 'Date', description: 'The day it was raised.' },
  reviewOn: { type: 'Date', nullable: true, description: 'The day of the next review.' },
  dueOn: { type: 'Date', nullable: true, description: 'The day by which the response is due.' },
})
referenceField(Risk, 'project', { ...TO_PROJECT, by: 'projectId', description: 'The project that it threatens.' })
computedField(Risk, 'level', { type: 'RiskLevel', description: 'The level of the score.', computed: riskLevel })
computedField(Risk, 'residualScore', {
  type: 'Int',
  nullable: true,
  description: 'Residual likelihood times residual impact: the exposure that remains after the response.',
  computed: residualScore,
})
computedField(Risk, 'residualLevel', {
  type: 'RiskLevel',
  nullable: true,
  description: 'The level of the residual score.',
  computed: residualLevel,
})
computedField(Risk, 'rank', {
  type: 'Int',
  nullable: true,
  description:
    'The rank by score among all risks that are not closed, whatever the filter: 1, 1, 3. Null for a closed one.',
  computed: riskRank,
})
personField(Risk, 'owner', 'ownerId')
detailsField(Risk, risks.table)
timestampFields(Risk)
asEntity(Risk, { scope: 'projects.read', table: risks.table, keys: entryKeys })

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
