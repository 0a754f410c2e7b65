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

  signIn: 'Sign in',
  signInHelp: 'With the account of your organisation, in this tab until it is closed.',
  signOut: 'Sign out',
  signedInAs: (name: string) => `Signed in: ${name}`,
  signInKept: 'You are signed in, which “Run” uses.',
  signInInsecure: 'Signing in needs this page over https (or on this machine): ask for its https address.',
  signInAway: 'Your organisation’s sign-in does not respond. Try again in a minute.',
  signInSilent: 'Your organisation’s sign-in does not respond.',
  signInNotTaken: (why: string) => `You have signed in, but this service does not accept the token: ${why}`,
  signInUnknown: 'This sign-in did not begin in this tab, or is over. Sign in again.',
  signInRefused: (why: string) => `You are not signed in. Your organisation’s sign-in says: ${why}`,
  signInForeign: 'its response does not belong to this request.',
  signInOver: 'Your sign-in is over. Sign in again to go on where you were.',
  signedOut: 'You are signed out.',
  signingIn: 'Operations Gateway: signing in',

  keyInstead: 'Or paste an API key',
  keyHeading: 'Your API key',
  keyHelp: 'It stays in this tab until the tab is closed, and is sent to this service only.',
  keyLabel: 'API key',
  keyForm: 'ops_…',
  keyUse: 'Use this key',
  keyHow: 'An operator creates one with: operations keys create --name me --scope personnel.read --scope projects.read',
  keyWrong:
    'This key is not valid, or no longer: check that it was copied whole, or ask whoever runs this service for a new one.',
  keyOf: (name: string) => `Key: ${name}`,
  keyForget: 'Forget the key',
  keyKept: 'This tab has a key, which “Run” uses.',
  keyFirst: 'Paste a key first; “Run” sends it with the request.',
  runResponse: 'Response',
  runCut: '… (cut here)',
  unreachable: 'The service cannot be reached.',
  scopeMissing: (what: string, scope: string) =>
    `${what} need the scope ${scope}: ask whoever runs this service, or the administrator of your accounts, for it.`,

  loading: 'Loading…',
  refreshed: (at: string) => `Refreshed ${at}`,
  asOf: (at: string, age: string) => `As of ${at} (${age})`,
  oldestData: 'Oldest data: ',
  neverSynced: 'No project has been synced yet.',
  justNow: 'less than an hour ago',
  never: 'never',
  oldSince: (at: string) => `Not refreshed since ${at}`,
  away: (why: string, at: string, isSame: boolean) =>
    `${why} This is what was shown at ${at}${isSame ? '' : ', before the filter changed'}; the page keeps trying.`,
  failed: (why: string) => `The page could not be refreshed: ${why}`,

  startHeading: 'Nothing is here yet',
  startWhy: 'This service rolls up the risks and issues of your projects. Fill it in this order, where it runs:',
  steps: [
    { what: 'The people who own risks and issues.', command: 'operations import people people.csv' },
    {
      what: 'The risk register of a project, as a workbook or as CSV, as it is.',
      command: 'operations import risks --project APOLLO --create-projects risks.xlsx',
    },
    { what: 'Its open issues.', command: 'operations import issues --project APOLLO issues.xlsx' },
    {
      what: 'A key for each colleague who reads this page.',
      command: 'operations keys create --name colleague --scope personnel.read --scope projects.read',
    },
  ],
  peopleThere: (n: number) => `People: ${plural(n, 'person is', 'people are')} here already. More of them:`,
  startThen: 'This page shows what was imported within half a minute. To look around first: operations serve --demo',

  liveRisks: 'Live risks',
  openIssues: 'Open issues',
  people: 'People',
  projects: 'Projects',
  groups: 'Groups',
  inGroups: (n: number) => `in ${plural(n, 'group', 'groups')}`,
  peopleHidden: 'Needs the scope personnel.read.',
  projectStates: { ACTIVE: 'active', ON_HOLD: 'on hold', CLOSED: 'closed' } as Words,
  overdue: 'overdue',
  notShownHere: 'Not shown: ',
  closedProjects: (n: number) => plural(n, 'closed project', 'closed projects'),
  closedHidden: (n: number) => `${plural(n, 'risk', 'risks')} of closed projects`,

  filter: 'Filter',
  search: 'Search',
  searchHint: 'risks, issues, projects, people',
  project: 'Project',
  anyProject: 'All projects',
  level: 'Level',
  anyLevel: 'All levels',
  owner: 'Owner',
  anyOwner: 'Anyone',
  nobody: 'Nobody on the roster',
  ownerships: {
    NONE: 'No owner at all',
    LEFT: 'People who left',
    NAMED: 'Names that are not on the roster',
    PERSON: 'People on the roster',
  } as Words,
  anyStatus: 'Live ones',
  category: 'Category',
  anyCategory: 'Any category',
  unmitigated: 'Without mitigation',
  dueAfter: 'Due after',
  dueBefore: 'Due before',
  moreFilters: 'More filters',
  dropped: (name: string, value: string) => `${name} “${value}”`,
  droppedAll: (words: string) => `Left out of the address, because it is not known here: ${words}.`,
  sectionsLabel: 'Sections',
  sections: {
    matrix: 'Matrix',
    trend: 'Over time',
    moved: 'What moved',
    register: 'Risks',
    issues: 'Issues',
    late: 'Overdue',
    projects: 'Projects',
    groups: 'Groups',
    roster: 'People',
    glossary: 'Words',
  } as Words,
  since: 'Moved since',
  clearFilter: 'Clear the filter',
  remove: (what: string) => `Remove: ${what}`,
  everything: 'everything',
  chosenProject: (key: string) => `project ${key}`,
  chosenLevel: (level: string) => `level ${level}`,
  chosenCell: (likelihood: number | undefined, impact: number | undefined) =>
    [likelihood && `likelihood ${likelihood}`, impact && `impact ${impact}`].filter(Boolean).join(', '),
  chosenOwner: (name: string) => `owner ${name}`,
  chosenOwnership: (whose: string) => `owner: ${whose}`,
  chosenSearch: (text: string) => `“${text}”`,
  chosenSeverity: (severity: string) => `issues: ${severity}`,
  chosenUnplaced: 'a score without factors',
  chosenStatus: (status: string) => `risks: ${status}`,
  chosenCategory: (category: string) => `category ${category}`,
  chosenMitigated: 'with mitigation',
  chosenResidual: (cell: string) => `residual ${cell}`,
  chosenDueAfter: (day: string) => `due after ${day}`,
  chosenDue: (day: string) => `due before ${day}`,
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
  scoreThen: 'Score → residual',
  factors: 'L × I',
  factorsMean: 'Likelihood × impact',
  times: (one: number, other: number) => `${one} × ${other}`,
  basis: 'Likelihood and impact',
  current: 'current',
  noResidual: 'without a residual score',
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
  pointValues: (day: string, live: string, levels: string) => `${day}: ${live} live (${levels})`,
  live: 'Live',

  issues: 'Open issues',
  issuesCaption: 'Open issues, most severe first',
  issue: 'Issue',
  severity: 'Severity',
  status: 'Status',
  due: 'Due',
  assignee: 'Assignee',
  overdueOn: (day: string) => `${day}, overdue`,
  changed: 'Changed',
  noAssignee: 'nobody',
  noIssues: 'No open issue matches.',
  ofIssues: (shown: number, all: number) => `${shownNumber(shown)} of ${plural(all, 'issue', 'issues')}`,

  late: 'Overdue by person',
  lateCaption: 'People with something overdue, most first',
  issuesLate: 'Overdue issues',
  risksLate: 'Overdue risks',
  ofAll: (some: number, all: number) => `${shownNumber(some)} of ${shownNumber(all)}`,
  noneLate: 'Nothing is overdue.',

  noProjects: 'No project matches.',
  projectsCaption: 'Projects, highest score first',
  ofProjects: (shown: number, all: number) => `${shownNumber(shown)} of ${plural(all, 'project', 'projects')}`,
  openRisks: 'Risks',
  issuesShort: 'Issues',
  topScore: 'Top score',
  synced: 'Synced',

  noPeople: 'Nobody on the roster matches.',
  noGroups: 'No group matches.',
  glossaryHeading: 'What the words mean',
  /** The same as in docs/overview.md. */
  glossary: {
    live: 'A risk that is not closed: open, or occurred and not yet resolved.',
    unassessed: 'A risk without a score: neither likelihood and impact nor a score of its own.',
    score: 'Likelihood × impact, both from 1 to 5, with the measures that are in place today.',
    residual: 'The score that is expected to remain after the response, from residual likelihood × residual impact.',
    roster: 'The people who are here now. Somebody who left is no longer on it, but may still own risks.',
    occurred: 'A risk that has happened; the issues that it caused are in its view.',
  } as Words,
  roster: 'Roster',
  name: 'Name',
  groupsCaption: 'Groups by name',
  ofGroups: (shown: number, all: number) => `${shownNumber(shown)} of ${plural(all, 'group', 'groups')}`,
  members: 'Members',
  ofPeople: (shown: number, all: number) => `${shownNumber(shown)} of ${plural(all, 'person', 'people')}`,

  close: 'Close',
  kinds: { risk: 'Risk', issue: 'Issue', person: 'Person', project: 'Project', group: 'Group' } as Words,
  notShown: 'This cannot be shown',
  notThere: (kind: string, name: string) => `${kind} ${name} does not exist. It may have been renamed or removed.`,
  left: 'left',
  notOnRoster: 'not on the roster',
  noOwner: 'no owner',
  dueOn: 'due ',
  residual: 'residual',
  measures: 'What is done about it',
  noMeasure: 'nothing is recorded',
  moreFacts: 'More facts',
  newSince: (day: string) => `new since ${day}`,
  unchangedSince: (day: string) => `unchanged since ${day}`,
  movedFrom: (isUp: boolean, score: number, day: string) => `${isUp ? '▲ up' : '▼ down'} from ${score} since ${day}`,
  caused: 'Open issues caused by it',
  none: 'None.',
  history: 'History',
  historyCut: 'The first 1,000 changes.',
  nothing: '–',
  hidden: 'hidden from this key',
  historyLine: (field: string, from: string, to: string) => `${field}: ${from} → ${to}`,
  actions: { CREATED: 'added', UPDATED: 'changed', CLOSED: 'closed', ERASED: 'erased' } as Words,
  imported: (source: string) => ` by an import of ${source}`,
  changedBy: (by: string) =>
    by === 'cli' ? ' on the command line' : by.startsWith('key_') ? ` with the key ${by}` : ` by ${by}`,
  openSource: 'Open in its own system (new tab)',
  ids: 'Ids and times',
  userId: 'User id of who answers for it',
  cameFrom: 'Came from',
  hasLeft: 'Has left: no longer on the roster.',
  ownedRisks: 'Risks owned',
  assignedIssues: 'Issues assigned',
  openWord: 'open',
  onlyThis: 'Show only this project',
  aboutIt: 'About it',
  personStates: { ACTIVE: 'active', INACTIVE: 'left' } as Words,

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
  responses: { AVOID: 'Avoid', MITIGATE: 'Mitigate', TRANSFER: 'Transfer', ACCEPT: 'Accept' } as Words,
  /** Names of fields that are no plain words. */
  fields: {
    ownerName: 'Owner, as the source names it',
    email: 'E-mail',
    externalId: 'External id',
    id: 'Id',
  } as Words,
}

/** The name of a field as words: `residualScore` is "Residual score". */
export function fieldName(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ (on|at)$/, '')
  return T.fields[name] ?? words.replace(/^./, (letter) => letter.toUpperCase())
}
