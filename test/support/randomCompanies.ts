import fc from 'fast-check'
import { addPerson } from '../../src/personnel/people.js'
import type { Write } from '../../src/store/store.js'
import { ISSUE_SEVERITIES, ISSUE_STATUSES, RISK_STATUSES } from '../../src/vocabulary.js'
import {
  addGroup,
  addIssues,
  addProject,
  addRisks,
  type Company,
  deactivatePerson,
  issue,
  project,
  risk,
} from './fixtures.js'

/** Random companies with arbitrary texts. */

const nasty = fc.constantFrom(
  '"',
  '\\',
  "'",
  '/',
  '\b\f\n\r\t',
  '\u0001\u001f\u007f',
  '\u2028\u2029',
  '👩‍👩‍👧',
  '\u{10ffff}',
  '<ä>',
)
const text = fc
  .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 4 })
  // NUL is not allowed in texts, and blanks at the ends would be trimmed.
  .map((parts) => `${parts.join('').replaceAll('\0', '')}.`)
const maybe = fc.option(text)
/** Valid names of people and groups; projects, risks and issues are stored without validation. */
const line = text.map((one) => one.replaceAll(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu, '-'))

export const anyCompany = fc.record({
  groups: fc.array(fc.record({ name: line, description: maybe }), { maxLength: 3 }),
  people: fc.array(
    fc.record({
      name: line,
      externalId: line,
      title: fc.option(line),
      department: fc.option(line),
      isActive: fc.boolean(),
      groups: fc.nat(7),
    }),
    { maxLength: 7 },
  ),
  risks: fc.array(
    fc.record({
      title: text,
      description: maybe,
      category: maybe,
      assessed: fc.option(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))),
      status: fc.constantFrom(...RISK_STATUSES),
      owner: fc.option(fc.nat(6)),
      ownerName: maybe,
      reviewOn: fc.constantFrom(null, '2027-01-31'),
    }),
    { maxLength: 9 },
  ),
  issues: fc.array(
    fc.record({
      title: text,
      severity: fc.constantFrom(...ISSUE_SEVERITIES),
      status: fc.constantFrom(...ISSUE_STATUSES),
      assignee: fc.option(fc.nat(6)),
      risk: fc.option(fc.nat(8)),
      url: maybe,
    }),
    { maxLength: 9 },
  ),
  project: fc.record({ name: text, description: maybe, url: maybe }),
})

export async function fillAny(
  write: Write,
  company: typeof anyCompany extends fc.Arbitrary<infer T> ? T : never,
): Promise<Company> {
  const groupIds: string[] = []
  for (const [i, group] of company.groups.entries()) {
    groupIds.push(await addGroup(write, { ...group, name: `${group.name}${i}` }))
  }
  const personIds: string[] = []
  for (const [i, { isActive, groups, externalId, ...person }] of company.people.entries()) {
    const inGroups = groupIds.filter((_, index) => groups & (1 << index))
    const { id } = await addPerson(write, { ...person, externalId: `${externalId}${i}`, groupIds: inGroups })
    if (!isActive) await deactivatePerson(write, id)
    personIds.push(id)
  }
  const projectIds = [
    await addProject(write, project({ key: 'P-0', ...company.project })),
    await addProject(write, project({ key: 'P-1' })),
  ]
  const riskIds = await addRisks(
    write,
    company.risks.map(({ assessed, owner, ...draft }, i) => {
      const [likelihood, impact] = assessed ?? [null, null]
      const ownerId = owner === null ? null : (personIds[owner] ?? null)
      return risk(projectIds[i % 2] ?? '', { ...draft, reference: `R-${i}`, likelihood, impact, ownerId })
    }),
  )
  const issueIds = await addIssues(
    write,
    company.issues.map(({ assignee, risk: from, ...draft }, i) => {
      const assigneeId = assignee === null ? null : (personIds[assignee] ?? null)
      const riskId = from === null ? null : (riskIds[from] ?? null)
      return issue(projectIds[i % 2] ?? '', { ...draft, reference: `I-${i}`, assigneeId, riskId })
    }),
  )
  return { groupIds, personIds, projectIds, riskIds, issueIds }
}
