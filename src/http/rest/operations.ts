import { namesOf } from '../../fields.js'
import { SHEETS } from '../../nouns.js'
import { capitalized, ENTRY_PLURALS, type EntryPlural, HELD_NOUNS, type HeldNoun, NOUNS } from '../../vocabulary.js'
import { type Asked, type Body, documentsOf, filtersOf, rootField, type StoredOperation } from './documents.js'

/*
 * The GraphQL operations behind the REST routes, built from the schema. A body has exactly the columns of its sheet, or the
 * fields that stand here, so a new field of the schema is not added to /v1 by accident. A body's name is the name of its
 * schema in the OpenAPI document; a variable is a parameter, and `$input` is the request body.
 */

/** The fields of each body, of the type of its name or of another one. */
const BODIES: Readonly<Record<string, string | Body>> = {
  Person: `${SHEETS.people.columns.join(' ')} mergedInto`,
  Group: SHEETS.groups.columns.join(' '),
  Project: `${SHEETS.projects.columns.join(' ')} overdueIssueCount`,
  ...Object.fromEntries(HELD_NOUNS.map((noun) => [capitalized(noun), SHEETS[NOUNS[noun].plural].columns.join(' ')])),
  PersonRef: { on: 'Person', fields: 'id name' },
  GroupRef: { on: 'Group', fields: 'id name' },
  ProjectRef: { on: 'Project', fields: 'id key name' },
  Detail: 'name text',
  RiskMatrix: 'cells unassessed unplaced levels',
  RiskMatrixCell: 'likelihood impact count',
  RiskLevelCount: 'level count',
  IssueCounts: 'total severities statuses',
  IssueSeverityCount: 'severity count',
  IssueStatusCount: 'status count',
  SyncResult: `project=Project ${ENTRY_PLURALS.join(' ')} warnings`,
  SyncPersonnelResult: 'people groups warnings',
  SyncCounts: 'created updated unchanged closed',
  SyncWarning: 'pointer detail',
  Change: 'id action recordedAt effectiveOn by import fields',
  FeedEntry: {
    on: 'Change',
    fields: 'id cursor recordedAt effectiveOn action entity entityId reference title project by import fields',
  },
  FieldChange: 'field from to',
  ImportRun: 'id source file operator',
  Movements: 'since until counts risks issues projects',
  MovementCounts: 'new closed up down unchanged opened resolved worse slipped',
  RiskMovement: 'id reference title project movement scoreFrom scoreTo levelFrom levelTo rankFrom rankTo',
  IssueMovement: 'id reference title project movement severityFrom severityTo dueFrom dueTo',
  ProjectMovements: 'project counts',
  RiskTrend: 'points',
  RiskTrendPoint: 'on live unassessed low medium high critical score',
  OverdueByPerson: 'total people',
  OverduePerson: 'person personId name overdueIssueCount openIssueCount overdueRiskCount riskCount',
  ApiKey: 'name scopes projects expiresAt',
}

const PAGE = ['limit', 'cursor', 'total']
const BY_ID = { id: 'id' }
const BY_ID_OR_KEY = { idOrKey: 'id' }
const BY_REFERENCE = { idOrKey: 'project', reference: 'reference' }

/** A list, page by page, with all its filters but those that its path gives. */
function listOf(root: string, body: string, path: Asked['path'] = {}): Asked {
  const field = rootField(root)
  const given = filtersOf(field).filter((name) => !Object.values(path).includes(name))
  const order = field.args.some(({ name }) => name === 'orderBy') ? ['order'] : []
  return { root, path, given: [...given, ...order, ...PAGE], body }
}

const oneOf = (root: string, body: string, path: Asked['path'] = BY_ID): Asked => ({ root, path, body })
const figureOf = (root: string, body: string): Asked => ({ root, given: filtersOf(rootField(root)), body })
const viewOf = (root: string, parameters: string, body: string): Asked => ({ root, given: parameters.split(' '), body })
const historyOf = (root: string, path: Asked['path'] = BY_ID): Asked => ({
  ...{ root, path, inner: 'history', body: 'Change' },
  given: ['since', ...PAGE],
})
const changeBy = (root: string, body: string, path: Asked['path'] = {}): Asked => ({
  ...{ root, isChange: true, path, given: ['input'], body },
})
const changeOf = (root: string, path: NonNullable<Asked['path']>): Asked => ({ root, isChange: true, path })
const MEMBERSHIP = { id: 'groupId', personId: 'personId' }

/** What every noun has: a list, one of it, and the history of that one. */
function ofNoun<const Many extends string, const One extends string>(
  many: Many,
  one: One,
  root: string,
  path: Asked['path'] = BY_ID,
) {
  const name = one.charAt(0).toLowerCase() + one.slice(1)
  const asked = {
    [`list${many}`]: listOf(root, one),
    [`get${one}`]: oneOf(name, one, path),
    [`${name}History`]: historyOf(name, path),
  }
  // A cast: TypeScript does not follow computed names.
  return asked as Readonly<Record<`list${Many}` | `get${One}` | `${Uncapitalize<One>}History`, Asked>>
}

/** What the entries of projects have besides: those of a person and of a project, and what their reference names. */
type EntryOperation =
  | `list${'' | 'Person' | 'Project'}${Capitalize<EntryPlural>}`
  | `get${'' | 'Project'}${Capitalize<HeldNoun>}`
  | `${HeldNoun | `project${Capitalize<HeldNoun>}`}History`

const OF_ENTRIES = Object.fromEntries(
  HELD_NOUNS.flatMap((noun) => {
    const { plural, holder } = NOUNS[noun]
    const [one, many] = [capitalized(noun), capitalized(plural)]
    return Object.entries({
      ...ofNoun(many, one, plural),
      [`listPerson${many}`]: listOf(plural, one, { id: holder }),
      [`listProject${many}`]: listOf(plural, one, { idOrKey: 'project' }),
      [`getProject${one}`]: oneOf(noun, one, BY_REFERENCE),
      [`project${one}History`]: historyOf(noun, BY_REFERENCE),
    })
  }),
  // A cast, as above.
) as Readonly<Record<EntryOperation, Asked>>

const ASKED = {
  ...ofNoun('Personnel', 'Person', 'personnel'),
  addPerson: changeBy('addPerson', 'Person'),
  changePerson: changeBy('changePerson', 'Person', BY_ID),
  syncPersonnel: changeBy('syncPersonnel', 'SyncPersonnelResult'),

  ...ofNoun('Groups', 'Group', 'groups'),
  addGroup: changeBy('addGroup', 'Group'),
  changeGroup: changeBy('changeGroup', 'Group', BY_ID),
  removeGroup: changeOf('removeGroup', BY_ID),
  listMembers: listOf('personnel', 'Person', { id: 'group' }),
  addMember: changeOf('addMember', MEMBERSHIP),
  removeMember: changeOf('removeMember', MEMBERSHIP),

  ...ofNoun('Projects', 'Project', 'projects', BY_ID_OR_KEY),
  syncProject: changeBy('syncProject', 'SyncResult'),

  ...OF_ENTRIES,
  riskMatrix: figureOf('riskMatrix', 'RiskMatrix'),
  residualMatrix: figureOf('residualMatrix', 'RiskMatrix'),
  getRiskTrend: viewOf('riskTrend', 'from to step project projectStatus', 'RiskTrend'),
  issueCounts: figureOf('issueCounts', 'IssueCounts'),

  listChanges: viewOf('changes', 'entity project since limit cursor', 'FeedEntry'),
  getMovements: viewOf('movements', 'since until project level projectStatus limit including', 'Movements'),
  getOverdue: viewOf('overdueByPerson', 'on project projectStatus limit', 'OverdueByPerson'),
  getKey: { root: 'apiKey', body: 'ApiKey' },
} satisfies Readonly<Record<string, Asked>>

export type OperationName = keyof typeof ASKED

const bodies = Object.entries(BODIES).map(
  ([on, body]) => [on, typeof body === 'string' ? { on, fields: body } : body] as const,
)
/** Inside another body an entity is shown by what names it. */
const documentOf = documentsOf(new Map(bodies), { Person: 'PersonRef', Group: 'GroupRef', Project: 'ProjectRef' })

export const OPERATIONS = Object.fromEntries(
  namesOf(ASKED).map((name) => [name, documentOf(name, ASKED[name])]),
) as Readonly<Record<OperationName, StoredOperation>>

const OF_PERSON = 'Needs the scopes `personnel.read` and `projects.read`.'

/** What a route does, where its field says more, as it takes other arguments too. */
export const DESCRIPTIONS: Readonly<Partial<Record<OperationName, string>>> = {
  ...Object.fromEntries(
    HELD_NOUNS.map((noun) => {
      const what = NOUNS[noun].is.toLowerCase().replace('.', '')
      return [`project${capitalized(noun)}History`, `The changes of ${what}, by its reference there, oldest first.`]
    }),
  ),
  getPerson: 'One person, by id or e-mail, on the roster or not.',
  getGroup: 'One group, by id or name.',
  getRisk: 'One risk, by id, closed or not.',
  getIssue: 'One issue, by id, open or not.',
  listPersonRisks: `The live risks that the person owns, highest score first. ${OF_PERSON}`,
  listPersonIssues: `The open issues assigned to the person, most severe first. ${OF_PERSON}`,
  getProjectRisk: 'One risk of a project, by its reference there, closed or not.',
  getProjectIssue: 'One issue of a project, by its reference there, open or not.',
}
