import { type Fields, names, projectKey, text } from '../fields.js'
import { GROUP_FIELDS } from '../personnel/groups.js'
import { PERSON_FIELDS } from '../personnel/people.js'
import { ISSUE_FIELDS } from '../projects/issues.js'
import { PROJECT_FIELDS } from '../projects/projects.js'
import { RISK_FIELDS } from '../projects/risks.js'
import type { SheetNoun } from './files/table.js'

const projectColumn = projectKey('The key of the project; or give --project for the whole file.', 'APOLLO')

const WHO = 'an e-mail, a user id, an externalId, or a name that is unique on the roster'

/** The three columns that name the owner of a risk or the assignee of an issue. */
function assigneeColumns<const N extends 'owner' | 'assignee'>(name: N) {
  return {
    // As long as an e-mail; a name that is stored has its own limit.
    [name]: text('email', `The ${name}: ${WHO}.`, 'ada@example.com'),
    [`${name}Id`]: text('reference', `The user id of the ${name}; ${name} beside it must name the same person.`, ''),
    [`${name}Name`]: text('name', `The ${name} as named by the source.`, ''),
  } as Record<N | `${N}Id` | `${N}Name`, ReturnType<typeof text>>
}

export const PEOPLE_COLUMNS = {
  ...PERSON_FIELDS,
  groups: names('All groups of the person, by name, externalId or id.', 'Bridge inspectors;Crisis team'),
  id: text('reference', 'The user id, from an export; matched first.', ''),
}

export const GROUP_COLUMNS = {
  ...GROUP_FIELDS,
  members: names('All members of the group, by e-mail or user id.', 'ada@example.com;grace@example.com'),
  member: text('email', 'One member, in a list with a row for each membership; instead of members.', ''),
  id: text('reference', 'The id of the group, from an export; matched first.', ''),
}

export const PROJECT_COLUMNS = {
  ...PROJECT_FIELDS,
  id: text('reference', 'The id of the project, from an export; matched first.', ''),
}

export const RISK_COLUMNS = {
  project: projectColumn,
  ...RISK_FIELDS,
  ...assigneeColumns('owner'),
  id: text('reference', 'The id of the risk, from an export; matched first.', ''),
}

export const ISSUE_COLUMNS = {
  project: projectColumn,
  ...ISSUE_FIELDS,
  ...assigneeColumns('assignee'),
  risk: text('reference', 'The reference of the risk that caused it, in the same project.', 'R-7'),
  riskId: text('reference', 'The id of that risk, instead of risk.', ''),
  id: text('reference', 'The id of the issue, from an export; matched first.', ''),
}

interface SheetPlan {
  readonly fields: Fields
  /** The columns of an export in this order: fields and computed columns. */
  readonly columns: readonly string[]
}

/** The columns of `import`, of `export` and of `Accept: text/csv`. */
export const SHEETS: Readonly<Record<SheetNoun, SheetPlan>> = {
  people: sheet(PEOPLE_COLUMNS, 'id name email externalId title department status groups details'),
  groups: sheet(GROUP_COLUMNS, 'id name externalId description memberCount'),
  projects: sheet(
    PROJECT_COLUMNS,
    'id key name description url status openRiskCount criticalRiskCount openIssueCount topRiskScore syncedAt details',
  ),
  risks: sheet(
    RISK_COLUMNS,
    'id project reference title description category likelihood impact scoreGiven score level rank status response',
    'mitigation cause residualLikelihood residualImpact residualScore residualLevel',
    'owner ownerId ownerName url raisedOn reviewOn dueOn details',
  ),
  issues: sheet(
    ISSUE_COLUMNS,
    'id project reference title description severity status assignee assigneeId assigneeName riskId',
    'url raisedOn dueOn details',
  ),
}

function sheet(fields: Fields, ...lines: string[]): SheetPlan {
  return { fields, columns: [...lines.join(' ').split(' '), 'createdAt', 'updatedAt'] }
}

/** The columns of an export that an import ignores, because they are computed. */
export function derivedColumns({ fields, columns }: SheetPlan): string[] {
  return columns.filter((column) => !Object.hasOwn(fields, column))
}
