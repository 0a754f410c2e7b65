import { sql } from 'drizzle-orm'
import { PERSON_STATUSES } from '../../vocabulary.js'
import { type Columns, checksWith } from '../columns.js'

export function personnelTables(columns: Columns) {
  const { table, text, oneOf, integer, timestamps, index, uniqueIndex, primaryKey, check } = columns
  const { bounded, among, instant, detailed, timestampChecks } = checksWith(columns)

  const person = table(
    'person',
    {
      id: text('id').primaryKey(),
      name: text('name').notNull(),
      nameFolded: text('name_folded').notNull(),
      email: text('email'),
      emailFolded: text('email_folded'),
      externalId: text('external_id'),
      title: text('title'),
      titleFolded: text('title_folded'),
      department: text('department'),
      departmentFolded: text('department_folded'),
      /** JSON: a list of objects with name and text. */
      details: text('details'),
      status: oneOf('status', PERSON_STATUSES).notNull(),
      /** When the person's data was erased on a legal request. */
      erasedAt: text('erased_at'),
      /** The id of the person who this one turned out to be. */
      mergedInto: text('merged_into'),
      ...timestamps(),
    },
    (p) => [
      uniqueIndex('person_email').on(p.emailFolded),
      uniqueIndex('person_external_id').on(p.externalId),
      index('person_by_name').on(p.nameFolded, p.id),
      index('person_by_status').on(p.status, p.nameFolded, p.id),
      index('person_by_updated').on(p.status, p.updatedAt, p.id),
      ...bounded('person', {
        name: [p.name, 'name'],
        email: [p.email, 'email'],
        external_id: [p.externalId, 'externalId'],
        title: [p.title, 'title'],
        department: [p.department, 'department'],
      }),
      among('person_status', p.status, PERSON_STATUSES),
      check('person_reachable', sql`coalesce(${p.email}, ${p.externalId}, ${p.erasedAt}) is not null`),
      instant('person_erased_at', p.erasedAt),
      detailed('person', p.details),
      check('person_email_folded', sql`(${p.email} is null) = (${p.emailFolded} is null)`),
      ...timestampChecks('person', p),
    ],
  )

  const group = table(
    'groups',
    {
      id: text('id').primaryKey(),
      name: text('name').notNull(),
      nameFolded: text('name_folded').notNull(),
      externalId: text('external_id'),
      description: text('description'),
      ...timestamps(),
    },
    (g) => [
      uniqueIndex('groups_name').on(g.nameFolded),
      uniqueIndex('groups_external_id').on(g.externalId),
      index('groups_by_updated').on(g.updatedAt),
      ...bounded('groups', {
        name: [g.name, 'name'],
        external_id: [g.externalId, 'externalId'],
        description: [g.description, 'description'],
      }),
      ...timestampChecks('groups', g),
    ],
  )

  const membership = table(
    'membership',
    {
      /** No foreign key: the memberships of a removed group, which nobody sees without it, end after it. */
      groupId: text('group_id').notNull(),
      personId: text('person_id')
        .notNull()
        .references(() => person.id),
      /** 1 while the person is on the roster, so that an index-only scan counts the members of a group. */
      live: integer('live').notNull().default(1),
    },
    (m) => [
      primaryKey({ columns: [m.groupId, m.personId] }),
      index('membership_by_person').on(m.personId, m.groupId),
      index('membership_by_live').on(m.groupId, m.live),
    ],
  )

  return { person, group, membership }
}
