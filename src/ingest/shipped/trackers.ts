import { TEXT_MAX } from '../../vocabulary.js'
import type { ShippedMap } from './map.js'
import { isoDay, localDay, optional, severity, status, text } from './words.js'

const DESCRIPTION = TEXT_MAX.description
const HEADLINE = TEXT_MAX.headline

const redmine: ShippedMap = {
  name: 'redmine-json',
  noun: 'issues',
  product: "an answer of Redmine's REST API",
  reads: "Redmine's REST API: GET /issues.json",
  source: 'objects',
  signature: [['subject'], ['tracker.name'], ['status.name']],
  columns: {
    reference: 'id',
    title: text(HEADLINE, 'subject'),
    description: { ...text(DESCRIPTION, 'description'), optional: true },
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
    title: text(HEADLINE, 'Subject', 'Thema'),
    description: { ...text(DESCRIPTION, 'Description', 'Beschreibung'), optional: true },
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
    title: text(HEADLINE, 'subject'),
    description: { ...text(DESCRIPTION, 'description.raw'), optional: true },
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
    title: text(HEADLINE, 'Title', 'Title 1', 'Title 2', 'Title 3', 'Title 4'),
    description: { ...text(DESCRIPTION, 'Description', 'Repro Steps'), optional: true },
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
