import { type IssueSeverity, TEXT_MAX } from '../vocabulary.js'
import { SHEETS } from './columns.js'
import { SEVERITY_WORDS, STATUS_WORDS } from './files/guess/words.js'
import { mappingOf } from './files/mapping.js'
import type { Recognisable } from './files/maps/recognition.js'
import type { SheetNoun } from './files/table.js'

/** A map that comes with the command, in the form of a map file. */
interface MapFile extends Omit<Recognisable, 'mapping' | 'source'> {
  readonly reads: string
  readonly where?: readonly Readonly<Record<string, unknown>>[]
  readonly columns: Readonly<Record<string, unknown>>
}

/** What labels say about severity: most of them say something else. */
const LABELS: Readonly<Record<IssueSeverity, string>> = {
  CRITICAL: 'critical, blocker, urgent',
  HIGH: 'high, major',
  MEDIUM: 'medium, normal, moderate',
  LOW: 'low, minor, trivial',
}

function valuesOf(words: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(words).flatMap(([value, list]) => list.split(', ').map((word) => [word, value]))
  return Object.fromEntries(pairs)
}

/** Labels such as `priority: high`, `sev2` and `critical`. */
function labelValues() {
  const marks = [': ', ':', '::', '/', '-']
  const kinds = ['severity', 'priority', 'prio', 'sev'].flatMap((kind) => marks.map((mark) => kind + mark))
  const named = Object.entries(valuesOf(LABELS)).flatMap(([word, value]) =>
    ['', ...kinds].map((prefix) => [`${prefix}${word}`, value]),
  )
  const numbered = Object.keys(LABELS).flatMap((value, index) =>
    ['p', 'sev', 'severity::', 'priority::'].map((prefix) => [`${prefix}${index + 1}`, value]),
  )
  return Object.fromEntries([['p0', 'CRITICAL'], ...numbered, ...named])
}

const NUMERIC = ['yyyy-MM-dd', 'd.M.yyyy', 'd.M.yy', 'd/M/yyyy', 'M/d/yyyy', 'd/M/yy', 'M/d/yy', 'd-M-yyyy', 'M-d-yyyy']
const NAMED = [
  'd/MMM/yy',
  'd/MMM/yyyy',
  'd MMM yyyy',
  'd. MMM yyyy',
  'd-MMM-yyyy',
  'd-MMM-yy',
  'MMM d, yyyy',
  'MMM d yyyy',
]

/** A rule with these members for columns that the source may lack. */
const rule =
  (members: object) =>
  (...from: string[]) => ({ from, ...members, optional: true })
const optional = rule({})
// Longer texts are cut: one must not stop a tracker's file.
const title = (...from: string[]) => ({ from, cut: TEXT_MAX.headline })
const description = rule({ cut: TEXT_MAX.description })
// An issue must have a severity.
const severity = rule({
  values: { ...valuesOf(SEVERITY_WORDS), 'no priority': 'MEDIUM' },
  whenBlank: 'MEDIUM',
})
const severityOfLabels = rule({ values: labelValues(), default: 'MEDIUM' })
const status = rule({ values: valuesOf(STATUS_WORDS.issues) })
const OKTA_STATUSES = { locked_out: 'ACTIVE', password_expired: 'ACTIVE' }
const personStatus = rule({ values: { ...valuesOf(STATUS_WORDS.people), ...OKTA_STATUSES } })
const isoDay = rule({ date: 'yyyy-MM-dd' })
const LABELLED = [isoDay, severityOfLabels] as const
// As the user's settings write it: the whole column shows how.
const localDay = rule({ date: [...NUMERIC, ...NAMED], months: ['de', 'fr', 'es', 'pt', 'pl'] })

const names = (text: string) => text.split(', ')

/** A line of headings for the rules, in their order; what is parted by commas is one or the other, and - is none. */
function columnsOf(line: string, rules: Readonly<Record<string, (...from: string[]) => unknown>>) {
  const headings = line.split(' | ').map(names)
  const pairs = Object.entries(rules).map(([field, rule], at) => [field, rule(...(headings[at] ?? []))] as const)
  return Object.fromEntries(pairs.filter((_, at) => headings[at]?.[0] !== '-'))
}

const needed = (...from: string[]) => ({ from })

/** Reference | title | description | severity | status | assignee | raisedOn | dueOn. */
const issueColumns = (line: string, day: typeof isoDay, severityOf: typeof isoDay = severity) =>
  columnsOf(line, {
    ...{ reference: needed, title, description, severity: severityOf, status },
    ...{ assignee: optional, raisedOn: day, dueOn: day },
  })

/** Name | e-mail | externalId | title | department | status. */
const personColumns = (line: string) =>
  columnsOf(line, {
    ...{ name: needed, email: optional, externalId: needed },
    ...{ title: optional, department: optional, status: personStatus },
  })

// The headings of Jira's CSV are in the language of the user.
const PROJECT = names('Project key, Projektschlüssel, Clé de projet, Clave del proyecto, Klucz projektu')
const JIRA = [
  'Issue key, Work item key, Vorgangsschlüssel, Clé de ticket, Clave de incidencia, Chave da item, Chave do item, Klucz zgłoszenia',
  'Summary, Zusammenfassung, Résumé, Resumen, Resumo, Podsumowanie',
  'Description, Beschreibung, Descripción, Descrição, Opis',
  'Priority, Priorität, Priorité, Prioridad, Prioridade, Priorytet',
  "Status, État, Estado, Status Category, Statuskategorie, Catégorie d'état, Categoría de estado",
  'Assignee, Zugewiesene Person, Bearbeiter, Personne assignée, Responsable, Persona asignada, Responsável',
  'Created, Erstellt, Création, Créée, Creada, Creado, Criado, Utworzono',
  "Due date, Fälligkeitsdatum, Date d'échéance, Fecha de vencimiento, Data limite, Termin",
].join(' | ')
const [KEY = [], SUMMARY = []] = JIRA.split(' | ').map(names)

const ISSUES: readonly MapFile[] = [
  {
    name: 'jira-csv',
    product: 'a Jira export',
    reads: 'the CSV export of Jira (all or current fields), in English, German, French, Spanish, Portuguese or Polish',
    signature: [KEY, SUMMARY],
    columns: {
      ...issueColumns(JIRA, localDay),
      // An export of the current fields has the key of the issue alone.
      project: { from: [...PROJECT, ...KEY], before: '-' },
    },
  },
  {
    name: 'jira-json',
    product: "an answer of Jira's REST API",
    reads: "Jira's REST API, version 2 or 3: GET /rest/api/3/search/jql",
    signature: [['key'], ['fields.summary'], ['fields.status', 'fields.issuetype']],
    columns: {
      ...issueColumns(
        'key | fields.summary | fields.description | fields.priority.name | fields.status.name, fields.status.statusCategory.key, fields.status.statusCategory.name | fields.assignee.emailAddress, fields.assignee.displayName | fields.created | fields.duedate',
        isoDay,
      ),
      project: { from: ['fields.project.key', 'key'], before: '-' },
      assigneeName: optional('fields.assignee.displayName'),
    },
  },
  {
    name: 'github-json',
    product: "an answer of GitHub's REST API",
    reads: "GitHub's REST API: GET /repos/OWNER/REPO/issues; pull requests are left out",
    signature: [['number'], ['html_url'], ['repository_url', 'events_url', 'comments_url']],
    where: [{ column: 'pull_request', blank: true }],
    columns: {
      ...issueColumns(
        'number | title | body | labels.name | state | assignees.login, assignee.login | created_at | milestone.due_on',
        ...LABELLED,
      ),
      reference: { from: 'number', prefix: 'GH-' },
      url: 'html_url',
    },
  },
  {
    name: 'github-cli',
    product: 'the output of gh',
    reads: 'gh issue list --json number,title,body,state,labels,assignees,url,createdAt,milestone',
    signature: [['number', 'url'], ['title']],
    only: names(
      'assignees, author, body, closed, closedAt, closedByPullRequestsReferences, comments, createdAt, id, isPinned, labels, milestone, number, projectCards, projectItems, reactionGroups, state, stateReason, title, updatedAt, url',
    ),
    columns: {
      ...issueColumns(
        'number | title | body | labels.name | state | assignees.login | createdAt | milestone.dueOn',
        ...LABELLED,
      ),
      // The same whichever of the two was asked for.
      reference: { from: ['number', 'url'], after: '/issues/', prefix: 'GH-' },
      url: optional('url'),
    },
  },
  {
    name: 'gitlab-json',
    product: "an answer of GitLab's REST API",
    reads: "GitLab's REST API: GET /projects/ID/issues",
    signature: [['iid'], ['web_url'], ['project_id']],
    columns: {
      ...issueColumns(
        'iid | title | description | labels, labels.name, severity | state | assignees.username, assignee.username | created_at | due_date, milestone.due_date',
        ...LABELLED,
      ),
      assigneeName: optional('assignees.name', 'assignee.name'),
      url: 'web_url',
    },
  },
  {
    name: 'redmine-json',
    product: "an answer of Redmine's REST API",
    reads: "Redmine's REST API: GET /issues.json",
    signature: [['subject'], ['tracker.name'], ['status.name']],
    columns: issueColumns(
      'id | subject | description | priority.name | status.name | assigned_to.name | created_on | due_date',
      isoDay,
    ),
  },
  {
    name: 'redmine-csv',
    product: 'a Redmine export',
    reads: 'the CSV export of Redmine, in English or German',
    signature: [['#'], ['Tracker'], ['Subject', 'Thema']],
    columns: issueColumns(
      '# | Subject, Thema | Description, Beschreibung | Priority, Priorität | Status | Assignee, Zugewiesen an | Created, Angelegt | Due date, Abgabedatum',
      localDay,
    ),
  },
  {
    name: 'openproject-json',
    product: "an answer of OpenProject's API",
    reads: "OpenProject's API v3: GET /api/v3/work_packages",
    signature: [['subject'], ['lockVersion', '_type'], ['_links.status']],
    columns: issueColumns(
      'id | subject | description.raw | _links.priority.title | _links.status.title | _links.assignee.title, _links.responsible.title | createdAt | dueDate, date',
      isoDay,
    ),
  },
  {
    name: 'azure-devops-csv',
    product: 'an Azure DevOps export',
    reads: 'the CSV of a query in Azure Boards (Export to CSV)',
    signature: [['ID'], ['Work Item Type'], ['Title', 'Title 1'], ['State']],
    columns: {
      ...issueColumns(
        'ID | Title, Title 1, Title 2, Title 3, Title 4 | Description, Repro Steps | - | State | Assigned To | Created Date | Due Date, Target Date',
        localDay,
      ),
      severity: {
        ...severity('Severity', 'Priority'),
        values: {
          ...{ '1 - Critical': 'CRITICAL', '2 - High': 'HIGH', '3 - Medium': 'MEDIUM', '4 - Low': 'LOW' },
          ...{ 1: 'CRITICAL', 2: 'HIGH', 3: 'MEDIUM', 4: 'LOW' },
        },
      },
    },
  },
  {
    name: 'asana-csv',
    product: 'an Asana export',
    reads: 'the CSV export of an Asana project; a completed task is CLOSED, and its section is a detail',
    signature: [['Task ID'], ['Completed At'], ['Name'], ['Section/Column']],
    columns: {
      ...issueColumns(
        'Task ID | Name | Notes | Priority | - | Assignee Email, Assignee | Created At | Due Date',
        localDay,
      ),
      status: { closedBy: { 'Completed At': 'CLOSED' }, default: 'OPEN' },
      assigneeName: optional('Assignee'),
      'details.Section': optional('Section/Column'),
    },
  },
  {
    name: 'linear-csv',
    product: 'a Linear export',
    reads: 'the CSV export of Linear',
    signature: [['ID'], ['Team'], ['Title'], ['Status'], ['Cycle Number', 'Estimate'], ['Created']],
    columns: issueColumns('ID | Title | Description | Priority | Status | Assignee | Created | Due Date', localDay),
  },
  {
    name: 'trello-csv',
    product: 'a Trello export',
    reads: 'the CSV export of a Trello board; the list of a card is its status',
    signature: [['Card ID'], ['Card Name'], ['List Name']],
    columns: {
      ...issueColumns('Card ID | Card Name | Card Description | Priority | - | Members | - | Due Date', localDay),
      status: { ...status('Archived', 'List Name'), values: { ...valuesOf(STATUS_WORDS.issues), true: 'CLOSED' } },
      url: optional('Card URL'),
      'details.List': optional('List Name'),
      'details.Labels': optional('Labels'),
    },
  },
]

const WORKER = names('Preferred Name, Worker, Legal Name, Full Legal Name')

const PEOPLE: readonly MapFile[] = [
  {
    name: 'entra-json',
    product: 'an answer of Microsoft Graph',
    reads:
      'Microsoft Graph: GET /users?$select=id,displayName,mail,userPrincipalName,jobTitle,department,accountEnabled',
    signature: [['userPrincipalName'], ['displayName'], ['id']],
    columns: personColumns('displayName | mail, userPrincipalName | id | jobTitle | department | accountEnabled'),
  },
  {
    name: 'entra-csv',
    product: 'an export of Microsoft Entra',
    reads: 'the CSV of Download users in the Microsoft Entra or Azure portal',
    signature: [['userPrincipalName'], ['displayName'], ['id', 'objectId', 'Object Id']],
    columns: personColumns(
      'displayName | mail, userPrincipalName | id, objectId, Object Id | jobTitle | department | accountEnabled',
    ),
  },
  {
    name: 'entra-bulk-csv',
    product: 'a bulk template of Microsoft Entra',
    reads: 'the CSV template by which the Microsoft Entra admin center creates users in bulk',
    signature: [['Name [displayName] Required'], ['User name [userPrincipalName] Required']],
    columns: {
      ...personColumns(
        'Name [displayName] Required | User name [userPrincipalName] Required | - | Job title [jobTitle] | Department [department] | -',
      ),
      status: {
        ...optional('Block sign in (Yes/No) [accountEnabled] Required'),
        values: { yes: 'INACTIVE', no: 'ACTIVE' },
      },
    },
  },
  {
    name: 'okta-json',
    product: "an answer of Okta's API",
    reads: "Okta's API: GET /api/v1/users",
    signature: [['id'], ['status'], ['profile.login'], ['profile.email']],
    columns: {
      ...personColumns('- | profile.email, profile.login | id | profile.title | profile.department | status'),
      name: { from: ['profile.firstName', 'profile.lastName'], join: ' ' },
    },
  },
  {
    name: 'google-csv',
    product: 'an export of Google Workspace',
    reads: 'the CSV of Download users in the Google Admin console',
    signature: [['First Name [Required]'], ['Last Name [Required]'], ['Email Address [Required]']],
    columns: {
      ...personColumns('- | Email Address [Required] | - | Employee Title | Department | Status [READ ONLY]'),
      name: { from: ['First Name [Required]', 'Last Name [Required]'], join: ' ' },
      externalId: optional('Employee ID'),
    },
  },
  {
    name: 'ad-csv',
    product: 'an export of Active Directory',
    reads: 'Get-ADUser -Filter * -Properties EmailAddress,Title,Department,DisplayName | Export-Csv',
    signature: [['SamAccountName'], ['DistinguishedName', 'ObjectGUID', 'SID']],
    columns: personColumns(
      'DisplayName, Name, CN | EmailAddress, mail, UserPrincipalName | ObjectGUID, SID, SamAccountName | Title | Department | Enabled',
    ),
  },
  {
    name: 'bamboohr-csv',
    product: 'an export of BambooHR',
    reads: 'a report of BambooHR with Employee #, First Name, Last Name, Work Email, Job Title, Department and Status',
    signature: [['Employee #', 'EEID'], ['First Name'], ['Last Name'], ['Work Email'], ['Job Title']],
    columns: {
      ...personColumns('- | Work Email | Employee #, EEID | Job Title | Department, Division | Status'),
      name: { from: ['First Name', 'Last Name'], join: ' ' },
    },
  },
  {
    name: 'workday-csv',
    product: 'a report of Workday',
    reads: 'a worker report of Workday with Employee ID, Worker, Business Title and Supervisory Organization',
    signature: [
      ['Employee ID', 'Worker ID'],
      ['Business Title'],
      ['Supervisory Organization', 'Worker Status', 'Worker'],
    ],
    columns: {
      ...personColumns(
        '- | Email - Primary Work, Primary Work Email, Work Email, Email - Work | Employee ID, Worker ID | Business Title | Supervisory Organization, Department, Cost Center | -',
      ),
      name: { from: WORKER, before: ' (Terminated)' },
      status: {
        ...personStatus('Worker Status', 'Active Status', 'Employee Status'),
        closedBy: Object.fromEntries(WORKER.map((heading) => [heading, 'INACTIVE'])),
      },
    },
  },
]

export const SHIPPED_MAPS = [...shipped('issues', ISSUES), ...shipped('people', PEOPLE)]

function shipped(noun: SheetNoun, files: readonly MapFile[]) {
  const fields = Object.keys(SHEETS[noun].fields)
  return files.map(({ where = [], columns, ...file }) => ({
    ...file,
    noun,
    // The maps of CSV exports are named so; the others read JSON.
    source: file.name.endsWith('-csv') ? ('table' as const) : ('objects' as const),
    mapping: () => mappingOf({ where, columns }, file.name, fields),
  }))
}
