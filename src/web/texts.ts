/** Every text of the overview: a translation replaces this table. */

const LOCALE = 'en-GB'

const count = new Intl.NumberFormat(LOCALE)
const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium' })
const calendar = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' })
const ago = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

export const shownNumber = (value: number) => count.format(value)
export const shownMoment = (iso: string) => moment.format(new Date(iso))
export const shownTime = (ms: number) => clock.format(ms)
/** A day without a time, such as 2026-11-01. */
export const shownDay = (day: string) => calendar.format(new Date(`${day}T00:00:00Z`))

export function shownAge(iso: string, now = Date.now()): string {
  const ms = now - Date.parse(iso)
  if (ms < HOUR_MS) return T.justNow
  return ms < 2 * DAY_MS ? ago.format(-Math.floor(ms / HOUR_MS), 'hour') : ago.format(-Math.floor(ms / DAY_MS), 'day')
}

/** The words of an enum; a value that the page does not know is shown as it is. */
type Words = Readonly<Record<string, string>>

const plural = (value: number, one: string, many: string) => `${shownNumber(value)} ${value === 1 ? one : many}`

export const T = {
  product: 'Operations Gateway',
  title: 'Overview',
  documentTitle: 'Overview · Operations Gateway',
  description: 'Risks, open issues, projects and people, rolled up.',
  noScript: 'This page is a client of the API in JavaScript. Without it, see',
  skip: 'Skip to the content',
  apis: 'APIs',
  graphql: 'GraphQL',
  rest: 'REST',
  openapi: 'OpenAPI',

  keyHeading: 'Your API key',
  keyHelp: 'It stays in this tab until the tab is closed, and is sent to this service only.',
  keyLabel: 'API key',
  keyForm: 'ops_…',
  keyUse: 'Show the overview',
  keyHow: 'An operator creates one with: operations keys create --name me --scope personnel.read --scope projects.read',
  keyOf: (name: string) => `Key: ${name}`,
  keyForget: 'Forget the key',
  keyKept: 'This tab has a key, which “Run” uses.',
  keyFirst: 'Paste a key first; “Run” sends it with the request.',
  runResponse: 'Response',
  runCut: '… (cut here)',
  unreachable: 'The service cannot be reached.',
  scopeMissing: (what: string, scope: string) => `${what} need a key with the scope ${scope}.`,

  loading: 'Loading…',
  refreshed: (at: string) => `Refreshed ${at}`,
  asOf: (at: string, age: string) => `As of ${at} (${age})`,
  oldestData: 'Oldest data: ',
  neverSynced: 'No project has been synced yet.',
  justNow: 'less than an hour ago',
  never: 'never',
  away: (at: string) => `The service cannot be reached. This is what it showed at ${at}; the page keeps trying.`,
  failed: (why: string) => `The page could not be refreshed: ${why}`,

  liveRisks: 'Live risks',
  openIssues: 'Open issues',
  people: 'People',
  projects: 'Projects',
  groups: 'Groups',
  inGroups: (n: number) => `in ${plural(n, 'group', 'groups')}`,
  peopleHidden: 'Needs the scope personnel.read.',
  projectStates: { ACTIVE: 'active', ON_HOLD: 'on hold', CLOSED: 'closed' } as Words,
  overdue: 'overdue',

  filter: 'Filter',
  search: 'Search',
  searchHint: 'title or reference',
  project: 'Project',
  anyProject: 'All projects',
  level: 'Level',
  anyLevel: 'All levels',
  owner: 'Owner',
  anyOwner: 'Anyone',
  nobody: 'Nobody on the roster',
  ownersShown: 'Owners of what is shown',
  since: 'Moved since',
  clearFilter: 'Clear the filter',
  remove: (what: string) => `Remove: ${what}`,
  everything: 'everything',
  chosenProject: (key: string) => `project ${key}`,
  chosenLevel: (level: string) => `level ${level}`,
  chosenCell: (likelihood: number | undefined, impact: number | undefined) =>
    [likelihood && `likelihood ${likelihood}`, impact && `impact ${impact}`].filter(Boolean).join(', '),
  chosenOwner: (name: string) => `owner ${name}`,
  chosenSearch: (text: string) => `“${text}”`,
  chosenSeverity: (severity: string) => `issues: ${severity}`,
  chosenUnplaced: 'a score without factors',
  chosenDue: (day: string) => `issues: due before ${day}`,
  chosenState: (state: string) => `projects: ${state}`,
  chosenMovement: (movement: string) => `moved: ${movement}`,
  chosenGroup: (name: string) => `people: ${name}`,
  notFollowed: (words: string) => `Not narrowed by ${words}.`,

  matrix: 'Risk matrix',
  matrixCaption: 'Live risks by likelihood and impact',
  likelihood: 'Likelihood',
  impact: 'Impact',
  down: (axis: string) => `${axis} ↓`,
  across: (axis: string) => `${axis} →`,
  swap: 'Swap axes',
  cellBefore: (likelihood: number, impact: number) => `Likelihood ${likelihood}, impact ${impact}: `,
  cellAfter: (n: number, score: number) => ` ${n === 1 ? 'risk' : 'risks'}, score ${score},`,
  unplaced: (n: number) => [plural(n, 'more risk', 'more risks'), ` with a score, but not both factors.`] as const,

  register: 'Risk register',
  registerCaption: 'Live risks, highest score first',
  ofRisks: (shown: number, all: number) => `${shownNumber(shown)} of ${plural(all, 'risk', 'risks')}`,
  rank: 'Rank',
  risk: 'Risk',
  score: 'Score',
  trend: 'Trend',
  movedSince: (day: string) => `since ${day}`,
  more: (n: number) => `Show ${shownNumber(n)} more`,
  mostShown: 'More than that is in the CSV file.',
  noRisks: 'No live risk matches.',
  asCsv: 'as CSV',
  asGraphql: 'as GraphQL',

  moved: 'What moved',
  movedCaption: 'Risks that moved, the biggest movement first',
  movement: 'Movement',
  movements: { NEW: 'new', CLOSED: 'closed', UP: 'up', DOWN: 'down' } as Words,
  issueMovements: { OPENED: 'opened', RESOLVED: 'resolved', WORSE: 'worse', SLIPPED: 'slipped' } as Words,
  change: 'Change',
  risksMoved: 'Risks',
  issuesMoved: 'Issues',
  fromTo: (from: string, to: string) => `${from} → ${to}`,
  upFrom: (score: number) => `up from ${score}`,
  downFrom: (score: number) => `down from ${score}`,
  unchanged: 'unchanged',
  nothingMoved: (day: string) => `Nothing has moved since ${day}.`,
  movedIssuesCaption: 'Issues that moved, the biggest change of severity first',

  trendHeading: 'Levels over time',
  trendLabel: (from: string, to: string) => `Live risks by level from ${from} to ${to}`,
  trendTable: 'As a table',
  day: 'Day',
  live: 'Live',

  issues: 'Open issues',
  issuesCaption: 'Open issues, most severe first',
  issue: 'Issue',
  severity: 'Severity',
  status: 'Status',
  due: 'Due',
  assignee: 'Assignee',
  overdueOn: (day: string) => `${day}, overdue`,
  noIssues: 'No open issue matches.',
  ofIssues: (shown: number, all: number) => `${shownNumber(shown)} of ${plural(all, 'issue', 'issues')}`,

  projectsCaption: 'Projects, highest score first',
  ofProjects: (shown: number, all: number) => `${shownNumber(shown)} of ${plural(all, 'project', 'projects')}`,
  openRisks: 'Risks',
  issuesShort: 'Issues',
  topScore: 'Top score',
  synced: 'Synced',

  roster: 'Roster',
  name: 'Name',
  groupsCaption: 'Groups by name',
  ofGroups: (shown: number, all: number) => `${shownNumber(shown)} of ${plural(all, 'group', 'groups')}`,
  members: 'Members',
  ofPeople: (shown: number, all: number) => `${shownNumber(shown)} of ${plural(all, 'person', 'people')}`,

  close: 'Close',
  caused: 'Open issues caused by it',
  noneCaused: 'None.',
  history: 'History',
  nothing: '–',
  hidden: 'hidden from this key',
  historyLine: (field: string, from: string, to: string) => `${field}: ${from} → ${to}`,
  actions: { CREATED: 'added', UPDATED: 'changed', CLOSED: 'closed', ERASED: 'erased' } as Words,
  openSource: 'Open in its own system',

  printed: (at: string) => `Printed ${at}`,
  filterIs: (words: string) => `Filter: ${words}`,

  levels: {
    CRITICAL: 'critical',
    HIGH: 'high',
    MEDIUM: 'medium',
    LOW: 'low',
    UNASSESSED: 'unassessed',
  } as Words,
  statuses: {
    OPEN: 'open',
    IN_PROGRESS: 'in progress',
    BLOCKED: 'blocked',
    OCCURRED: 'occurred',
    RESOLVED: 'resolved',
    CLOSED: 'closed',
  } as Words,
  responses: { AVOID: 'avoid', MITIGATE: 'mitigate', TRANSFER: 'transfer', ACCEPT: 'accept' } as Words,
  /** Names of fields that are no plain words. */
  fields: {
    ownerName: 'Owner, as the source names it',
    ownerId: 'Owner’s user id',
    url: 'Link',
    id: 'Id',
  } as Words,
}

/** The name of a field as words: `residualScore` is "Residual score". */
export function fieldName(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ (on|at)$/, '')
  return T.fields[name] ?? words.replace(/^./, (letter) => letter.toUpperCase())
}
