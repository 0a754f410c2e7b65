import { addGroup } from '../personnel/groups.js'
import { addPerson, deactivatePerson } from '../personnel/people.js'
import { addIssue, type IssueDraft } from '../projects/issues.js'
import { addProject } from '../projects/projects.js'
import { addRisk, type RiskDraft, scoreOf } from '../projects/risks.js'
import type { Write } from '../store/store.js'
import { ISSUE_SEVERITIES, type IssueStatus, type RiskResponse } from '../vocabulary.js'
import { type DemoProject, GROUPS, type GroupKey, PEOPLE, PROJECTS } from './demoCompany.js'

interface Colleague {
  readonly id: string
  readonly name: string
  readonly groups: readonly GroupKey[]
}

/** A project with its place among the others, from which follows whatever differs between projects. */
interface Assignment {
  readonly project: DemoProject
  readonly projectId: string
  readonly index: number
  readonly roster: readonly Colleague[]
}

/** A risk or an issue as the minutes have it, in the parts that the patterns below name. */
interface Entry {
  readonly parts: Readonly<Record<string, string | undefined>>
  readonly place: number
  readonly placesInAll: number
}

const RISK = /^(?<category>\w+) (?:(?<likelihood>\d)(?<impact>\d)|--)(?<mark>[!x]?) (?<title>.+)$/
const ISSUE = /^(?<category>\w+) (?<severity>[LMHC])(?<done>x?)(?:>(?<risk>\d+))? (?<title>.+)$/

/** Whose members own the risks and get the issues of a category. */
const ANSWERING: Readonly<Record<string, GroupKey>> = {
  Budget: 'finance',
  People: 'office',
  Regulatory: 'compliance',
  Safety: 'site',
  Schedule: 'office',
  Security: 'security',
  Supply: 'procurement',
  Technical: 'engineering',
  Weather: 'site',
}
/** Owners whom a source names although the roster does not have them. */
const OUTSIDERS = ['Jürgen Haas (consultant)', 'M. Delacroix', 'Whitlock, Dana']
const RESPONSES: readonly (RiskResponse | null)[] = ['MITIGATE', 'TRANSFER', 'MITIGATE', 'AVOID', null]
const RESPONSE_NOTES: Readonly<Record<RiskResponse, string>> = {
  AVOID: 'The plan is being changed so that this cannot happen.',
  MITIGATE: 'Countermeasures are in the project plan and reported every month.',
  TRANSFER: 'Covered by contract or insurance; what remains with us is reviewed every quarter.',
  ACCEPT: 'Within the contingency: watched, with nothing further to do.',
}
const WORKFLOW: readonly IssueStatus[] = ['OPEN', 'IN_PROGRESS', 'OPEN', 'BLOCKED', 'IN_PROGRESS']
const BLOCKED_NOTE = 'Waits for a decision from outside the project.'

// Counted in days: risks come through most of the year, issues somewhat after them, reviews and due days at its end.
const SPREAD_DAYS = 270
const ISSUES_AFTER_DAYS = 25
const UPCOMING_AFTER_DAYS = 295

/** Fills an empty store with a made-up company, the same one each time. */
export async function fillDemo(write: Write): Promise<void> {
  const roster = await addRoster(write)
  for (const [index, project] of PROJECTS.entries()) {
    const { key, name, description, status = 'ACTIVE' } = project
    const projectId = await addProject(write, { key, name, description, status, url: urlOf(project) })
    await addRegister(write, { project, projectId, index, roster })
  }
}

async function addRoster(write: Write): Promise<Colleague[]> {
  const groupIds = new Map<string, string>()
  for (const [key, group] of Object.entries(GROUPS)) groupIds.set(key, await addGroup(write, group))
  const roster: Colleague[] = []
  for (const [index, [name, title, department, groups, how]] of PEOPLE.entries()) {
    const domain = how === 'contractor' ? 'contractors.example' : 'meridian.example'
    const email = how === 'no mailbox' ? null : `${mailboxOf(name)}@${domain}`
    const externalId = how === 'contractor' ? null : `HR-${1000 + index * 7}`
    const memberOf = groups.flatMap((key) => groupIds.get(key) ?? [])
    const { id } = await addPerson(write, { name, title, department, email, externalId, groupIds: memberOf })
    if (how === 'left') await deactivatePerson(write, id)
    roster.push({ id, name, groups })
  }
  return roster
}

async function addRegister(write: Write, to: Assignment): Promise<void> {
  const riskIds: string[] = []
  for (const entry of entriesOf(to.project.risks, RISK)) {
    riskIds.push(await addRisk(write, riskDraft(to, entry)))
  }
  for (const entry of entriesOf(to.project.issues, ISSUE)) {
    await addIssue(write, issueDraft(to, entry, riskIds[Number(entry.parts.risk) - 1] ?? null))
  }
}

function riskDraft(to: Assignment, entry: Entry): RiskDraft {
  const { parts, place } = entry
  const turn = to.index * 5 + place
  const likelihood = parts.likelihood ? Number(parts.likelihood) : null
  const impact = parts.impact ? Number(parts.impact) : null
  const score = scoreOf(likelihood, impact)
  const response = score === 0 ? null : score < 5 ? 'ACCEPT' : (RESPONSES[turn % RESPONSES.length] ?? null)
  const status = parts.mark === '!' ? 'OCCURRED' : parts.mark === 'x' ? 'CLOSED' : 'OPEN'
  const isOutside = turn % 13 === 8
  const owner = isOutside || turn % 7 === 3 ? undefined : handlerOf(to, parts.category, turn)
  return {
    ...headOf(to, 'risks', entry),
    description: response && RESPONSE_NOTES[response],
    category: parts.category ?? null,
    likelihood,
    impact,
    status,
    response,
    ownerId: owner?.id ?? null,
    ownerName: isOutside ? (OUTSIDERS[turn % OUTSIDERS.length] ?? null) : asWritten(owner, to.index),
    raisedOn: day(raisedAfter(to, entry)),
    reviewOn: status === 'CLOSED' || turn % 6 === 4 ? null : day(UPCOMING_AFTER_DAYS + ((turn * 11) % 90)),
  }
}

function issueDraft(to: Assignment, entry: Entry, riskId: string | null): IssueDraft {
  const { parts, place } = entry
  const { severity = '', done } = parts
  const turn = to.index * 3 + place
  const status = done ? (turn % 2 ? 'RESOLVED' : 'CLOSED') : (WORKFLOW[turn % WORKFLOW.length] ?? 'OPEN')
  const assignee = status === 'OPEN' && turn % 5 === 2 ? undefined : handlerOf(to, parts.category, turn)
  const raised = ISSUES_AFTER_DAYS + raisedAfter(to, entry)
  const due = done ? raised + 40 : Math.max(raised + 20, UPCOMING_AFTER_DAYS + ((turn * 17) % 80))
  return {
    ...headOf(to, 'issues', entry),
    description: status === 'BLOCKED' ? BLOCKED_NOTE : null,
    severity: ISSUE_SEVERITIES.find((name) => name.startsWith(severity)) ?? 'MEDIUM',
    status,
    assigneeId: assignee?.id ?? null,
    assigneeName: asWritten(assignee, to.index),
    riskId,
    raisedOn: day(raised),
    dueOn: turn % 6 === 1 ? null : day(due),
  }
}

function entriesOf(text: string, form: RegExp): Entry[] {
  return text.split('|').map((piece, place, { length }) => {
    const parts = form.exec(piece.trim().replaceAll(/\s+/g, ' '))?.groups
    if (!parts) throw new Error(`The demo company has an entry that cannot be read: ${piece}`)
    return { parts, place, placesInAll: length }
  })
}

function headOf({ project, projectId }: Assignment, list: 'risks' | 'issues', { parts, place }: Entry) {
  const reference = `${list === 'risks' ? 'R' : 'I'}-${place + 1}`
  return { projectId, reference, title: parts.title ?? '', url: `${urlOf(project)}/${list}/${reference}` }
}

function raisedAfter({ index }: Assignment, { place, placesInAll }: Entry): number {
  return index * 4 + Math.floor((place / placesInAll) * SPREAD_DAYS) + ((index + place * 2) % 5)
}

function handlerOf({ roster, index }: Assignment, category: string | undefined, turn: number): Colleague | undefined {
  const able = roster.filter(({ groups }) => groups.some((key) => key === ANSWERING[category ?? '']))
  return able[(index + (turn % 2)) % able.length]
}

/** Some sources put the family name first. */
function asWritten(person: Colleague | undefined, index: number): string | null {
  return person ? (index % 3 === 1 ? person.name.replace(/^(\S+) (.+)$/, '$2, $1') : person.name) : null
}

function mailboxOf(name: string): string {
  const letters = name.normalize('NFD').replaceAll(/[^A-Za-z -]/g, '')
  return letters.toLowerCase().replaceAll(' ', '.')
}

function urlOf({ key }: DemoProject): string {
  return `https://projects.example.com/${key.toLowerCase()}`
}

/** So many days after the first Monday of 2026. */
function day(offset: number): string {
  return new Date(Date.UTC(2026, 0, 5 + offset)).toISOString().slice(0, 10)
}
