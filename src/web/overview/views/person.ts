import { query } from '../../api.js'
import { el, given } from '../../dom.js'
import { fieldName, T } from '../../texts.js'
import { viewLink } from '../address.js'
import type { Holder, List, Texts } from '../data.js'
import { NO_FILTER } from '../filter.js'
import * as part from './parts.js'

interface Person extends part.Stored, Holder, Texts<'email' | 'externalId' | 'title' | 'department'> {
  readonly groups: readonly { readonly name: string }[]
  readonly details: readonly part.Detail[]
  readonly risks: List<part.RiskEntry>
  readonly issues: List<part.IssueEntry>
}

export async function readPerson(of: string, { link, grants }: part.Reader): Promise<part.Content | undefined> {
  const { person } = await query<{ person: Person | null }>(
    `query Person($id: ID, $email: String) { person(id: $id, email: $email) {
      name status email externalId title department groups { name } details { name text }
      risks(first: 50) { totalCount nodes { ${part.RISK_ENTRY} } } issues(first: 50) { totalCount nodes { ${part.ISSUE_ENTRY} } }
      ${part.storedFields(grants('personnel.manage'))}
    } }`,
    of.includes('@') ? { email: of } : { id: of },
  )
  if (!person) return undefined
  const { id, name, status, email, title, department, groups, risks, issues } = person
  const all = (to: string, words: string) => link(to, { ...NO_FILTER, owner: id }, words)
  return {
    name: id,
    title: name,
    parts: [
      status !== 'ACTIVE' && el('p', {}, el('strong', { class: 'overdue' }, T.hasLeft)),
      part.facts([
        [fieldName('email'), email && el('a', { href: `mailto:${encodeURIComponent(email)}` }, email)],
        [fieldName('title'), title && given(title)],
        [fieldName('department'), department && given(department)],
        [T.groups, part.listed(groups.map((one) => viewLink('group', one.name, given(one.name))))],
        ...part.detailLines(person.details, [title, department]),
      ]),
      ...part.entries(T.ownedRisks, risks, all('register', T.ofRisks(risks.nodes.length, risks.totalCount))),
      ...part.entries(T.assignedIssues, issues, all('issues', T.ofIssues(issues.nodes.length, issues.totalCount))),
      ...part.storedPart(person, [fieldName('externalId'), person.externalId]),
    ],
  }
}
