import fc from 'fast-check'
import { ISSUE_SEVERITIES, ISSUE_STATUSES, RISK_STATUSES } from '../../src/vocabulary.js'

/** A sync of one project, some time after the one before. */
export interface Step {
  readonly afterMs: number
  readonly input: Readonly<Record<string, unknown>>
}

const PROJECTS = ['APOLLO', 'BRIDGE'] as const
const step = fc.integer({ min: 1, max: 5 })

const risk = fc
  .record({
    reference: fc.integer({ min: 1, max: 6 }).map((number) => `R-${number}`),
    title: fc.constantFrom('Flood', 'Strike', 'A "score":[1,2] in words', 'Ümlaut \\ "quoted"'),
    factors: fc.option(fc.tuple(step, step)),
    status: fc.constantFrom(...RISK_STATUSES),
  })
  .map(({ factors, ...one }) => ({ ...one, likelihood: factors?.[0] ?? null, impact: factors?.[1] ?? null }))

const issue = fc.record({
  reference: fc.integer({ min: 1, max: 5 }).map((number) => `I-${number}`),
  title: fc.constantFrom('No crane', 'No permit'),
  severity: fc.constantFrom(...ISSUE_SEVERITIES),
  status: fc.constantFrom(...ISSUE_STATUSES),
  dueOn: fc.constantFrom(null, '2026-11-30', '2026-12-01', '2027-02-28'),
})

const some = <T extends { reference: string }>(one: fc.Arbitrary<T>) =>
  fc.uniqueArray(one, { selector: ({ reference }) => reference, maxLength: 5 })

const HOUR_MS = 3_600_000

/** What is left out is closed as missing. */
export const anyHistory: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    afterMs: fc.oneof(
      fc.constantFrom(1, HOUR_MS),
      fc.integer({ min: 1, max: 60 }).map((hours) => hours * HOUR_MS),
    ),
    input: fc
      .record({ key: fc.constantFrom(...PROJECTS), risks: some(risk), issues: some(issue) })
      .map((project) => ({ ...project, name: `Project ${project.key}`, closeLimit: 100 })),
  }),
  { minLength: 3, maxLength: 9 },
)
