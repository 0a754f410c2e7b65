import { el, given, remark } from '../../dom.js'
import { fieldName, shownDay, shownMoment, T } from '../../texts.js'
import { entryName, type Link, viewLink } from '../address.js'
import type { Holder, Issue, List, Member, ProjectRef, Risk } from '../data.js'
import { today } from '../filter.js'
import { chip, statusMark } from '../levels.js'

/** What the views need of the page: how to link to its sections, and what the key may read. */
export interface Reader {
  readonly link: Link
  readonly day: string
  grants(scope: string): boolean
}

/** What a view shows. */
export interface Content {
  /** The name in its address. */
  readonly name: string
  readonly title: string
  /** Above the title: what it is and where it belongs; its kind unless given. */
  readonly place?: readonly (Node | string)[]
  readonly parts: readonly (Node | false | undefined)[]
}

type Part = Node | string
type Text = string | null

/** The arguments that find a risk or an issue by its name in an address. */
export function variablesOf(name: string): object {
  const [project, ...reference] = name.split('/')
  return reference.length > 0 ? { project, reference: reference.join('/') } : { id: name }
}

export const projectPlace = (kind: string, reference: string, { key, name }: ProjectRef): Part[] => [
  `${T.kinds[kind]} `,
  given(reference),
  ' · ',
  viewLink('project', key, `${key} · `, given(name)),
]

/** Names and values, without those that have none. */
export function facts(lines: readonly (readonly [string, Part | null | undefined | false])[]): HTMLElement {
  const shown = lines.flatMap(([name, value]) =>
    value ? [el('div', {}, el('dt', {}, name), el('dd', {}, value))] : [],
  )
  return el('dl', { class: 'fields' }, ...shown)
}

export const day = (value: string | null) => value && shownDay(value)

/** A day by which something is due; marked if it has passed. */
export function dueDay(value: string | null): Part {
  if (value === null) return T.nothing
  return value < today() ? el('strong', { class: 'overdue' }, T.overdueOn(shownDay(value))) : shownDay(value)
}

/** Who answers for something; nobody and those who left stand out. */
export function responsible(person: Holder | null | undefined, name: Text, id: Text | undefined, nobody = T.noOwner) {
  if (person) {
    const left = person.status === 'ACTIVE' ? [] : [' ', el('strong', { class: 'overdue' }, T.left)]
    return el('span', {}, viewLink('person', person.id, given(person.name)), ...left)
  }
  if (name !== null) return el('span', {}, given(name), ` (${T.notOnRoster})`)
  return id ? T.hidden : el('strong', { class: 'overdue' }, nobody)
}

export type Detail = Readonly<Record<'name' | 'text', string>>

/** Facts of the source; those that are shown above already are left out. */
export function detailLines(details: readonly Detail[], above: readonly Text[]): [string, Part][] {
  return details.filter(({ text }) => !above.includes(text)).map(({ name, text }) => [name, given(text)])
}

/** A link to the same thing in its own system. */
export function sourceLink(url: string | null): HTMLElement | false {
  // The API lets only http and https links in.
  return url !== null && el('p', {}, el('a', { href: url, target: '_blank', rel: 'noreferrer' }, T.openSource))
}

export function paragraph(heading: string, text: string | null): HTMLElement[] {
  return text === null ? [] : [el('h3', {}, heading), el('p', { class: 'text' }, given(text))]
}

export const RISK_ENTRY = 'id reference title score level status dueOn project { key name }'
export const ISSUE_ENTRY = 'id reference title severity status dueOn project { key name }'

export type RiskEntry = Pick<Risk, 'reference' | 'title' | 'score' | 'level' | 'project' | 'status' | 'dueOn'>
export type IssueEntry = Pick<Issue, 'reference' | 'title' | 'severity' | 'project' | 'status' | 'dueOn'>

type Entry = RiskEntry | IssueEntry

/** Risks or issues, each a link to its view; below them how many there are, if more. */
export function entries(heading: string, { nodes, totalCount }: List<Entry>, all?: Node): HTMLElement[] {
  const item = (entry: Entry) => {
    const isRisk = 'level' in entry
    const due = entry.dueOn === null ? [] : [' · ', T.dueOn, dueDay(entry.dueOn)]
    return el(
      'li',
      {},
      isRisk ? chip(entry.level, entry.score) : chip(entry.severity),
      ' ',
      viewLink(isRisk ? 'risk' : 'issue', entryName(entry), given(entry.title)),
      el('div', { class: 'meta' }, given(entryName(entry)), ' · ', statusMark(entry.status), ...due),
    )
  }
  const list = nodes.length === 0 ? remark(T.none) : el('ul', { class: 'plain' }, ...nodes.map(item))
  return [el('h3', {}, heading), list, ...(all && totalCount > nodes.length ? [remark(all)] : [])]
}

/** People by name, with what they do. */
export function peopleList(people: readonly Member[], none: string): HTMLElement {
  const item = ({ id, name, title, department }: Member) => {
    const position = [title, department].filter((text) => text !== null).join(', ')
    return el('li', {}, viewLink('person', id, given(name)), el('div', { class: 'meta' }, given(position)))
  }
  return people.length === 0 ? remark(none) : el('ul', { class: 'people' }, ...people.map(item))
}

interface Change {
  readonly action: string
  readonly recordedAt: string
  readonly by?: string | null
  readonly import?: { readonly source: string; readonly file: string | null } | null
  readonly fields: readonly { readonly field: string; readonly from: string | null; readonly to: string | null }[]
}

/** What everything in the store has. */
export interface Stored {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly history: { readonly nodes: readonly Change[]; readonly pageInfo: { readonly hasNextPage: boolean } }
}

/** The fields of what is stored; who made a change is for keys that may change such things. */
export function storedFields(mayManage: boolean): string {
  const change = `action recordedAt fields { field from to }${mayManage ? ' by import { source file }' : ''}`
  return `id createdAt updatedAt history(first: 1000) { nodes { ${change} } pageInfo { hasNextPage } }`
}

/** The latest change first. */
function historyPart({ nodes, pageInfo }: Stored['history']): HTMLElement[] {
  const items = [...nodes].reverse().map(({ action, recordedAt, fields, by, import: run }) => {
    // What is new has all of its fields above.
    const changed = action === 'CREATED' ? [] : fields
    const lines = changed.map(({ field, from, to }) =>
      el('li', {}, given(T.historyLine(fieldName(field), plain(from, field), plain(to, field)))),
    )
    const who = run ? T.imported(run.file ?? run.source) : by ? T.changedBy(by) : ''
    return el(
      'li',
      {},
      el('time', { datetime: recordedAt }, shownMoment(recordedAt)),
      `: ${T.actions[action] ?? action}${who}`,
      lines.length > 0 && el('ul', {}, ...lines),
    )
  })
  const note = pageInfo.hasNextPage ? [remark(T.historyCut)] : []
  return [el('h3', {}, T.history), ...note, el('ul', { class: 'plain history' }, ...items)]
}

/** The words of fields that are enums. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: { ...T.projectStates, ...T.statuses, ...T.personStates },
  response: T.responses,
  severity: T.levels,
}

function plain(value: string | null, field: string): string {
  const text = value ?? T.nothing
  const word = WORDS[field]?.[text]
  if (word) return word
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return shownDay(text)
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? shownMoment(text) : text
}

/** At the end the history, and last of all what only machines and support need. */
export function storedPart(stored: Stored, ...others: readonly [string, Text | undefined][]): HTMLElement[] {
  const { id, createdAt, updatedAt, history } = stored
  const ids = facts([
    ...[[fieldName('id'), id] as const, ...others].map(
      ([name, value]) => [name, value && el('code', {}, value)] as const,
    ),
    [fieldName('createdAt'), shownMoment(createdAt)],
    [fieldName('updatedAt'), shownMoment(updatedAt)],
  ])
  return [...historyPart(history), el('h3', {}, T.ids), ids]
}

/** Parts with commas between them, if there are any. */
export function listed(parts: readonly Part[]): HTMLElement | false {
  return parts.length > 0 && el('span', {}, ...parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part])))
}
