import { builder, enumOf, needs } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { detailsField } from '../graph/details.js'
import { queryOne, timestampFields } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation/schema.js'
import { columns, computedField, referenceField } from '../graph/fields.js'
import { boundedNumber, boundedText, boundedTexts } from '../graph/inputs.js'
import { heldBy, heldIn, Person, personField } from '../personnel/people.graph.js'
import { ASSESSMENT_MAX, SCORE_MAX } from '../vocabulary.js'
import { entryKeys } from './projectEntries.js'
import {
  byReference,
  ENTRY_ORDERS_IN_WORDS,
  Ownership,
  Project,
  ProjectStatus,
  RiskLevel,
  TO_PROJECT,
} from './projects.graph.js'
import { NO_MITIGATION, type RiskRow, risks, risksOfPerson, risksOfProject } from './risks.js'
import { residualLevel, residualScore, riskLevel, riskRank } from './scores.js'

export const RiskStatus = enumOf('RiskStatus', 'The status of a risk.', {
  OPEN: 'It may happen.',
  OCCURRED: 'It has happened and is not resolved yet.',
  CLOSED: 'It can no longer happen, or is resolved.',
})

export const RiskResponse = enumOf('RiskResponse', 'The response to a risk.', {
  AVOID: 'Plans are changed so that it cannot happen.',
  MITIGATE: 'Its likelihood or impact is reduced.',
  TRANSFER: 'Another party bears it, such as an insurer or a supplier.',
  ACCEPT: 'It is accepted as it is.',
})

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
  status: { type: RiskStatus, description: 'Its status.' },
  response: { type: RiskResponse, nullable: true, description: 'The response to it.' },
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
computedField(Risk, 'level', { type: RiskLevel, description: 'The level of the score.', computed: riskLevel })
computedField(Risk, 'residualScore', {
  type: 'Int',
  nullable: true,
  description: 'Residual likelihood times residual impact: the exposure that remains after the response.',
  computed: residualScore,
})
computedField(Risk, 'residualLevel', {
  type: RiskLevel,
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

export const RiskFilter = builder.inputType('RiskFilter', {
  description: 'Filters risks. All given conditions must hold.',
  fields: (t) => ({
    project: t.stringList(boundedTexts('id', 'In one of the projects with these keys or ids; keys in any case.')),
    projectStatus: t.field({ type: [ProjectStatus], description: 'In a project with one of these statuses.' }),
    status: t.field({
      type: [RiskStatus],
      description: 'With one of these statuses; by default all that are not CLOSED.',
    }),
    level: t.field({ type: [RiskLevel], description: 'At one of these levels.' }),
    minScore: t.int(boundedNumber(0, SCORE_MAX, 'With this score or a higher one.')),
    minResidualScore: t.int(boundedNumber(0, SCORE_MAX, 'With this residual score or a higher one.')),
    likelihood: t.int(boundedNumber(1, ASSESSMENT_MAX, 'With this likelihood.')),
    impact: t.int(boundedNumber(1, ASSESSMENT_MAX, 'With this impact.')),
    residualLikelihood: t.int(boundedNumber(1, ASSESSMENT_MAX, 'With this residual likelihood.')),
    residualImpact: t.int(boundedNumber(1, ASSESSMENT_MAX, 'With this residual impact.')),
    unplaced: t.boolean({
      description: 'Whether it has a score but not both factors: `unplaced` in `riskMatrix`.',
    }),
    owner: t.field({ type: t.listRef('ID', { required: false }), ...heldBy('Owned by') }),
    ownership: t.field({ type: [Ownership], description: 'Owned in one of these ways.' }),
    ownerDepartment: t.stringList(heldIn('Owned by')),
    category: t.stringList(boundedTexts('category', 'In one of these categories; case-insensitive.')),
    mitigated: t.boolean({
      description: `Whether it has a mitigation; marks such as "-", or only ${NO_MITIGATION.map((text) => `"${text}"`).join(', ')}, count as none.`,
    }),
    reviewBefore: t.field({ type: 'Date', description: 'With a review before this day.' }),
    reviewAfter: t.field({ type: 'Date', description: 'With a review after this day.' }),
    dueBefore: t.field({ type: 'Date', description: 'With a response due before this day.' }),
    dueAfter: t.field({ type: 'Date', description: 'With a response due after this day.' }),
    search: t.string(boundedText('search', 'Contains this text in the title or the reference; case-insensitive.')),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

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
