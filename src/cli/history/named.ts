import { and, asc, eq, or } from 'drizzle-orm'
import { Fault } from '../../errors.js'
import { type FeedFilter, kindsIn } from '../../history/feed.js'
import { ID_PREFIX } from '../../ids.js'
import type { PersonRow } from '../../personnel/people.js'
import type { ProjectRow } from '../../projects/projects.js'
import type { Read } from '../../store/store.js'
import { foldedName } from '../../text.js'

const PREFIXES = Object.values(ID_PREFIX).map((prefix) => `${prefix}_`)

/** The person with this user id or e-mail. */
export async function personNamed({ db, t: { person } }: Read, name: string): Promise<PersonRow> {
  const isThis = or(eq(person.id, name), eq(person.emailFolded, foldedName(name)))
  return found(await db.select().from(person).where(isThis).limit(1), 'person', name, 'user id or e-mail')
}

/** The project with this key or id. */
export async function projectNamed({ db, t: { project } }: Read, name: string): Promise<ProjectRow> {
  const isThis = or(eq(project.id, name), eq(project.key, name.trim().toUpperCase()))
  return found(await db.select().from(project).where(isThis).limit(1), 'project', name, 'key or id')
}

function found<Row>([row]: readonly Row[], noun: string, name: string, ways: string): Row {
  if (row === undefined) throw new Fault('NOT_FOUND', `There is no ${noun} with the ${ways} ${JSON.stringify(name)}.`)
  return row
}

/** The id of what people call so: any id, an e-mail, a reference with or without its project, or the key of a project. */
export async function entityNamed(read: Read, name: string, filter: FeedFilter): Promise<string> {
  if (PREFIXES.some((prefix) => name.startsWith(prefix))) return name
  if (name.includes('@')) return (await personNamed(read, name)).id
  const entries = await entriesNamed(read, name, filter)
  const [entry, ...others] = entries
  if (entry && others.length === 0) return entry.id
  if (entry) {
    const choices = entries.map(({ kind, key, reference, id }) => `${kind} ${key}/${reference} (${id})`)
    throw new Fault('CONFLICT', `${name} is ambiguous: ${choices.join(', ')}. Give the project, --entity or the id.`)
  }
  return (await projectNamed(read, name).catch(() => undefined))?.id ?? name
}

/** The risks and issues with this reference, such as `R-7` or `APOLLO/R-7`. */
async function entriesNamed({ db, t }: Read, name: string, { project: projects, ...filter }: FeedFilter) {
  const [, key, rest = name] = /^([^/]+)\/(.+)$/.exec(name) ?? []
  const kinds = kindsIn(filter)
  const of = async (kind: 'risk' | 'issue') => {
    if (!kinds.some((one) => one.toLowerCase() === kind)) return []
    const table = t[kind]
    const inProject = key === undefined ? undefined : eq(t.project.key, key.trim().toUpperCase())
    const rows = await db
      .select({ id: table.id, reference: table.reference, key: t.project.key })
      .from(table)
      .innerJoin(t.project, eq(t.project.id, table.projectId))
      .where(and(eq(table.reference, rest), inProject, projects ? eq(table.projectId, projects[0] ?? '') : undefined))
      .orderBy(asc(t.project.key))
    return rows.map((row) => ({ ...row, kind }))
  }
  return [...(await of('risk')), ...(await of('issue'))]
}
