/** Stores of any size for the growth table, filled like an import but without its checks and history. */
import { personWith } from '../../../../src/personnel/people.js'
import { followScores, type RiskRow, riskWith } from '../../../../src/projects/risks.js'
import { openStore } from '../../../../src/store/open.js'
import type { Write } from '../../../../src/store/store.js'
import type { RISK_RESPONSES, RISK_STATUSES } from '../../../../src/vocabulary.js'
import { COMPANY, type Filled, fill, peopleRows, riskRows, type Sizes, settle, storeOf } from '../data.js'

const ROWS_AT_ONCE = 5_000
/** Enough to build the indexes of a million rows in memory. */
const CACHE_BYTES = 256_000_000

/** A store with this many people and as many risks. */
export async function fillGrown(rows: number): Promise<Filled> {
  const sizes = { ...COMPANY, people: rows, risks: rows, issues: 0 }
  const filled = fill({ ...sizes, people: 0, risks: 0 })
  const file = storeOf(filled.folder)
  const store = await openStore(`file:${file}`, { cacheBytes: CACHE_BYTES })
  await store.write({ by: 'cli', at: () => new Date() }, async (write) => {
    const { person, membership, risk } = write.t
    const restorers = [person, membership, risk].map((table) => write.suspendIndexes(table))
    const peopleIds = await addPeople(write, sizes)
    await addRisks(write, sizes, peopleIds)
    for (const restore of await Promise.all(restorers)) await restore()
  })
  await store.close()
  settle(file)
  return filled
}

const cell = (text: string | undefined) => text || null
const number = (text: string | undefined) => (text ? Number(text) : null)

async function addPeople(write: Write, sizes: Sizes): Promise<string[]> {
  const groups = await write.db.select({ id: write.t.group.id, name: write.t.group.name }).from(write.t.group)
  const groupIds = new Map(groups.map(({ id, name }) => [name, id]))
  const ids: string[] = []
  for (const chunk of chunksOf(peopleRows(sizes))) {
    const people = chunk.map(([name = '', email, externalId, title, department]) =>
      personWith(write, undefined, {
        name,
        email: cell(email),
        externalId: cell(externalId),
        title: cell(title),
        department: cell(department),
      }),
    )
    await write.insertAll(write.t.person, people)
    const memberships = chunk.flatMap((cells, index) =>
      (cells[6] ?? '').split(';').map((group) => ({
        groupId: groupIds.get(group) ?? '',
        personId: people[index]?.id ?? '',
        live: 1,
      })),
    )
    await write.insertAll(write.t.membership, memberships)
    ids.push(...people.map(({ id }) => id))
  }
  return ids
}

async function addRisks(write: Write, sizes: Sizes, peopleIds: readonly string[]): Promise<void> {
  const projects = await write.db.select({ id: write.t.project.id, key: write.t.project.key }).from(write.t.project)
  const projectIds = new Map(projects.map(({ id, key }) => [key, id]))
  for (const chunk of chunksOf(riskRows(sizes))) {
    const risks = chunk.map((cells) => riskOf(write, cells, projectIds, peopleIds))
    await write.insertAll(write.t.risk, risks)
    await followScores(
      write,
      risks.map((after) => ({ before: undefined, after })),
    )
  }
}

function riskOf(
  write: Write,
  cells: readonly string[],
  projectIds: ReadonlyMap<string, string>,
  peopleIds: readonly string[],
): RiskRow {
  const [project = '', reference = '', title = '', description, category, likelihood, impact, status, ...rest] = cells
  const [response, email, ownerName, url, raisedOn = '', reviewOn] = rest
  return riskWith(write, undefined, {
    projectId: projectIds.get(project) ?? '',
    reference,
    title,
    description: cell(description),
    category: cell(category),
    likelihood: number(likelihood),
    impact: number(impact),
    // A cast: our own generator makes only valid values.
    status: status as (typeof RISK_STATUSES)[number],
    response: response as (typeof RISK_RESPONSES)[number],
    owner: { id: peopleIds[Number(/\d+/.exec(email ?? '')?.[0])] ?? null, name: cell(ownerName) },
    url: cell(url),
    raisedOn,
    reviewOn: cell(reviewOn),
  })
}

function* chunksOf<Row>(rows: Iterable<Row>): Generator<Row[]> {
  let chunk: Row[] = []
  for (const row of rows) {
    chunk.push(row)
    if (chunk.length < ROWS_AT_ONCE) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
