/** Likelihood and impact run from 1 to this. */
export const ASSESSMENT_MAX = 5
/** A score is likelihood x impact, or as given: from 0 to this. */
export const SCORE_MAX = ASSESSMENT_MAX * ASSESSMENT_MAX

/** The lowest score of each level, from the lowest level; a level ends where the next begins. */
export const LEVEL_FLOORS = { UNASSESSED: 0, LOW: 1, MEDIUM: 5, HIGH: 10, CRITICAL: 20 } as const
export type RiskLevel = keyof typeof LEVEL_FLOORS

export function scoreBoundsOf(level: RiskLevel): readonly [lowest: number, highest: number] {
  const lowest = LEVEL_FLOORS[level]
  const next = Object.values(LEVEL_FLOORS).find((floor) => floor > lowest)
  return [lowest, next === undefined ? SCORE_MAX : next - 1]
}

const scoresOf = (level: RiskLevel) => `Score ${scoreBoundsOf(level).join(' to ')}.`

const OPEN_STATUSES = {
  OPEN: 'Nobody is working on it yet.',
  IN_PROGRESS: 'Someone is working on it.',
  BLOCKED: 'It is waiting for something else.',
}

/**
 * The enums of fields and filters by their GraphQL names, and what their values mean. Types, GraphQL enums, CHECK
 * constraints and documents are derived from them.
 */
export const ENUMS = {
  PersonStatus: {
    description: 'Whether a person is on the roster.',
    values: {
      ACTIVE: 'On the roster.',
      INACTIVE: 'No longer on the roster; the id stays valid for tasks assigned to it.',
    },
  },
  ProjectStatus: {
    description: 'The status of a project.',
    values: { ACTIVE: 'Under way.', ON_HOLD: 'Paused for now.', CLOSED: 'Finished or abandoned.' },
  },
  RiskStatus: {
    description: 'The status of a risk.',
    values: {
      OPEN: 'It may happen.',
      OCCURRED: 'It has happened and is not resolved yet.',
      CLOSED: 'It can no longer happen, or is resolved.',
    },
  },
  RiskResponse: {
    description: 'The response to a risk.',
    values: {
      AVOID: 'Plans are changed so that it cannot happen.',
      MITIGATE: 'Its likelihood or impact is reduced.',
      TRANSFER: 'Another party bears it, such as an insurer or a supplier.',
      ACCEPT: 'It is accepted as it is.',
    },
  },
  RiskLevel: {
    description: 'The level of a risk, by its score.',
    values: {
      UNASSESSED: 'Score 0: not assessed yet.',
      LOW: scoresOf('LOW'),
      MEDIUM: scoresOf('MEDIUM'),
      HIGH: scoresOf('HIGH'),
      CRITICAL: scoresOf('CRITICAL'),
    },
  },
  /** From least to most severe: the index is what issues are ordered by. */
  IssueSeverity: {
    description: 'The severity of an issue.',
    values: {
      LOW: 'A nuisance.',
      MEDIUM: 'It costs time or money.',
      HIGH: 'It endangers a goal of the project.',
      CRITICAL: 'It stops the project.',
    },
  },
  IssueStatus: {
    description: 'The status of an issue; OPEN, IN_PROGRESS and BLOCKED count as open.',
    values: {
      ...OPEN_STATUSES,
      RESOLVED: 'Solved, but not confirmed yet.',
      CLOSED: 'Solved and confirmed, or dropped.',
    },
  },
  OpenIssueStatus: { description: 'The status of an open issue.', values: OPEN_STATUSES },
  /** Each risk and issue has exactly one of them. */
  Ownership: {
    description: 'Who owns a risk, or is assigned an issue.',
    values: {
      NONE: 'Nobody: there is not even a name.',
      NAMED: 'A name that is not on the roster.',
      PERSON: 'A person on the roster; needs the scope personnel.read.',
      LEFT: 'A person who has left the roster; needs the scope personnel.read.',
    },
  },
} satisfies Readonly<Record<string, { description: string; values: Readonly<Record<string, string>> }>>
export type EnumName = keyof typeof ENUMS
export type EnumValue<N extends EnumName> = keyof (typeof ENUMS)[N]['values'] & string

/** The values of an enum, in their order. */
export function valuesOf<N extends EnumName>(name: N) {
  // A cast: the keys of an object are texts to TypeScript, and no enum is empty.
  return Object.keys(ENUMS[name].values) as unknown as readonly [EnumValue<N>, ...EnumValue<N>[]]
}

export const PERSON_STATUSES = valuesOf('PersonStatus')
export type PersonStatus = EnumValue<'PersonStatus'>

export const PROJECT_STATUSES = valuesOf('ProjectStatus')
export type ProjectStatus = EnumValue<'ProjectStatus'>

export const RISK_STATUSES = valuesOf('RiskStatus')
export type RiskStatus = EnumValue<'RiskStatus'>
export const LIVE_RISK_STATUSES = ['OPEN', 'OCCURRED'] as const satisfies readonly RiskStatus[]

export const RISK_RESPONSES = valuesOf('RiskResponse')

export const RISK_LEVELS = valuesOf('RiskLevel')

export const ISSUE_SEVERITIES = valuesOf('IssueSeverity')
export type IssueSeverity = EnumValue<'IssueSeverity'>

export const ISSUE_STATUSES = valuesOf('IssueStatus')
export type IssueStatus = EnumValue<'IssueStatus'>
export const OPEN_ISSUE_STATUSES = valuesOf('OpenIssueStatus')

export const OWNERSHIPS = valuesOf('Ownership')
export type Ownership = EnumValue<'Ownership'>

/** Sorts after every day. */
export const NO_DAY = '9999-99-99'

/**
 * The nouns, each with a table and a history: whatever treats all of them alike follows from this list, and what differs
 * is a record with an entry for each, so that a noun without one does not compile. Beside each stand its plural, the
 * prefix of its ids, the area that its scopes are of, what it is, the members that people call it by, who holds it, and
 * the status in which it begins, and in which it is closed.
 */
export const NOUNS = {
  person: { plural: 'people', prefix: 'usr', area: 'personnel', is: 'A person of the roster.', title: 'name' },
  group: { plural: 'groups', prefix: 'grp', area: 'personnel', is: 'A personnel group.', title: 'name' },
  project: {
    plural: 'projects',
    prefix: 'prj',
    area: 'projects',
    is: 'A project.',
    title: 'name',
    reference: 'key',
    closed: 'CLOSED',
  },
  risk: {
    plural: 'risks',
    prefix: 'rsk',
    area: 'projects',
    is: 'A risk of a project.',
    title: 'title',
    reference: 'reference',
    holder: 'owner',
    open: 'OPEN',
    closed: 'CLOSED',
  },
  issue: {
    plural: 'issues',
    prefix: 'iss',
    area: 'projects',
    is: 'An issue of a project.',
    title: 'title',
    reference: 'reference',
    holder: 'assignee',
    open: 'OPEN',
    closed: 'CLOSED',
  },
} as const
export type NounName = keyof typeof NOUNS
export type NounPlural = (typeof NOUNS)[NounName]['plural']
// Casts: the keys of an object are texts to TypeScript.
export const NOUN_NAMES = Object.keys(NOUNS) as NounName[]
export const isNounName = (text: string): text is NounName => Object.hasOwn(NOUNS, text)
export const NOUN_PLURALS: readonly NounPlural[] = NOUN_NAMES.map((name) => NOUNS[name].plural)

/** The noun of a plural. */
export function nounOfPlural(plural: NounPlural): NounName {
  // A cast: every plural is one of a noun.
  return NOUN_NAMES.find((name) => NOUNS[name].plural === plural) as NounName
}

/** The noun that a plural names; the roster is called personnel elsewhere, and here too. */
export function pluralNamed(text: string): NounPlural | undefined {
  return text === 'personnel' ? 'people' : NOUN_PLURALS.find((plural) => plural === text)
}

/** The nouns that someone holds, entries of a project: beside their `holder` are such as `ownerId` and `ownerName`. */
export type HeldNoun = { [N in NounName]: (typeof NOUNS)[N] extends { holder: string } ? N : never }[NounName]
export const isHeldNoun = (noun: NounName): noun is HeldNoun => 'holder' in NOUNS[noun]
export const HELD_NOUNS = NOUN_NAMES.filter(isHeldNoun)
export type EntryPlural = (typeof NOUNS)[HeldNoun]['plural']
export const ENTRY_PLURALS: readonly EntryPlural[] = HELD_NOUNS.map((name) => NOUNS[name].plural)
export const isEntryPlural = (plural: string): plural is EntryPlural => ENTRY_PLURALS.some((one) => one === plural)

/** Something for the entries of each noun, by its plural. */
export function perEntryPlural<V>(one: (noun: HeldNoun, plural: EntryPlural) => V): Readonly<Record<EntryPlural, V>> {
  const values = HELD_NOUNS.map((noun) => [NOUNS[noun].plural, one(noun, NOUNS[noun].plural)] as const)
  // A cast: there is one for each plural.
  return Object.fromEntries(values) as Record<EntryPlural, V>
}

/** A noun or its plural as the names of types and operations have it. */
export function capitalized<T extends string>(text: T): Capitalize<T> {
  // A cast: TypeScript does not follow the characters of a text.
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}` as Capitalize<T>
}

/** How histories call a noun. */
export type EntityKind = Uppercase<NounName>
export const kindOf = <N extends NounName>(name: N) => name.toUpperCase() as Uppercase<N>
export const nounOfKind = (kind: EntityKind) => kind.toLowerCase() as NounName
export const ENTITY_KINDS = NOUN_NAMES.map(kindOf) as [EntityKind, ...EntityKind[]]

export const CHANGE_ACTIONS = ['CREATED', 'UPDATED', 'CLOSED', 'ERASED', 'REMOVED'] as const
export type ChangeAction = (typeof CHANGE_ACTIONS)[number]

/** What a run of an import is: of files, of the API, of another run to be undone, or of two people who are one. */
export const IMPORT_KINDS = ['IMPORT', 'SYNC', 'UNDO', 'MERGE'] as const

/** The longest text of each kind, in code points. `headline` is the title of a risk or an issue. */
export const TEXT_MAX = {
  name: 200,
  email: 254,
  externalId: 200,
  title: 200,
  headline: 500,
  department: 200,
  description: 10_000,
  category: 200,
  reference: 100,
  projectKey: 50,
  url: 2_000,
  detailName: 100,
  detailText: 2_000,
  search: 200,
  /** For ids and names that refer to something: as long as the longest name, an e-mail. */
  id: 254,
} as const
export type TextKind = keyof typeof TEXT_MAX

/** The most details of one entity. */
export const DETAILS_MAX = 50
