/** Names by the guesses for them, which a blank separates. */
export function byGuess<N>(names: Readonly<Record<string, N>>): Readonly<Record<string, N>> {
  return Object.fromEntries(Object.entries(names).flatMap(([all, name]) => all.split(' ').map((one) => [one, name])))
}

/** Common guesses for fields, arguments and filter members, with the names in this schema. */
export const SYNONYMS = byGuess<readonly string[]>({
  'people persons users employees staff': ['personnel', 'members'],
  'roster everyone': ['personnel'],
  'user employee': ['person', 'owner', 'assignee'],
  member: ['person', 'members'],
  'addToGroup addPersonToGroup': ['addMember'],
  'removeFromGroup removePersonFromGroup': ['removeMember'],
  deleteGroup: ['removeGroup'],
  'me viewer currentUser whoami': ['apiKey'],
  team: ['group', 'groups'],
  teams: ['groups', 'group'],
  department: ['departments'],
  departments: ['department'],
  'tickets tasks problems bugs': ['issues'],
  ticket: ['issue'],
  'role job position jobTitle': ['title'],
  mail: ['email'],
  login: ['email', 'externalId'],
  username: ['email', 'externalId', 'name'],
  name: ['title', 'search'],
  title: ['name', 'search'],
  'key number ref': ['reference'],
  label: ['name', 'title'],
  summary: ['title', 'description', 'riskMatrix'],
  text: ['description', 'search'],
  body: ['description'],
  code: ['key', 'reference', 'externalId'],
  'probability chance': ['likelihood'],
  severity: ['level', 'impact'],
  'priority urgency': ['severity', 'level'],
  rating: ['score', 'level'],
  gravity: ['level', 'severity'],
  owner: ['assignee'],
  ownerId: ['assigneeId'],
  'assignee manager': ['owner'],
  assigneeId: ['ownerId'],
  responsible: ['owner', 'assignee'],
  'state active': ['status'],
  mitigation: ['response'],
  deadline: ['dueOn', 'dueBefore', 'reviewOn'],
  'due dueDate': ['dueOn', 'dueBefore'],
  'dueFrom dueSince': ['dueAfter'],
  'unassigned unowned ownership': ['ownership', 'assignment'],
  'assignment orphaned': ['assignment', 'ownership'],
  'unmitigated hasMitigation': ['mitigated'],
  ownedDepartment: ['ownerDepartment', 'assigneeDepartment'],
  'overdue late': ['overdueByPerson', 'overdueIssueCount', 'dueBefore', 'dueOn'],
  'workload overduePeople': ['overdueByPerson'],
  created: ['createdAt'],
  updated: ['updatedAt', 'updatedSince'],
  modifiedAt: ['updatedAt'],
  'updatedAfter modifiedSince changedSince since createdAfter createdSince': ['updatedSince'],
  'score scoreMin': ['minScore'],
  count: ['totalCount', 'first'],
  total: ['totalCount'],
  size: ['memberCount', 'totalCount', 'first'],
  'items data results entries': ['nodes'],
  'limit take top last max pageSize perPage': ['first'],
  'where filters filterBy': ['filter'],
  'query q': ['search', 'filter'],
  contains: ['search'],
  'cursor startAfter': ['after'],
  'stats dashboard matrix heatmap': ['riskMatrix'],
  trend: ['riskTrend'],
  history: ['changes'],
  'audit auditLog log events activity feed': ['changes', 'history'],
  'byId uuid': ['id'],
})

/** Guesses for which there is no field at the root, and where the answer is. */
export const ELSEWHERE = byGuess<string>({
  search: 'Each list searches its entries: `risks(filter: { search: ... })`.',
  departments: 'People have one: `personnel { nodes { department } }`.',
  'deletePerson removePerson deleteUser removeUser':
    'Nobody is deleted: `changePerson(id: ..., input: { status: INACTIVE })`.',
})

/** Common verbs of mutation names, with the verbs in this schema. */
export const VERBS = byGuess<readonly string[]>({
  'create insert new add': ['add', 'sync'],
  'update edit set': ['change', 'sync'],
  'upsert import': ['sync'],
  close: ['sync', 'change'],
  'delete remove': ['remove', 'change', 'sync'],
})

/** Common nouns of mutation names, with the types in this schema; risks and issues come with their project. */
export const SYNONYMS_OF_NOUNS = byGuess<string>({
  'User Employee Member People Personnel': 'Person',
  Team: 'Group',
  'Risk Issue Ticket': 'Project',
})

export const ORDERING = ['orderBy', 'order', 'sort', 'sortBy', 'sorting', 'direction', 'orderDirection'] as const
export const PAGING = ['offset', 'skip', 'page', 'pageNumber', 'start', 'from', 'before'] as const
