import { builder, enumOf, needs } from '../graph/builder.js'
import { connect, connectionOf, nestedList, nestedListArgs, queryList } from '../graph/connections.js'
import { queryOne, referringBy, stamps } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation.js'
import { boundedNumber, boundedText, boundedTexts } from '../graph/inputs.js'
import { oncePerRequest, rowLoader } from '../graph/loaders.js'
import { toldBy } from '../graph/told.js'
import { Person, personById } from '../personnel/people.graph.js'
import { ASSESSMENT_MAX, type RiskLevel as RiskLevelName } from '../vocabulary.js'
import { entryKeys } from './entries.js'
import { Project, projectById } from './projects.graph.js'
import {
  levelOf,
  type RiskRow,
  riskRanks,
  risks,
  risksOfProject,
  SCORE_MAX,
  scoresOf,
  toldLevel,
  toldRank,
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

export const riskById = rowLoader(risks)
const ranks = oncePerRequest(riskRanks)

export const Risk = builder.objectRef<RiskRow>('Risk')
Risk.implement({
  description: 'An entry of the risk register. It belongs to its project and is read-only here.',
  ...needs('projects.read'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the risk.' }),
    reference: t.exposeString('reference', { description: "Its name in the project's own register, such as R-7." }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project that it threatens.',
      ...referringBy('projectId', 'projects.read', projectById),
    }),
    title: t.exposeString('title', { ...displayed, description: 'What may happen, in a line.' }),
    description: t.exposeString('description', { nullable: true, description: 'What may happen, at length.' }),
    category: t.exposeString('category', {
      nullable: true,
      description: 'The kind of risk, in the words of the project.',
    }),
    likelihood: t.exposeInt('likelihood', {
      nullable: true,
      description: 'How likely it is, 1 to 5; null while unassessed.',
    }),
    impact: t.exposeInt('impact', {
      nullable: true,
      description: 'How grave it would be, 1 to 5; null while unassessed.',
    }),
    score: t.exposeInt('score', {
      description: "Likelihood times impact, 0 while unassessed: today's exposure, with the measures now in place.",
    }),
    level: t.field({
      type: RiskLevel,
      description: 'How grave the score is.',
      extensions: toldBy(toldLevel),
      resolve: ({ score }) => levelOf(score),
    }),
    rank: t.int({
      nullable: true,
      description:
        'The rank by score among all risks that are not closed, whatever the filter: 1, 1, 3. Null for a closed one.',
      extensions: toldBy(toldRank),
      resolve: async ({ live, score }, _, context) => (live ? (await ranks(context))(score) : null),
    }),
    status: t.expose('status', { type: RiskStatus, description: 'Where it stands.' }),
    response: t.expose('response', { type: RiskResponse, nullable: true, description: 'What is done about it.' }),
    ownerId: t.exposeID('ownerId', { nullable: true, description: 'The user id of who looks after it.' }),
    owner: t.field({
      type: Person,
      nullable: true,
      description: 'Who looks after it; needs the scope personnel.read.',
      ...referringBy('ownerId', 'personnel.read', personById),
    }),
    ownerName: t.exposeString('ownerName', {
      nullable: true,
      description: 'Who looks after it, as the source wrote it.',
    }),
    url: t.exposeString('url', { nullable: true, description: 'Where it is kept.' }),
    raisedOn: t.expose('raisedOn', { type: 'Date', description: 'The day it was raised.' }),
    reviewOn: t.expose('reviewOn', {
      type: 'Date',
      nullable: true,
      description: 'The day it is to be looked at again.',
    }),
  }),
})
stamps(Risk)
asEntity(Risk, { scope: 'projects.read', table: risks.table, keys: entryKeys })

const RiskConnection = connectionOf(Risk, 'risks')

const RiskFilter = builder.inputType('RiskFilter', {
  description: 'Which risks. Conditions given together must all hold.',
  fields: (t) => ({
    project: t.stringList(boundedTexts('id', 'Of one of the projects with these keys or ids.')),
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
        'id',
        'Owned by one of the people with these user ids; null (`none` in REST) means nobody on the roster.',
      ),
    }),
    category: t.stringList(boundedTexts('category', 'Of one of these categories, in any case.')),
    reviewBefore: t.field({ type: 'Date', description: 'To be looked at again before this day.' }),
    search: t.string(boundedText('search', 'With this text in the title or the reference, in any case.')),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

builder.objectField(Project, 'risks', (t) =>
  t.field({
    type: RiskConnection,
    nullable: true,
    description: 'The risks that threaten the project, the highest score first.',
    ...needs('projects.read', nestedList),
    args: nestedListArgs(t.arg, RiskFilter),
    resolve: ({ id }, args, context) => connect(context, args, risksOfProject(id)),
  }),
)

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
  description: 'One risk, by id, closed or not.',
  load: riskById,
})
