import { builder, enumOf, needs } from '../graph/builder.js'
import { connectionOf, pageField, queryList } from '../graph/connections.js'
import { queryOne, stamps } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation.js'
import { boundedNumber, boundedText, boundedTexts } from '../graph/inputs.js'
import { columns, computedField, referenceField } from '../graph/sql/fields.js'
import { Person } from '../personnel/people.graph.js'
import { personnel } from '../personnel/people.js'
import { ASSESSMENT_MAX, type RiskLevel as RiskLevelName } from '../vocabulary.js'
import { byReference } from './entries.graph.js'
import { entryKeys } from './entries.js'
import { Project } from './projects.graph.js'
import { projects } from './projects.js'
import {
  type RiskRow,
  riskLevel,
  riskRank,
  risks,
  risksOfPerson,
  risksOfProject,
  SCORE_MAX,
  scoresOf,
} from './risks.js'

export const RiskStatus = enumOf('RiskStatus', 'Where a risk stands.', {
  OPEN: 'It may happen.',
  OCCURRED: 'It has happened, and is not dealt with yet.',
  CLOSED: 'It can no longer happen, or is dealt with.',
})

function scoresInWords(level: RiskLevelName): string {
  const scores = scoresOf(level)
  return `Score ${Math.min(...scores)} to ${Math.max(...scores)}.`
}

const RiskLevel = enumOf('RiskLevel', 'How grave a risk is, by its score.', {
  UNASSESSED: 'Score 0: likelihood and impact are not judged yet.',
  LOW: scoresInWords('LOW'),
  MEDIUM: scoresInWords('MEDIUM'),
  HIGH: scoresInWords('HIGH'),
  CRITICAL: scoresInWords('CRITICAL'),
})

export const RiskResponse = enumOf('RiskResponse', 'What is done about a risk.', {
  AVOID: 'Things are changed so that it cannot happen.',
  MITIGATE: 'It is made less likely or less grave.',
  TRANSFER: 'Someone else bears it: an insurer, a supplier.',
  ACCEPT: 'It is borne as it is.',
})

export const Risk = builder.objectRef<RiskRow>('Risk')
Risk.implement({
  description: 'An entry of the risk register. It belongs to its project and is read-only here.',
  ...needs('projects.read'),
})
columns(Risk, {
  id: { type: 'ID', description: 'The id of the risk.' },
  reference: { type: 'String', description: "Its name in the project's own register, such as R-7." },
  title: { type: 'String', description: 'What may happen, in a line.', ...displayed },
  description: { type: 'String', nullable: true, description: 'What may happen, at length.' },
  category: { type: 'String', nullable: true, description: 'The kind of risk, in the words of the project.' },
  likelihood: { type: 'Int', nullable: true, description: 'How likely it is, 1 to 5; null while unassessed.' },
  impact: { type: 'Int', nullable: true, description: 'How grave it would be, 1 to 5; null while unassessed.' },
  score: {
    type: 'Int',
    description: "Likelihood times impact, 0 while unassessed: today's exposure, with the measures now in place.",
  },
  status: { type: RiskStatus, description: 'Where it stands.' },
  response: { type: RiskResponse, nullable: true, description: 'What is done about it.' },
  ownerId: { type: 'ID', nullable: true, description: 'The user id of who looks after it.' },
  ownerName: { type: 'String', nullable: true, description: 'Who looks after it, as the source wrote it.' },
  url: { type: 'String', nullable: true, description: 'Where it is kept.' },
  raisedOn: { type: 'Date', description: 'The day it was raised.' },
  reviewOn: { type: 'Date', nullable: true, description: 'The day it is to be looked at again.' },
})
referenceField(Risk, 'project', {
  to: Project,
  by: 'projectId',
  required: true,
  list: projects,
  scope: 'projects.read',
  description: 'The project that it threatens.',
})
computedField(Risk, 'level', { type: RiskLevel, description: 'How grave the score is.', computed: riskLevel })
computedField(Risk, 'rank', {
  type: 'Int',
  nullable: true,
  description:
    'The rank by score among all risks that are not closed, whatever the filter: 1, 1, 3. Null for a closed one.',
  computed: riskRank,
})
referenceField(Risk, 'owner', {
  to: Person,
  by: 'ownerId',
  list: personnel,
  scope: 'personnel.read',
  description: 'Who looks after it; needs the scope personnel.read.',
})
stamps(Risk)
asEntity(Risk, { scope: 'projects.read', table: risks.table, keys: entryKeys })

const RiskConnection = connectionOf(Risk, 'risks')

const RiskFilter = builder.inputType('RiskFilter', {
  description: 'Which risks. Conditions given together must all hold.',
  fields: (t) => ({
    project: t.stringList(boundedTexts('id', 'Of one of the projects with these keys, in any case, or ids.')),
    status: t.field({
      type: [RiskStatus],
      description: 'With one of these statuses; without it, whatever is not CLOSED.',
    }),
    level: t.field({ type: [RiskLevel], description: 'At one of these levels.' }),
    minScore: t.int(boundedNumber(0, SCORE_MAX, 'With this score or a higher one.')),
    likelihood: t.int(boundedNumber(1, ASSESSMENT_MAX, 'With this likelihood.')),
    impact: t.int(boundedNumber(1, ASSESSMENT_MAX, 'With this impact.')),
    owner: t.field({
      type: t.listRef('ID', { required: false }),
      ...boundedTexts(
        'email',
        'Owned by one of the people with these user ids or e-mails, which need personnel.read; null (`none` in REST) means nobody on the roster.',
      ),
    }),
    category: t.stringList(boundedTexts('category', 'Of one of these categories, in any case.')),
    reviewBefore: t.field({ type: 'Date', description: 'To be looked at again before this day.' }),
    search: t.string(boundedText('search', 'With this text in the title or the reference, in any case.')),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

pageField(Project, 'risks', {
  type: RiskConnection,
  filter: RiskFilter,
  scope: 'projects.read',
  description: 'The risks that threaten the project, the highest score first.',
  relation: risksOfProject,
})

pageField(Person, 'risks', {
  type: RiskConnection,
  filter: RiskFilter,
  scope: 'projects.read',
  description: 'The risks that the person owns, the highest score first; needs the scope projects.read.',
  relation: risksOfPerson,
})

queryList('risks', {
  type: RiskConnection,
  filter: RiskFilter,
  scope: 'projects.read',
  description: 'The risk register across all projects, the highest score first.',
  list: risks,
})

queryOne('risk', {
  type: Risk,
  scope: 'projects.read',
  description: 'One risk, by id, or by its project and its reference there, closed or not.',
  list: risks,
  ways: [byReference],
})
