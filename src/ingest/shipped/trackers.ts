import {
  description,
  isoDay,
  localDay,
  optional,
  type ShippedMap,
  severity,
  severityOfLabels,
  status,
  title,
} from './rules.js'

const KEY = [
  ...['Issue key', 'Work item key', 'Vorgangsschlüssel', 'Clé de ticket', 'Clave de incidencia'],
  ...['Chave da item', 'Chave do item', 'Klucz zgłoszenia'],
]
const PROJECT = ['Project key', 'Projektschlüssel', 'Clé de projet', 'Clave del proyecto', 'Klucz projektu']
const SUMMARY = ['Summary', 'Zusammenfassung', 'Résumé', 'Resumen', 'Resumo', 'Podsumowanie']

/** Jira's CSV: its headings are in the language of the user. */
const csv: ShippedMap = {
  name: 'jira-csv',
  noun: 'issues',
  product: 'a Jira export',
  reads: 'the CSV export of Jira (all or current fields), in English, German, French, Spanish, Portuguese or Polish',
  source: 'table',
  signature: [KEY, SUMMARY],
  columns: {
    // An export of the current fields has the key of the issue alone.
    project: { from: [...PROJECT, ...KEY], before: '-' },
    reference: { from: KEY },
    title: title(...SUMMARY),
    description: description('Description', 'Beschreibung', 'Descripción', 'Descrição', 'Opis'),
    severity: severity('Priority', 'Priorität', 'Priorité', 'Prioridad', 'Prioridade', 'Priorytet'),
    status: status(
      ...['Status', 'État', 'Estado'],
      ...['Status Category', 'Statuskategorie', "Catégorie d'état", 'Categoría de estado'],
    ),
    assignee: optional(
      ...[
        'Assignee',
        'Zugewiesene Person',
        'Bearbeiter',
        'Personne assignée',
        'Responsable',
        'Persona asignada',
        'Responsável',
      ],
    ),
    raisedOn: localDay('Created', 'Erstellt', 'Création', 'Créée', 'Creada', 'Creado', 'Criado', 'Utworzono'),
    dueOn: localDay('Due date', 'Fälligkeitsdatum', "Date d'échéance", 'Fecha de vencimiento', 'Data limite', 'Termin'),
  },
}

const rest: ShippedMap = {
  name: 'jira-json',
  noun: 'issues',
  product: "an answer of Jira's REST API",
  reads: "Jira's REST API, version 2 or 3: GET /rest/api/3/search/jql",
  source: 'objects',
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
}

export const JIRA = [csv, rest]

const github: ShippedMap = {
  name: 'github-json',
  noun: 'issues',
  product: "an answer of GitHub's REST API",
  reads: "GitHub's REST API: GET /repos/OWNER/REPO/issues; pull requests are left out",
  source: 'objects',
  signature: [['number'], ['html_url'], ['repository_url', 'events_url', 'comments_url']],
  where: [{ column: 'pull_request', blank: true }],
  columns: {
    reference: { from: 'number', prefix: 'GH-' },
    title: title('title'),
    description: description('body'),
    severity: severityOfLabels('labels.name'),
    status: status('state'),
    assignee: optional('assignees.login', 'assignee.login'),
    url: 'html_url',
    raisedOn: isoDay('created_at'),
    dueOn: isoDay('milestone.due_on'),
  },
}

const cli: ShippedMap = {
  name: 'github-cli',
  noun: 'issues',
  product: 'the output of gh',
  reads: 'gh issue list --json number,title,body,state,labels,assignees,url,createdAt,milestone',
  source: 'objects',
  signature: [['number'], ['title'], ['state', 'createdAt', 'url', 'labels'], ['assignees', 'createdAt', 'url']],
  columns: {
    ...github.columns,
    assignee: optional('assignees.login'),
    url: optional('url'),
    raisedOn: isoDay('createdAt'),
    dueOn: isoDay('milestone.dueOn'),
  },
}

const gitlab: ShippedMap = {
  name: 'gitlab-json',
  noun: 'issues',
  product: "an answer of GitLab's REST API",
  reads: "GitLab's REST API: GET /projects/ID/issues",
  source: 'objects',
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
}

export const GIT = [github, cli, gitlab]

const redmine: ShippedMap = {
  name: 'redmine-json',
  noun: 'issues',
  product: "an answer of Redmine's REST API",
  reads: "Redmine's REST API: GET /issues.json",
  source: 'objects',
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
}

const redmineCsv: ShippedMap = {
  name: 'redmine-csv',
  noun: 'issues',
  product: 'a Redmine export',
  reads: 'the CSV export of Redmine, in English or German',
  source: 'table',
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
}

const openProject: ShippedMap = {
  name: 'openproject-json',
  noun: 'issues',
  product: "an answer of OpenProject's API",
  reads: "OpenProject's API v3: GET /api/v3/work_packages",
  source: 'objects',
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
}

const azure: ShippedMap = {
  name: 'azure-devops-csv',
  noun: 'issues',
  product: 'an Azure DevOps export',
  reads: 'the CSV of a query in Azure Boards (Export to CSV)',
  source: 'table',
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
}

export const TRACKERS = [redmine, redmineCsv, openProject, azure]
