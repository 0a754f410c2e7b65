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
// As the user's settings write it: the whole column shows how.
const localDay = rule({ date: [...NUMERIC, ...NAMED], months: ['de', 'fr', 'es', 'pt', 'pl'] })

const names = (text: string) => text.split(', ')

// The headings of Jira's CSV are in the language of the user.
const KEY = names(
  'Issue key, Work item key, Vorgangsschlüssel, Clé de ticket, Clave de incidencia, Chave da item, Chave do item, Klucz zgłoszenia',
)
const PROJECT = names('Project key, Projektschlüssel, Clé de projet, Clave del proyecto, Klucz projektu')
const SUMMARY = names('Summary, Zusammenfassung, Résumé, Resumen, Resumo, Podsumowanie')
const STATUS = names("Status, État, Estado, Status Category, Statuskategorie, Catégorie d'état, Categoría de estado")
const ASSIGNEE = names(
  'Assignee, Zugewiesene Person, Bearbeiter, Personne assignée, Responsable, Persona asignada, Responsável',
)
const DUE = names("Due date, Fälligkeitsdatum, Date d'échéance, Fecha de vencimiento, Data limite, Termin")

const GITHUB = {
  reference: { from: 'number', prefix: 'GH-' },
  title: title('title'),
  description: description('body'),
  severity: severityOfLabels('labels.name'),
  status: status('state'),
}

const ISSUES: readonly MapFile[] = [
  {
    name: 'jira-csv',
    product: 'a Jira export',
    reads: 'the CSV export of Jira (all or current fields), in English, German, French, Spanish, Portuguese or Polish',
    signature: [KEY, SUMMARY],
    columns: {
      // An export of the current fields has the key of the issue alone.
      project: { from: [...PROJECT, ...KEY], before: '-' },
      reference: { from: KEY },
      title: title(...SUMMARY),
      description: description('Description', 'Beschreibung', 'Descripción', 'Descrição', 'Opis'),
      severity: severity('Priority', 'Priorität', 'Priorité', 'Prioridad', 'Prioridade', 'Priorytet'),
      status: status(...STATUS),
      assignee: optional(...ASSIGNEE),
      raisedOn: localDay('Created', 'Erstellt', 'Création', 'Créée', 'Creada', 'Creado', 'Criado', 'Utworzono'),
      dueOn: localDay(...DUE),
    },
  },
  {
    name: 'jira-json',
    product: "an answer of Jira's REST API",
    reads: "Jira's REST API, version 2 or 3: GET /rest/api/3/search/jql",
    signature: [['key'], ['fields.summary'], ['fields.status', 'fields.issuetype']],
    columns: {
      project: { from: ['fields.project.key', 'key'], before: '-' },
      reference: 'key',
      title: title('fields.summary'),
      description: description('fields.description'),
      severity: severity('fields.priority.name'),
      status: status('fields.status.name', 'fields.status.statusCategory.key', 'fields.status.statusCategory.name'),
      assignee: optional('fields.assignee.emailAddress', 'fields.assignee.displayName'),
      assigneeName: optional('fields.assignee.displayName'),
      raisedOn: isoDay('fields.created'),
      dueOn: isoDay('fields.duedate'),
    },
  },
  {
    name: 'github-json',
    product: "an answer of GitHub's REST API",
    reads: "GitHub's REST API: GET /repos/OWNER/REPO/issues; pull requests are left out",
    signature: [['number'], ['html_url'], ['repository_url', 'events_url', 'comments_url']],
    where: [{ column: 'pull_request', blank: true }],
    columns: {
      ...GITHUB,
      assignee: optional('assignees.login', 'assignee.login'),
      url: 'html_url',
      raisedOn: isoDay('created_at'),
      dueOn: isoDay('milestone.due_on'),
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
      ...GITHUB,
      // The same whichever of the two was asked for.
      reference: { from: ['number', 'url'], after: '/issues/', prefix: 'GH-' },
      assignee: optional('assignees.login'),
      url: optional('url'),
      raisedOn: isoDay('createdAt'),
      dueOn: isoDay('milestone.dueOn'),
    },
  },
  {
    name: 'gitlab-json',
    product: "an answer of GitLab's REST API",
    reads: "GitLab's REST API: GET /projects/ID/issues",
    signature: [['iid'], ['web_url'], ['project_id']],
    columns: {
      reference: 'iid',
      title: title('title'),
      description: description('description'),
      severity: severityOfLabels('labels', 'labels.name', 'severity'),
      status: status('state'),
      assignee: optional('assignees.username', 'assignee.username'),
      assigneeName: optional('assignees.name', 'assignee.name'),
      url: 'web_url',
      raisedOn: isoDay('created_at'),
      dueOn: isoDay('due_date', 'milestone.due_date'),
    },
  },
  {
    name: 'redmine-json',
    product: "an answer of Redmine's REST API",
    reads: "Redmine's REST API: GET /issues.json",
    signature: [['subject'], ['tracker.name'], ['status.name']],
    columns: {
      reference: 'id',
      title: title('subject'),
      description: description('description'),
      severity: severity('priority.name'),
      status: status('status.name'),
      assignee: optional('assigned_to.name'),
      raisedOn: isoDay('created_on'),
      dueOn: isoDay('due_date'),
    },
  },
  {
    name: 'redmine-csv',
    product: 'a Redmine export',
    reads: 'the CSV export of Redmine, in English or German',
    signature: [['#'], ['Tracker'], ['Subject', 'Thema']],
    columns: {
      reference: '#',
      title: title('Subject', 'Thema'),
      description: description('Description', 'Beschreibung'),
      severity: severity('Priority', 'Priorität'),
      status: status('Status'),
      assignee: optional('Assignee', 'Zugewiesen an'),
      raisedOn: localDay('Created', 'Angelegt'),
      dueOn: localDay('Due date', 'Abgabedatum'),
    },
  },
  {
    name: 'openproject-json',
    product: "an answer of OpenProject's API",
    reads: "OpenProject's API v3: GET /api/v3/work_packages",
    signature: [['subject'], ['lockVersion', '_type'], ['_links.status']],
    columns: {
      reference: 'id',
      title: title('subject'),
      description: description('description.raw'),
      severity: severity('_links.priority.title'),
      status: status('_links.status.title'),
      assignee: optional('_links.assignee.title', '_links.responsible.title'),
      raisedOn: isoDay('createdAt'),
      dueOn: isoDay('dueDate', 'date'),
    },
  },
  {
    name: 'azure-devops-csv',
    product: 'an Azure DevOps export',
    reads: 'the CSV of a query in Azure Boards (Export to CSV)',
    signature: [['ID'], ['Work Item Type'], ['Title', 'Title 1'], ['State']],
    columns: {
      reference: 'ID',
      title: title('Title', 'Title 1', 'Title 2', 'Title 3', 'Title 4'),
      description: description('Description', 'Repro Steps'),
      severity: {
        ...severity('Severity', 'Priority'),
        values: {
          ...{ '1 - Critical': 'CRITICAL', '2 - High': 'HIGH', '3 - Medium': 'MEDIUM', '4 - Low': 'LOW' },
          ...{ 1: 'CRITICAL', 2: 'HIGH', 3: 'MEDIUM', 4: 'LOW' },
        },
      },
      status: status('State'),
      assignee: optional('Assigned To'),
      raisedOn: localDay('Created Date'),
      dueOn: localDay('Due Date', 'Target Date'),
    },
  },
  {
    name: 'asana-csv',
    product: 'an Asana export',
    reads: 'the CSV export of an Asana project; a completed task is CLOSED, and its section is a detail',
    signature: [['Task ID'], ['Completed At'], ['Name'], ['Section/Column']],
    columns: {
      reference: 'Task ID',
      title: title('Name'),
      description: description('Notes'),
      severity: severity('Priority'),
      status: { closedBy: { 'Completed At': 'CLOSED' }, default: 'OPEN' },
      assignee: optional('Assignee Email', 'Assignee'),
      assigneeName: optional('Assignee'),
      raisedOn: localDay('Created At'),
      dueOn: localDay('Due Date'),
      'details.Section': optional('Section/Column'),
    },
  },
  {
    name: 'linear-csv',
    product: 'a Linear export',
    reads: 'the CSV export of Linear',
    signature: [['ID'], ['Team'], ['Title'], ['Status'], ['Cycle Number', 'Estimate'], ['Created']],
    columns: {
      reference: 'ID',
      title: title('Title'),
      description: description('Description'),
      severity: severity('Priority'),
      status: status('Status'),
      assignee: optional('Assignee'),
      raisedOn: localDay('Created'),
      dueOn: localDay('Due Date'),
    },
  },
  {
    name: 'trello-csv',
    product: 'a Trello export',
    reads: 'the CSV export of a Trello board; the list of a card is its status',
    signature: [['Card ID'], ['Card Name'], ['List Name']],
    columns: {
      reference: 'Card ID',
      title: title('Card Name'),
      description: description('Card Description'),
      severity: severity('Priority'),
      status: { ...status('Archived', 'List Name'), values: { ...valuesOf(STATUS_WORDS.issues), true: 'CLOSED' } },
      assignee: optional('Members'),
      url: optional('Card URL'),
      dueOn: localDay('Due Date'),
      'details.List': optional('List Name'),
      'details.Labels': optional('Labels'),
    },
  },
]

const ENTRA = {
  name: 'displayName',
  email: { from: ['mail', 'userPrincipalName'] },
  title: optional('jobTitle'),
  department: optional('department'),
  status: personStatus('accountEnabled'),
}

const WORKER = names('Preferred Name, Worker, Legal Name, Full Legal Name')

const PEOPLE: readonly MapFile[] = [
  {
    name: 'entra-json',
    product: 'an answer of Microsoft Graph',
    reads:
      'Microsoft Graph: GET /users?$select=id,displayName,mail,userPrincipalName,jobTitle,department,accountEnabled',
    signature: [['userPrincipalName'], ['displayName'], ['id']],
    columns: { ...ENTRA, externalId: 'id' },
  },
  {
    name: 'entra-csv',
    product: 'an export of Microsoft Entra',
    reads: 'the CSV of Download users in the Microsoft Entra or Azure portal',
    signature: [['userPrincipalName'], ['displayName'], ['id', 'objectId', 'Object Id']],
    columns: { ...ENTRA, externalId: { from: ['id', 'objectId', 'Object Id'] } },
  },
  {
    name: 'entra-bulk-csv',
    product: 'a bulk template of Microsoft Entra',
    reads: 'the CSV template by which the Microsoft Entra admin center creates users in bulk',
    signature: [['Name [displayName] Required'], ['User name [userPrincipalName] Required']],
    columns: {
      name: 'Name [displayName] Required',
      email: 'User name [userPrincipalName] Required',
      title: optional('Job title [jobTitle]'),
      department: optional('Department [department]'),
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
      name: { from: ['profile.firstName', 'profile.lastName'], join: ' ' },
      email: { from: ['profile.email', 'profile.login'] },
      externalId: 'id',
      title: optional('profile.title'),
      department: optional('profile.department'),
      status: personStatus('status'),
    },
  },
  {
    name: 'google-csv',
    product: 'an export of Google Workspace',
    reads: 'the CSV of Download users in the Google Admin console',
    signature: [['First Name [Required]'], ['Last Name [Required]'], ['Email Address [Required]']],
    columns: {
      name: { from: ['First Name [Required]', 'Last Name [Required]'], join: ' ' },
      email: 'Email Address [Required]',
      externalId: optional('Employee ID'),
      title: optional('Employee Title'),
      department: optional('Department'),
      status: personStatus('Status [READ ONLY]'),
    },
  },
  {
    name: 'ad-csv',
    product: 'an export of Active Directory',
    reads: 'Get-ADUser -Filter * -Properties EmailAddress,Title,Department,DisplayName | Export-Csv',
    signature: [['SamAccountName'], ['DistinguishedName', 'ObjectGUID', 'SID']],
    columns: {
      name: { from: ['DisplayName', 'Name', 'CN'] },
      email: optional('EmailAddress', 'mail', 'UserPrincipalName'),
      externalId: { from: ['ObjectGUID', 'SID', 'SamAccountName'] },
      title: optional('Title'),
      department: optional('Department'),
      status: personStatus('Enabled'),
    },
  },
  {
    name: 'bamboohr-csv',
    product: 'an export of BambooHR',
    reads: 'a report of BambooHR with Employee #, First Name, Last Name, Work Email, Job Title, Department and Status',
    signature: [['Employee #', 'EEID'], ['First Name'], ['Last Name'], ['Work Email'], ['Job Title']],
    columns: {
      name: { from: ['First Name', 'Last Name'], join: ' ' },
      email: 'Work Email',
      externalId: { from: ['Employee #', 'EEID'] },
      title: 'Job Title',
      department: optional('Department', 'Division'),
      status: personStatus('Status'),
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
      name: { from: WORKER, before: ' (Terminated)' },
      email: optional('Email - Primary Work', 'Primary Work Email', 'Work Email', 'Email - Work'),
      externalId: { from: ['Employee ID', 'Worker ID'] },
      title: 'Business Title',
      department: optional('Supervisory Organization', 'Department', 'Cost Center'),
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
