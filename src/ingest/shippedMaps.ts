import { SHEETS } from '../nouns.js'
import type { NounPlural } from '../vocabulary.js'
import { type IssueSeverity, TEXT_MAX } from '../vocabulary.js'
import { SEVERITY_WORDS, STATUS_WORDS } from './files/guess/words.js'
import { mappingOf } from './files/mapping.js'

/** A map that comes with the command. In its lines | parts columns, and commas part names of which one is there. */
interface MapFile {
  readonly reads: string
  /** Without it, an answer of the API that it reads. */
  readonly product?: string
  readonly signature: string
  readonly only?: string
  readonly where?: readonly Readonly<Record<string, unknown>>[]
  /** The columns of the usual rules of the noun, in their order; - is none. */
  readonly columns: string
  /** Its own rules. */
  readonly rules?: Readonly<Record<string, unknown>>
}

type MapFiles = Readonly<Record<string, MapFile>>

const names = (text: string) => text.split(', ')
const columnsIn = (line: string) => line.split(' | ').map(names)

/** What labels say about severity: most of them say something else. */
const LABELS: Readonly<Record<IssueSeverity, string>> = {
  CRITICAL: 'critical, blocker, urgent, p0, p1, sev1',
  HIGH: 'high, major, p2, sev2',
  MEDIUM: 'medium, normal, moderate, p3, sev3',
  LOW: 'low, minor, trivial, p4, sev4',
}

function valuesOf(words: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(words).flatMap(([value, list]) => names(list).map((word) => [word, value]))
  return Object.fromEntries(pairs)
}

/** Labels such as `critical`, `priority: high` and `severity::2`. */
function labelValues() {
  const marks = [': ', ':', '::', '/', '-']
  const kinds = ['severity', 'priority', 'prio', 'sev'].flatMap((kind) => marks.map((mark) => kind + mark))
  const labels = Object.entries(LABELS).flatMap(([value, list], index) => {
    const words = [...names(list), ...kinds.flatMap((kind) => [...names(list), index + 1].map((word) => kind + word))]
    return words.map((word) => [word, value])
  })
  return Object.fromEntries(labels)
}

const DATES =
  'yyyy-MM-dd | d.M.yyyy | d.M.yy | d/M/yyyy | M/d/yyyy | d/M/yy | M/d/yy | d-M-yyyy | M-d-yyyy | d/MMM/yy | d/MMM/yyyy | d MMM yyyy | d. MMM yyyy | d-MMM-yyyy | d-MMM-yy | MMM d, yyyy | MMM d yyyy'

/** A rule with these members for columns that the source may lack. */
const rule =
  (members: object) =>
  (...from: string[]) => ({ from, ...members, optional: true })
const needed = (...from: string[]) => ({ from })
const optional = rule({})
// An issue must have a severity.
const severity = rule({ values: { ...valuesOf(SEVERITY_WORDS), 'no priority': 'MEDIUM' }, whenBlank: 'MEDIUM' })
const NUMBERED = { CRITICAL: '1 - Critical, 1', HIGH: '2 - High, 2', MEDIUM: '3 - Medium, 3', LOW: '4 - Low, 4' }
const numberedSeverity = rule({ values: valuesOf(NUMBERED), whenBlank: 'MEDIUM' })
const labels = rule({ values: labelValues(), default: 'MEDIUM' })
const status = rule({ values: valuesOf(STATUS_WORDS.issues) })
const OKTA_STATUSES = { locked_out: 'ACTIVE', password_expired: 'ACTIVE' }
const personStatus = rule({ values: { ...valuesOf(STATUS_WORDS.people), ...OKTA_STATUSES } })
const blocked = rule({ values: { yes: 'INACTIVE', no: 'ACTIVE' } })
const isoDay = rule({ date: 'yyyy-MM-dd' })
// As the user's settings write it: the whole column shows how.
const localDay = rule({ date: DATES.split(' | '), months: ['de', 'fr', 'es', 'pt', 'pl'] })

/** The usual rules of issues; longer texts are cut, because one must not stop a tracker's file. */
const issueRules = (day: typeof isoDay) => ({
  reference: needed,
  title: (...from: string[]) => ({ from, cut: TEXT_MAX.headline }),
  description: rule({ cut: TEXT_MAX.description }),
  ...{ severity, status, assignee: optional, raisedOn: day, dueOn: day },
})

const personRules = () => ({
  ...{ name: needed, email: optional, externalId: needed },
  ...{ title: optional, department: optional, status: personStatus },
})

// The headings of Jira's CSV are in the language of the user.
const PROJECT = 'Project key, Projektschlüssel, Clé de projet, Clave del proyecto, Klucz projektu'
const KEY =
  'Issue key, Work item key, Vorgangsschlüssel, Clé de ticket, Clave de incidencia, Chave da item, Chave do item, Klucz zgłoszenia'
const SUMMARY = 'Summary, Zusammenfassung, Résumé, Resumen, Resumo, Podsumowanie'
const JIRA = [
  ...[KEY, SUMMARY],
  'Description, Beschreibung, Descripción, Descrição, Opis',
  'Priority, Priorität, Priorité, Prioridad, Prioridade, Priorytet',
  "Status, État, Estado, Status Category, Statuskategorie, Catégorie d'état, Categoría de estado",
  'Assignee, Zugewiesene Person, Bearbeiter, Personne assignée, Responsable, Persona asignada, Responsável',
  'Created, Erstellt, Création, Créée, Creada, Creado, Criado, Utworzono',
  "Due date, Fälligkeitsdatum, Date d'échéance, Fecha de vencimiento, Data limite, Termin",
].join(' | ')

const ISSUES: MapFiles = {
  'jira-csv': {
    product: 'a Jira export',
    reads: 'the CSV export of Jira (all or current fields), in English, German, French, Spanish, Portuguese or Polish',
    signature: `${KEY} | ${SUMMARY}`,
    columns: JIRA,
    // An export of the current fields has the key of the issue alone.
    rules: { project: { from: names(`${PROJECT}, ${KEY}`), before: '-' } },
  },
  'jira-json': {
    product: "an answer of Jira's REST API",
    reads: "Jira's REST API, version 2 or 3: GET /rest/api/3/search/jql",
    signature: 'key | fields.summary | fields.status, fields.issuetype',
    columns:
      'key | fields.summary | fields.description | fields.priority.name | fields.status.name, fields.status.statusCategory.key, fields.status.statusCategory.name | fields.assignee.emailAddress, fields.assignee.displayName | fields.created | fields.duedate',
    rules: {
      project: { from: ['fields.project.key', 'key'], before: '-' },
      assigneeName: optional('fields.assignee.displayName'),
    },
  },
  'github-json': {
    reads: "GitHub's REST API: GET /repos/OWNER/REPO/issues; pull requests are left out",
    signature: 'number | html_url | repository_url, events_url, comments_url',
    where: [{ column: 'pull_request', blank: true }],
    columns: 'number | title | body | - | state | assignees.login, assignee.login | created_at | milestone.due_on',
    rules: { severity: labels('labels.name'), reference: { from: 'number', prefix: 'GH-' }, url: 'html_url' },
  },
  'github-cli': {
    product: 'the output of gh',
    reads: 'gh issue list --json number,title,body,state,labels,assignees,url,createdAt,milestone',
    signature: 'number, url | title',
    only: 'assignees, author, body, closed, closedAt, closedByPullRequestsReferences, comments, createdAt, id, isPinned, labels, milestone, number, projectCards, projectItems, reactionGroups, state, stateReason, title, updatedAt, url',
    columns: '- | title | body | - | state | assignees.login | createdAt | milestone.dueOn',
    rules: {
      severity: labels('labels.name'),
      // The same whichever of the two was asked for.
      reference: { from: ['number', 'url'], after: '/issues/', prefix: 'GH-' },
      url: optional('url'),
    },
  },
  'gitlab-json': {
    reads: "GitLab's REST API: GET /projects/ID/issues",
    signature: 'iid | web_url | project_id',
    columns:
      'iid | title | description | - | state | assignees.username, assignee.username | created_at | due_date, milestone.due_date',
    rules: {
      severity: labels('labels', 'labels.name', 'severity'),
      assigneeName: optional('assignees.name', 'assignee.name'),
      url: 'web_url',
    },
  },
  'redmine-json': {
    reads: "Redmine's REST API: GET /issues.json",
    signature: 'subject | tracker.name | status.name',
    columns: 'id | subject | description | priority.name | status.name | assigned_to.name | created_on | due_date',
  },
  'redmine-csv': {
    product: 'a Redmine export',
    reads: 'the CSV export of Redmine, in English or German',
    signature: '# | Tracker | Subject, Thema',
    columns:
      '# | Subject, Thema | Description, Beschreibung | Priority, Priorität | Status | Assignee, Zugewiesen an | Created, Angelegt | Due date, Abgabedatum',
  },
  'openproject-json': {
    product: "an answer of OpenProject's API",
    reads: "OpenProject's API v3: GET /api/v3/work_packages",
    signature: 'subject | lockVersion, _type | _links.status',
    columns:
      'id | subject | description.raw | _links.priority.title | _links.status.title | _links.assignee.title, _links.responsible.title | createdAt | dueDate, date',
  },
  'azure-devops-csv': {
    product: 'an Azure DevOps export',
    reads: 'the CSV of a query in Azure Boards (Export to CSV)',
    signature: 'ID | Work Item Type | Title, Title 1 | State',
    columns:
      'ID | Title, Title 1, Title 2, Title 3, Title 4 | Description, Repro Steps | - | State | Assigned To | Created Date | Due Date, Target Date',
    rules: { severity: numberedSeverity('Severity', 'Priority') },
  },
  'asana-csv': {
    product: 'an Asana export',
    reads: 'the CSV export of an Asana project; a completed task is CLOSED, and its section is a detail',
    signature: 'Task ID | Completed At | Name | Section/Column',
    columns: 'Task ID | Name | Notes | Priority | - | Assignee Email, Assignee | Created At | Due Date',
    rules: {
      status: { closedBy: { 'Completed At': 'CLOSED' }, default: 'OPEN' },
      assigneeName: optional('Assignee'),
      'details.Section': optional('Section/Column'),
    },
  },
  'linear-csv': {
    product: 'a Linear export',
    reads: 'the CSV export of Linear',
    signature: 'ID | Team | Title | Status | Cycle Number, Estimate | Created',
    columns: 'ID | Title | Description | Priority | Status | Assignee | Created | Due Date',
  },
  'trello-csv': {
    product: 'a Trello export',
    reads: 'the CSV export of a Trello board; the list of a card is its status',
    signature: 'Card ID | Card Name | List Name',
    columns: 'Card ID | Card Name | Card Description | Priority | - | Members | - | Due Date',
    rules: {
      status: { ...status('Archived', 'List Name'), values: { ...valuesOf(STATUS_WORDS.issues), true: 'CLOSED' } },
      url: optional('Card URL'),
      'details.List': optional('List Name'),
      'details.Labels': optional('Labels'),
    },
  },
}

const WORKER = names('Preferred Name, Worker, Legal Name, Full Legal Name')

const PEOPLE: MapFiles = {
  'entra-json': {
    reads:
      'Microsoft Graph: GET /users?$select=id,displayName,mail,userPrincipalName,jobTitle,department,accountEnabled',
    signature: 'userPrincipalName | displayName | id',
    columns: 'displayName | mail, userPrincipalName | id | jobTitle | department | accountEnabled',
  },
  'entra-csv': {
    product: 'an export of Microsoft Entra',
    reads: 'the CSV of Download users in the Microsoft Entra or Azure portal',
    signature: 'userPrincipalName | displayName | id, objectId, Object Id',
    columns: 'displayName | mail, userPrincipalName | id, objectId, Object Id | jobTitle | department | accountEnabled',
  },
  'entra-bulk-csv': {
    product: 'a bulk template of Microsoft Entra',
    reads: 'the CSV template by which the Microsoft Entra admin center creates users in bulk',
    signature: 'Name [displayName] Required | User name [userPrincipalName] Required',
    columns:
      'Name [displayName] Required | User name [userPrincipalName] Required | - | Job title [jobTitle] | Department [department] | -',
    rules: { status: blocked('Block sign in (Yes/No) [accountEnabled] Required') },
  },
  'okta-json': {
    reads: "Okta's API: GET /api/v1/users",
    signature: 'id | status | profile.login | profile.email',
    columns: '- | profile.email, profile.login | id | profile.title | profile.department | status',
    rules: { name: { from: ['profile.firstName', 'profile.lastName'], join: ' ' } },
  },
  'google-csv': {
    product: 'an export of Google Workspace',
    reads: 'the CSV of Download users in the Google Admin console',
    signature: 'First Name [Required] | Last Name [Required] | Email Address [Required]',
    columns: '- | Email Address [Required] | - | Employee Title | Department | Status [READ ONLY]',
    rules: {
      name: { from: ['First Name [Required]', 'Last Name [Required]'], join: ' ' },
      externalId: optional('Employee ID'),
    },
  },
  'ad-csv': {
    product: 'an export of Active Directory',
    reads: 'Get-ADUser -Filter * -Properties EmailAddress,Title,Department,DisplayName | Export-Csv',
    signature: 'SamAccountName | DistinguishedName, ObjectGUID, SID',
    columns:
      'DisplayName, Name, CN | EmailAddress, mail, UserPrincipalName | ObjectGUID, SID, SamAccountName | Title | Department | Enabled',
  },
  'bamboohr-csv': {
    product: 'an export of BambooHR',
    reads: 'a report of BambooHR with Employee #, First Name, Last Name, Work Email, Job Title, Department and Status',
    signature: 'Employee #, EEID | First Name | Last Name | Work Email | Job Title',
    columns: '- | Work Email | Employee #, EEID | Job Title | Department, Division | Status',
    rules: { name: { from: ['First Name', 'Last Name'], join: ' ' } },
  },
  'workday-csv': {
    product: 'a report of Workday',
    reads: 'a worker report of Workday with Employee ID, Worker, Business Title and Supervisory Organization',
    signature: 'Employee ID, Worker ID | Business Title | Supervisory Organization, Worker Status, Worker',
    columns:
      '- | Email - Primary Work, Primary Work Email, Work Email, Email - Work | Employee ID, Worker ID | Business Title | Supervisory Organization, Department, Cost Center | -',
    rules: {
      name: { from: WORKER, before: ' (Terminated)' },
      status: {
        ...personStatus('Worker Status', 'Active Status', 'Employee Status'),
        closedBy: Object.fromEntries(WORKER.map((heading) => [heading, 'INACTIVE'])),
      },
    },
  },
}

export const SHIPPED_MAPS = [...shipped('issues', ISSUES, issueRules), ...shipped('people', PEOPLE, personRules)]

type UsualRules = Readonly<Record<string, (...from: string[]) => unknown>>

function shipped(noun: NounPlural, files: MapFiles, usual: (day: typeof isoDay) => UsualRules) {
  const fields = Object.keys(SHEETS[noun].inputs)
  return Object.entries(files).map(([name, { reads, where = [], ...file }]) => {
    const product = file.product ?? `an answer of ${reads.split(':')[0]}`
    // The maps of CSV exports are named so; the others read JSON.
    const isTable = name.endsWith('-csv')
    const columns = columnsIn(file.columns)
    const rules = Object.entries(usual(isTable ? localDay : isoDay)).flatMap(([field, rule], at) => {
      const from = columns[at] ?? []
      return from[0] === '-' ? [] : [[field, rule(...from)]]
    })
    return {
      ...{ noun, name, product, reads, source: isTable ? ('table' as const) : ('objects' as const) },
      signature: columnsIn(file.signature),
      only: file.only?.split(', '),
      mapping: () => mappingOf({ where, columns: { ...Object.fromEntries(rules), ...file.rules } }, name, fields),
    }
  })
}
