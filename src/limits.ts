type Limit = readonly [value: number, meaning: string]

/**
 * What callers and operators can meet or set: the name with the unit, the value and the meaning. docs/limits.md,
 * `--help-limits` and `x-limits` are generated from it; other constants are in the files that use them.
 */
export const LIMIT_GROUPS = {
  Lists: {
    pageRowsMax: [1_000, 'Rows of one page.'],
    nestedPageRows: [50, 'Rows of a page of a nested list by default.'],
    wholeListRowsMax: [100_000, 'Rows of a list that is not asked for in pages; a setting.'],
    filterItemsMax: [1_000, 'Distinct values in one list of a filter.'],
    searchFoldedMax: [400, 'Characters of a `search`, in the form in which texts are compared (Unicode NFKC).'],
    comparedCharactersMax: [
      300_000,
      'Characters of all texts in the filters of a query, in the form in which they are compared (Unicode NFKC); a list that several filters share counts once.',
    ],
  },
  Queries: {
    queryCostMax: [
      100_000,
      'The cost of a query: a field is 1, a list is its selection times the rows that it can return.',
    ],
    queryDepthMax: [10, 'The depth of a query; pure introspection is exempt.'],
    queryTokensMax: [1_000, 'Tokens of a query.'],
    queryCharactersMax: [32_000, 'Characters of a query.'],
    queryNamesMax: [50, 'Root fields and aliases of a query together.'],
    queryFieldsMax: [10_000, 'Fields of a query, with its fragments expanded.'],
    queryRepeatsMax: [
      200,
      'Fields of a query that are in the same place of the response as another of their name, also through fragments.',
    ],
    introspectedFieldsMax: [1_000, 'Introspection fields of a query, with its fragments expanded.'],
    queryDirectivesMax: [8, 'Directives in a query.'],
    lookUpsMax: [64, 'Fields of a root field that look up other rows, with its fragments expanded.'],
    membersMax: [500, 'Fields of one object.'],
    queryItemsMax: [
      20_000,
      'Items of all lists in the variables of a query together, such as the references of a gateway.',
    ],
    repeatedCostMax: [
      500_000,
      'The cost of repeated references of a gateway: they are read and priced once, but written each time.',
    ],
  },
  Bodies: {
    bodyBytesMax: [1_000_000, 'A request body, which must not be compressed.'],
    syncBodyBytesMax: [
      16_000_000,
      'The body of a sync: `POST /v1/projects`, `POST /v1/personnel/batch`, or `/graphql` with a `.manage` scope. Those above `bodyBytesMax` are processed one at a time, keys in turn.',
    ],
    bodyDepthMax: [100, 'Nesting depth of lists and objects in a body.'],
    bodyContainersMax: [100_000, 'Lists and objects in a body.'],
    bodyItemsMax: [50_000, 'Items of one list in a body.'],
    bodyItemsTotalMax: [300_000, 'Items of all lists in a body together.'],
    bodyMembersMax: [1_000, 'Members of one object in a body.'],
    rowBytesMax: [
      65_536,
      'The texts and details of one person, project, risk or issue together, as JSON in UTF-8. Older, longer rows stay, and may not grow.',
    ],
  },
  Syncs: {
    syncRecordsMax: [20_000, 'Risks, and issues, in one project sync; people, and groups, in one personnel sync.'],
    syncMembershipsMax: [100_000, 'Groups of all people, or members of all groups, named in one personnel sync.'],
    closeShareMax: [
      0.2,
      'The share of the live entries of a project, or of the people of a list, closed as missing at once.',
    ],
    closeLeast: [3, 'How many may be closed as missing at once in any case.'],
    syncViolationsMax: [1_000, 'Errors that are reported for one sync.'],
  },
  Responses: {
    responseBytesMax: [256_000_000, 'A response; a larger one is refused before it is built. A setting.'],
    responseCacheBytesMax: [64_000_000, 'The size of the response cache; a setting.'],
    errorsMax: [100, 'Errors of one GraphQL response; a last one has the number of the others.'],
    violationsMax: [20, 'Errors that are reported for one body or GraphQL document.'],
    idempotencyKeyCharactersMax: [255, 'Characters of an Idempotency-Key.'],
    idempotencyMs: [86_400_000, 'How long the response to an Idempotency-Key is stored.'],
    idempotencyBytesMax: [
      65_536,
      'A stored response; of a longer one only its size and its id are stored, and a retry is a 409.',
    ],
    idempotencyKeyBytesMax: [
      64_000_000,
      'The stored responses of one key together; beyond it the next ones are not stored, and a retry is a 409.',
    ],
  },
  'Rates and queues': {
    ratePerMinute: [
      6_000,
      'Requests a minute for each key; a request counts once more for each further 2,000 of its cost, and for each 10,000 bytes of history and responses that it stores. A setting.',
    ],
    rateBurst: [1_000, 'Requests that a key may send at once.'],
    wrongKeysPerMinute: [60, 'Wrong keys from one address, of IPv6 from one /64, in a minute.'],
    waitingPerKeyMax: [5, 'Requests of one key that wait for a change; beyond that 429.'],
    waitingMax: [200, 'Requests that wait for a change; beyond that 503. Each also counts as a connection.'],
    inFlightBytesMax: [
      256_000_000,
      'Request bodies held, long responses being built, by the longest rows that they may have, and responses being sent, together, of which one key may use a quarter; beyond it 503. A setting.',
    ],
    readQueueMax: [100, 'SQLite: requests of one key that wait for a read worker; beyond that they get 503.'],
    queueShareMax: [
      10,
      'Requests of one key that wait for a read worker, a PostgreSQL connection, a write or the turn of a large body while another key waits too; beyond that they get 503.',
    ],
  },
  Connections: {
    connectionsMax: [1_000, 'Connections; a new one replaces the longest idle one.'],
    connectionsPerAddressMax: [
      100,
      'Connections from one address, or one /64 of IPv6; loopback is exempt for proxies. A setting.',
    ],
    pipelinedMax: [
      100,
      'Pipelined requests on one connection; beyond that, or with more than 256 KB of them, it is closed.',
    ],
    headersBytesMax: [16_384, 'The request line and the headers.'],
    tokenCharactersMax: [8_192, 'Characters of a token of an identity provider.'],
    headersMs: [10_000, 'How long the headers of a request may take to arrive.'],
    requestMs: [30_000, 'How long a whole request may take to arrive.'],
    idleMs: [60_000, 'How long an idle connection is kept open.'],
    unreadMs: [
      60_000,
      'How long a peer may read nothing of its response before it is disconnected; the kernel reports progress by the megabyte.',
    ],
    shutdownMs: [10_000, 'How long running requests may take after the stop signal.'],
  },
  'Reads and writes': {
    deadlineMs: [10_000, 'How long a request may read; a setting.'],
    slowQueryMs: [500, 'Requests that take longer are logged as slow; a setting.'],
    storeBusyMs: [5_000, 'How long a write waits for another process to release the store.'],
    storeWriteMs: [
      7_000,
      'PostgreSQL: how long a write of a request may take, including the wait for others; a bulk write may continue while the server responds.',
    ],
    storeConnectionsMax: [
      10,
      'PostgreSQL: reading connections of an instance; it has one more for versions and one for writes.',
    ],
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Limit>>>>

export const LIMIT_MEANINGS = Object.values(LIMIT_GROUPS).flatMap((group) =>
  Object.entries<Limit>(group).map(([name, [value, meaning]]) => ({ name, value, meaning })),
)

/** A size in prose. */
export const inMegabytes = (bytes: number) => `${bytes / 1_000_000} MB`

type Group = (typeof LIMIT_GROUPS)[keyof typeof LIMIT_GROUPS]
type NamesOf<G> = G extends unknown ? keyof G : never

// `fromEntries` loses the names, which are those of the groups.
export const LIMITS = Object.fromEntries(LIMIT_MEANINGS.map(({ name, value }) => [name, value])) as {
  readonly [Name in NamesOf<Group>]: number
}
