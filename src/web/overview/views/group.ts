import { query } from '../../api.js'
import { el, remark } from '../../dom.js'
import { fieldName, shownNumber, T } from '../../texts.js'
import type { List, Group as Listed, Member, Texts } from '../data.js'
import * as part from './parts.js'

interface Group extends part.Stored, Listed, Texts<'description' | 'externalId'> {
  readonly members: List<Member>
}

export async function readGroup(of: string, { link, grants }: part.Reader): Promise<part.Content | undefined> {
  const { group } = await query<{ group: Group | null }>(
    `query Group($id: ID, $name: String) { group(id: $id, name: $name) {
      name description externalId memberCount
      members(first: 100) { totalCount nodes { id name title department } }
      ${part.storedFields(grants('personnel.manage'))}
    } }`,
    of.startsWith('grp_') ? { id: of } : { name: of },
  )
  if (!group) return undefined
  const { name, memberCount, members } = group
  const shown = members.nodes.length
  const more = remark(link('roster', { group: name }, T.ofPeople(shown, members.totalCount)))
  return {
    name,
    title: name,
    parts: [
      part.facts([[T.members, shownNumber(memberCount)]]),
      ...part.paragraph(T.aboutIt, group.description),
      el('h3', {}, T.members),
      part.peopleList(members.nodes, T.none),
      members.totalCount > shown && more,
      ...part.storedPart(group, [fieldName('externalId'), group.externalId]),
    ],
  }
}
