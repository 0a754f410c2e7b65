import { TEXT_MAX } from '../../vocabulary.js'
import type { ShippedMap } from './map.js'
import { isoDay, optional, severityOfLabels, status, text } from './words.js'

const TITLE = text(TEXT_MAX.headline, 'title')

function body(from: string) {
  return { ...text(TEXT_MAX.description, from), optional: true }
}

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
    title: TITLE,
    description: body('body'),
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
    reference: { from: 'number', prefix: 'GH-' },
    title: TITLE,
    description: body('body'),
    severity: severityOfLabels('labels.name'),
    status: status('state'),
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
    title: TITLE,
    description: body('description'),
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
