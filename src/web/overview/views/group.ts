import { query } from '../../api.js'
import { el, given, remark } from '../../dom.js'
import { fieldName, shownNumber, T } from '../../texts.js'
import { viewLink } from '../address.js'
import type { List } from '../data.js'
import type { Content } from '../dialog.js'
import * as part from './parts.js'

interface Group extends part.Stored, part.Texts<'description' | 'externalId'> {
  readonly name: string
  readonly memberCount: number
  readonly members: List<part.Texts<'title' | 'department'> & { readonly id: string; readonly name: string }>
}

export async function readGroup(name: string, reader: part.Reader): Promise<Content | undefined> {
  const { group } = await query<{ group: Group | null }>(
    `query Group($id: ID, $name: String) { group(id: $id, name: $name) {
      name description externalId memberCount
      members(first: 100) { totalCount nodes { id name title department } }
      ${part.storedFields(reader.grants('personnel.manage'))}
    } }`,
    name.startsWith('grp_') ? { id: name } : { name },
  )
  return group ? contentOf(group, reader) : undefined
}

function contentOf(group: Group, { link }: part.Reader): Content {
  const { name, memberCount, members } = group
  const people = members.nodes.map(({ id, name: member, title, department }) =>
    el(
      'li',
      {},
      viewLink('person', id, given(member)),
      el('div', { class: 'meta' }, given([title, department].filter((text) => text !== null).join(', '))),
    ),
  )
  const more = el(
    'p',
    { class: 'note' },
    link('roster', { group: name }, T.ofPeople(people.length, members.totalCount)),
  )
  return {
    name,
    title: name,
    place: [T.kinds['group'] ?? ''],
    parts: [
      part.facts([[T.members, shownNumber(memberCount)]], 'summary'),
      ...part.paragraph(T.aboutIt, group.description),
      el('h3', {}, T.members),
      people.length === 0 ? remark(T.none) : el('ul', { class: 'people' }, ...people),
      members.totalCount > people.length && more,
      ...part.storedPart(group, [fieldName('externalId'), group.externalId]),
    ],
  }
}
