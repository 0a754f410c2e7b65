import fc from 'fast-check'

/** Random inputs of mutations: a small world, so that names are found, taken, tied and searched for. */

const word = fc.constantFrom(
  'Ada',
  'ada',
  'Ärzte',
  'Åsa',
  'Zoë',
  'ＡＤＡ',
  'ǅ',
  'straße',
  '%',
  '_a',
  "O'Brien",
  '"q"',
  '\\',
  '👩‍👧',
  '\uFFFD',
  'İ',
  'e\u0301',
  'ς',
)
/** A name of several words, or few ones to be tied by. */
export const name = fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join(' '))
const free = fc.oneof(
  name,
  fc.constantFrom('Line\nbreak\t\u0007', '\u2028 </script>', '{"json": [1]}', 'x'.repeat(300)),
)
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 })
const texts = fc.constantFrom('Supply', 'supply', 'SUPPLY ', 'Weather', 'İ')
const day = fc.constantFrom('2026-01-31', '2026-02-28', '2026-03-01', '2026-11-15', '2027-02-01')
const step = fc.integer({ min: 1, max: 5 })
const number = fc.nat(5)

/** Any of these members, each of them given or not. */
const some = <T, K extends keyof T & string = never>(
  members: { [M in keyof T]: fc.Arbitrary<T[M]> },
  requiredKeys: K[] = [],
) => fc.record<T, K>(members, { requiredKeys })

const details = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('Cost', 'Site', 'ä "b"'), text: fc.constantFrom('1', '=2', 'a\nb') }),
  { selector: (one) => one.name, maxLength: 3 },
)
export const email = number.map((place) => `${place % 2 ? 'P' : 'p'}${place}@Example.com`)
export const externalId = number.map((place) => `HR-${place}`)
const facts = { title: optional(name), department: optional(texts), details }

const addPerson = some(
  {
    name,
    email,
    externalId: optional(externalId),
    ...facts,
    groupIds: fc.array(fc.constantFrom('«group 0»', '«group 1»', '«groupName 2»'), { maxLength: 3 }),
  },
  ['name', 'email'],
)
const changePerson = some({
  name,
  email: optional(email),
  externalId: optional(externalId),
  ...facts,
  status: fc.constantFrom('ACTIVE', 'INACTIVE'),
})
const addGroup = some(
  { name, externalId: optional(number.map((place) => `DIR-${place}`)), description: optional(free) },
  ['name'],
)
const changeGroup = some({
  name,
  externalId: optional(number.map((place) => `DIR-${place}`)),
  description: optional(free),
})
const who = fc.oneof(
  number.map((place) => `«person ${place}»`),
  number.map((place) => `«email ${place}»`),
  name,
)
const entry = {
  title: free.map((text) => text.replaceAll('\u0007', ' ').replaceAll('\u2028', ' ')),
  description: optional(free),
  url: optional(fc.constant('https://example.com/a?b=c&d="e"'.replaceAll('"', '%22'))),
  raisedOn: day,
  dueOn: optional(day),
  details,
}
const assessed = fc.option(fc.tuple(step, step), { freq: 4 })
const residual = fc.option(fc.tuple(step, step), { freq: 1 })
const risk = fc
  .tuple(
    some(
      {
        ...entry,
        category: optional(texts),
        response: optional(fc.constantFrom('AVOID', 'MITIGATE', 'TRANSFER', 'ACCEPT')),
        status: fc.constantFrom('OPEN', 'OCCURRED', 'CLOSED'),
        mitigation: optional(fc.oneof(free, fc.constantFrom('n/a', 'TBD.', '-', 'None'))),
        cause: optional(free),
        reviewOn: optional(day),
        scoreGiven: optional(fc.integer({ min: 0, max: 25 })),
        owner: optional(who),
      },
      ['title'],
    ),
    assessed,
    residual,
  )
  .map(([rest, both, after]) => ({
    ...rest,
    likelihood: both?.[0] ?? null,
    impact: both?.[1] ?? null,
    residualLikelihood: after?.[0] ?? null,
    residualImpact: after?.[1] ?? null,
  }))
const issue = some(
  {
    ...entry,
    severity: fc.constantFrom('LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
    status: fc.constantFrom('OPEN', 'OPEN', 'IN_PROGRESS', 'BLOCKED', 'RESOLVED', 'CLOSED'),
    assignee: optional(who),
    risk: optional(fc.constantFrom(...['R-0', 'R-1', 'R-2'].flatMap((one) => [one, one, one]), 'R-3')),
  },
  ['title', 'severity'],
)
const entries = <T extends object>(one: fc.Arbitrary<T>, prefix: string, minLength: number) =>
  fc
    .uniqueArray(fc.tuple(fc.nat(7), one), { selector: ([place]) => place, minLength, maxLength: 8, size: 'max' })
    .map((list) => list.map(([place, values]) => ({ reference: `${prefix}-${place}`, ...values })))
/** A project with its entries; few of its issues come from a risk that is not there. */
const syncProject = (least: number) =>
  some(
    {
      key: fc.constantFrom('APOLLO', 'APOLLO', 'HARBOR-2', 'old'),
      name,
      description: optional(free),
      status: fc.constantFrom('ACTIVE', 'ON_HOLD', 'CLOSED'),
      details,
      mode: fc.constantFrom('FULL', 'FULL', 'PARTIAL'),
      risks: entries(risk, 'R', least),
      issues: entries(issue, 'I', least),
      closeLimit: fc.constantFrom(null, 100),
    },
    ['key', 'name', 'risks', 'issues'],
  ).map(({ risks, issues, ...rest }) => ({ ...rest, risks, issues: issues.map((one) => withCause(one, risks)) }))

/** An issue that comes from one of the given risks, so that the others are stored too. */
function withCause<T extends { readonly risk?: string | null }>(
  one: T,
  risks: readonly { readonly reference: string }[],
): T {
  const place = Number(one.risk?.slice(2) ?? 0)
  return one.risk == null || place === 3
    ? one
    : { ...one, risk: risks[place % Math.max(1, risks.length)]?.reference ?? null }
}

const syncPersonnel = (minLength: number) =>
  some(
    {
      groups: fc.uniqueArray(
        some({ name, externalId: number.map((place) => `DIR-${place}`), description: optional(free) }, ['name']),
        { selector: (one) => one.name.normalize('NFKC').toLowerCase(), minLength, maxLength: 4, size: 'max' },
      ),
      people: fc.uniqueArray(
        some(
          {
            externalId,
            name,
            ...{ title: facts.title, department: facts.department },
            status: fc.constantFrom('ACTIVE', 'INACTIVE'),
            groups: fc.array(fc.constantFrom('«groupName 0»', '«group 1»'), { maxLength: 2 }),
          },
          ['externalId', 'name'],
        ),
        { selector: (one) => one.externalId, minLength, maxLength: 5, size: 'max' },
      ),
    },
    minLength > 0 ? ['groups', 'people'] : [],
  )

const group = fc.nat(3).map((place) => (place % 2 ? `«group ${place}»` : `«groupName ${place}»`))
const person = fc.oneof(
  { weight: 3, arbitrary: number.map((place) => `«person ${place}»`) },
  number.map((place) => `«email ${place}»`),
  fc.constant('usr_00000000000000000000000000'),
)

/** Each mutation: its arguments with their types, and their values. */
export interface Mutation {
  readonly field: string
  readonly types: string
  readonly variables: Readonly<Record<string, unknown>>
}
const of = (field: string, types: string, variables: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Mutation> =>
  variables.map((given) => ({ field, types, variables: given }))

export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 4, arbitrary: of('syncProject', '$input: SyncProjectInput!', fc.record({ input: syncProject(0) })) },
  { weight: 3, arbitrary: of('addPerson', '$input: AddPersonInput!', fc.record({ input: addPerson })) },
  { weight: 2, arbitrary: of('addGroup', '$input: AddGroupInput!', fc.record({ input: addGroup })) },
  {
    weight: 2,
    arbitrary: of(
      'changePerson',
      '$id: ID!, $input: ChangePersonInput!',
      fc.record({ id: person, input: changePerson }),
    ),
  },
  of('changeGroup', '$id: ID!, $input: ChangeGroupInput!', fc.record({ id: group, input: changeGroup })),
  of('removeGroup', '$id: ID!', fc.record({ id: group })),
  of('addMember', '$groupId: ID!, $personId: ID!', fc.record({ groupId: group, personId: person })),
  of('removeMember', '$groupId: ID!, $personId: ID!', fc.record({ groupId: group, personId: person })),
  of('syncPersonnel', '$input: SyncPersonnelInput!', fc.record({ input: syncPersonnel(0) })),
)

const syncing = (least: number) =>
  of('syncProject', '$input: SyncProjectInput!', fc.record({ input: syncProject(least) }))

/** What most companies begin with, so that there is something to read. */
export const firstMutations: fc.Arbitrary<Mutation[]> = fc.tuple(
  ...[
    of('addGroup', '$input: AddGroupInput!', fc.record({ input: addGroup })),
    of('addGroup', '$input: AddGroupInput!', fc.record({ input: addGroup })),
  ],
  of('syncPersonnel', '$input: SyncPersonnelInput!', fc.record({ input: syncPersonnel(2) })),
  of('addPerson', '$input: AddPersonInput!', fc.record({ input: addPerson })),
  ...[syncing(4), syncing(4), syncing(4)],
)
