import fc from 'fast-check'
import { type IdKind, newId } from '../../src/ids.js'
import { fold } from '../../src/text.js'
import type { NounPlural } from '../../src/vocabulary.js'
import {
  ASSESSMENT_MAX,
  ISSUE_SEVERITIES,
  ISSUE_STATUSES,
  PERSON_STATUSES,
  PROJECT_STATUSES,
  RISK_RESPONSES,
  RISK_STATUSES,
  SCORE_MAX,
} from '../../src/vocabulary.js'
import { NOW } from '../support/harness.js'

export type Members = Record<string, unknown>
export type RandomProjects = Readonly<Record<NounPlural, readonly Members[]>>

// Difficult texts for CSV readers, spreadsheets and comparisons.
const HARD = '" \' , ; : = + - @ # \\ | % ä ß İ ﬁ € \u00a0 e\u0301 😀 👩🏽‍🚀 0 x'.split(' ')
/** Only valid in a description. */
const CONTROLS = '\ufeff \t \n \r \r\n \x01 \u0085 \u2028'.split(' ')
const BEGINNINGS = [
  '',
  '=',
  '+',
  '-',
  '@',
  "'",
  "'=",
  "''+",
  '# ',
  'grp_',
  'GRP_',
  'usr_',
  'sep=;',
  '007',
  '1e5',
  'null',
]

const textOf = (...units: string[]) =>
  fc
    .tuple(fc.constantFrom(...BEGINNINGS), fc.string({ unit: fc.constantFrom(...units, ' '), maxLength: 10 }))
    .map((parts) => parts.join(''))
    .filter((one) => one.trim() !== '')
const line = textOf(...HARD)
const headline = textOf(...HARD, '\t', '\n', '\r', '\r\n')
const text = textOf(...HARD, ...CONTROLS)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const url = maybe(fc.constantFrom('https://example.com/?a=1,2;3&b="x"', "http://example.com/'=ü"))
const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
/** One of the existing rows, by its number; null for none. */
const one = maybe(fc.nat(99))
const some = <T>(record: fc.Arbitrary<T>, selector?: (one: T) => string) =>
  fc.uniqueArray(record, { minLength: 1, maxLength: 5, ...(selector && { selector }) })

export function idOf(kind: IdKind, number: number): string {
  return newId(kind, NOW, new Uint8Array(10).fill(number + 1))
}

const factor = fc.integer({ min: 1, max: ASSESSMENT_MAX })
/** Likelihood and impact. */
const factors = fc.tuple(factor, factor)

/** Their names are compared as they are, after trimming. */
const details = fc.uniqueArray(fc.record({ name: headline, text }), {
  maxLength: 3,
  selector: ({ name }) => name.trim(),
})

const drafts = fc.record({
  groups: some(
    fc.record({
      name: line,
      externalId: maybe(line),
      description: maybe(text),
    }),
    ({ name }) => fold(name.trim()),
  ),
  people: some(
    fc.record({
      name: line,
      local: maybe(fc.constantFrom('ada', "o'brien", '=cmd', '-x', '+49', 'JÖRG', '{a|b}')),
      externalId: line,
      title: maybe(line),
      department: maybe(line),
      details,
      status: fc.constantFrom(...PERSON_STATUSES),
      groups: fc.array(fc.nat(99), { maxLength: 4 }),
    }),
  ),
  projects: some(
    fc.record({
      key: fc.stringMatching(/^[A-Z][A-Z0-9-]{0,6}$/),
      name: line,
      description: maybe(text),
      url,
      details,
      status: fc.constantFrom(...PROJECT_STATUSES),
    }),
    ({ key }) => key,
  ),
  risks: some(
    fc.record({
      project: fc.nat(99),
      reference: line,
      title: headline,
      description: maybe(text),
      category: maybe(line),
      judged: maybe(factors),
      residual: maybe(factors),
      scoreGiven: maybe(fc.integer({ min: 0, max: SCORE_MAX })),
      mitigation: maybe(text),
      cause: maybe(text),
      dueOn: maybe(day),
      details,
      status: fc.constantFrom(...RISK_STATUSES),
      response: maybe(fc.constantFrom(...RISK_RESPONSES)),
      owner: one,
      ownerName: maybe(line),
      url,
      raisedOn: day,
      reviewOn: maybe(day),
    }),
  ),
  issues: some(
    fc.record({
      project: fc.nat(99),
      reference: line,
      title: headline,
      description: maybe(text),
      severity: fc.constantFrom(...ISSUE_SEVERITIES),
      details,
      status: fc.constantFrom(...ISSUE_STATUSES),
      assignee: one,
      assigneeName: maybe(line),
      risk: one,
      url,
      raisedOn: day,
      dueOn: maybe(day),
    }),
  ),
})

/** Source records for an import: each has its id, and unique texts end in its number. */
export const randomProjects: fc.Arbitrary<RandomProjects> = drafts.map(
  ({ groups, people, projects, risks, issues }) => {
    const among = (kind: IdKind, all: readonly unknown[], number: number | null) =>
      number === null ? null : idOf(kind, number % all.length)
    /** One of the risks of a project, by its number. */
    const ofProject = (project: number, number: number | null) => {
      const own = risks.flatMap((risk, n) => (keyOf(risk.project) === keyOf(project) ? [n] : []))
      const chosen = number === null ? undefined : own[number % own.length]
      return chosen === undefined ? null : idOf('risk', chosen)
    }
    const keyOf = (number: number) => projects[number % projects.length]?.key
    return {
      groups: groups.map(({ externalId, ...group }, n) => ({
        ...group,
        id: idOf('group', n),
        // Also by the id of another group.
        name: n === 1 ? idOf('group', 0) : group.name,
        // Also what another group is called.
        externalId: externalId === null ? null : n === 1 ? groups[0]?.name.trim() : `${externalId} ${n}`,
      })),
      people: people.map(({ local, externalId, groups: members, ...person }, n) => ({
        ...person,
        id: idOf('person', n),
        email: local && `${local}${n}@example.com`,
        // Also the id of someone else.
        externalId: n === 1 ? idOf('person', 0) : local && n % 2 ? null : `${externalId} ${n}`,
        groups: members.map((member) => among('group', groups, member)),
      })),
      projects: projects.map((project, n) => ({ ...project, id: idOf('project', n) })),
      risks: risks.map(({ project, reference, judged, residual, scoreGiven, owner, ...risk }, n) => ({
        ...risk,
        id: idOf('risk', n),
        project: keyOf(project),
        reference: `${reference} ${n}`,
        likelihood: judged?.[0] ?? null,
        impact: judged?.[1] ?? null,
        scoreGiven: judged ? null : scoreGiven,
        residualLikelihood: residual?.[0] ?? null,
        residualImpact: residual?.[1] ?? null,
        ownerId: among('person', people, owner),
      })),
      issues: issues.map(({ project, reference, assignee, risk, ...issue }, n) => ({
        ...issue,
        id: idOf('issue', n),
        project: keyOf(project),
        reference: `${reference} ${n}`,
        assigneeId: among('person', people, assignee),
        riskId: ofProject(project, risk),
      })),
    }
  },
)
