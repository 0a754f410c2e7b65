/** Every limit: its value, with its unit in its name, and what it means. Help and docs/limits.md are made from this. */
const TABLE = {
  pageRowsMax: [1_000, 'Rows of one page at the most.'],
  nestedPageRows: [50, 'Rows of a page inside another list, when `first` is not given.'],
  wholeListRowsMax: [100_000, 'Rows of a list that is asked for whole; a setting.'],
  wholeListPricedRows: [1_000, 'What an unpaged list is priced at, in rows.'],
  nestedListCost: [100, 'What a list inside another list costs before its rows: a statement for each entry around it.'],
  queryCostMax: [100_000, 'The cost of a query: a field is 1, a list as many times its selection as `first`.'],
  queryDepthMax: [10, 'How deep a query goes; pure introspection is exempt.'],
  queryTokensMax: [1_000, 'Tokens of the text of a query.'],
  queryCharactersMax: [32_000, 'Characters of the text of a query.'],
  queriesKeptCharacters: [250_000, 'Characters of queries that are kept parsed, all together.'],
  queryNamesMax: [50, 'Fields at the root of a query, and aliases anywhere in it, taken together.'],
  queryRepeatsMax: [100, 'How often the same field may stand in one place of a query.'],
  introspectedFieldsMax: [1_000, 'Fields of introspection in a query, with its fragments put in.'],
  queryDirectivesMax: [8, 'Directives in a query.'],
  operationsMax: [1, 'Operations in one GraphQL request that are run: there is no batching.'],
  representationsMax: [1_000, 'References to entities in one query of a gateway.'],
  filterItemsMax: [1_000, 'Different values in one list of a filter.'],
  cursorCharactersMax: [32_000, 'Characters of a cursor.'],
  bodyBytesMax: [1_000_000, 'A body, which must not be compressed.'],
  syncBodyBytesMax: [16_000_000, 'A body that brings in a whole project, from a key with projects.manage.'],
  syncRecordsMax: [20_000, 'Risks, and issues, that are brought in at once through the API.'],
  messageCharactersMax: [1_000, 'Characters of what is told of one error; it may quote what was sent.'],
  bodyDepthMax: [100, 'Levels of lists and objects within each other in a body.'],
  bodyContainersMax: [100_000, 'Lists and objects in a body.'],
  bodyItemsMax: [50_000, 'Entries of one list in a body.'],
  bodyMembersMax: [1_000, 'Members of one object in a body.'],
  headersBytesMax: [16_384, 'The request line and the headers.'],
  headersMs: [10_000, 'How long the headers of a request may take to arrive.'],
  requestMs: [30_000, 'How long a whole request may take to arrive.'],
  idleMs: [60_000, 'How long a connection is kept open without a request on it.'],
  pipelinedMax: [100, 'Requests on one connection that wait for their answers; beyond that it is closed.'],
  connectionsMax: [1_000, 'Connections at the same time.'],
  ratePerMinute: [
    6_000,
    'What a key may spend in a minute: a request is 1, GraphQL one for each 1,000 of its cost; a setting.',
  ],
  rateBurst: [1_000, 'What a key may spend at once.'],
  rateUnitCost: [1_000, 'The cost of a query that is charged like one request.'],
  wrongKeysPerMinute: [60, 'Wrong keys from one address in a minute.'],
  rateKeptMax: [10_000, 'Keys and addresses whose spending is remembered.'],
  idempotencyKeyCharactersMax: [255, 'Characters of an Idempotency-Key.'],
  idempotencyMs: [86_400_000, 'How long the answer to an Idempotency-Key is kept.'],
  flawsMax: [20, 'Flaws that are told of one body.'],
  syncFlawsMax: [1_000, 'Flaws that are told of a project that is brought to another state.'],
  groupIdsMax: [100, 'Groups that a person is put into on being added.'],
  readyBytesMax: [64_000_000, 'Of answers that are kept ready while nothing changes; a setting.'],
  readyShareMax: [0.25, 'Of those, what a single answer may take at the most.'],
  readyQueryBytesMax: [16_384, 'A GraphQL request whose answer is kept ready.'],
  compressFromBytes: [1_024, 'Answers smaller than this are not worth compressing.'],
  importCacheBytes: [
    32_000_000,
    'The page cache of a command that writes much at once, so that no page is written twice.',
  ],
  writesTogetherMax: [100, 'Writes that wait together are committed together, so many at the most.'],
  storeBusyMs: [5_000, 'How long a write waits for another process to let go of the store.'],
  storeConnectionsMax: [
    10,
    'PostgreSQL: connections that a copy of the service reads through; it writes through one more.',
  ],
  storeStatementMs: [30_000, 'PostgreSQL: how long one statement may take.'],
  storeIdleInWriteMs: [10_000, 'PostgreSQL: how long a write may rest between two statements before it is undone.'],
  storeIdleMs: [60_000, 'PostgreSQL: how long a connection is kept that nobody uses.'],
  storeConnectionMs: [900_000, 'PostgreSQL: how long a connection is kept at the most.'],
  storeKeptCharacters: [10_000, 'A statement that is longer is spelled out and made ready each time it is asked.'],
  storeNamedMax: [
    100,
    'PostgreSQL: statements that a connection keeps planned; each takes the server about 0.1 to 0.2 MB.',
  ],
  logWaitingBytesMax: [8_000_000, 'Of the log, waiting for whoever reads it; beyond that lines are lost, and counted.'],
  slowQueryMs: [500, 'A request that takes longer is logged as slow; a setting.'],
  keyUseEveryMs: [60_000, "A key's last use is written at most this often."],
  keyUseDelayMs: [100, "A key's last use is written this much later than it was."],
  lastRequestMs: [500, 'How long a server that stops waits for one more request on a connection.'],
  lingerMs: [2_000, 'How long a connection is read to its end after an answer that came before the end of the body.'],
  shutdownMs: [10_000, 'How long running requests may take to finish once the server is told to stop.'],
} as const satisfies Readonly<Record<string, readonly [value: number, meaning: string]>>

type Table = typeof TABLE

export const LIMIT_MEANINGS: readonly { name: string; value: number; meaning: string }[] = Object.entries(TABLE).map(
  ([name, [value, meaning]]) => ({ name, value, meaning }),
)

// The names and values are the table's own.
export const LIMITS = Object.fromEntries(LIMIT_MEANINGS.map(({ name, value }) => [name, value])) as {
  readonly [Name in keyof Table]: Table[Name][0]
}
