/** Every limit of the program, with its unit in its name. */
export const LIMITS = {
  /** Rows of one page at the most. */
  pageRowsMax: 1_000,
  /** Rows of a page inside another list, when `first` is not given. */
  nestedPageRows: 50,
  /** Rows of a list that is asked for whole; settable. */
  wholeListRowsMax: 100_000,
  /** What an unpaged list is priced at, in rows. */
  wholeListPricedRows: 1_000,
  /** What a list inside another list costs before its rows: a statement of its own for each entry around it. */
  nestedListCost: 100,
  queryCostMax: 100_000,
  queryDepthMax: 10,
  queryTokensMax: 1_000,
  queryCharactersMax: 32_000,
  bodyBytesMax: 1_000_000,
  /** The same for a key with projects.manage, which may bring in a whole project at once. */
  syncBodyBytesMax: 16_000_000,
  /** References to entities in one query of a gateway. */
  representationsMax: 1_000,
  /** Flaws that are told of one body. */
  flawsMax: 20,
  /** Flaws that are told of a project that is brought to another state. */
  syncFlawsMax: 1_000,
  /** Groups that a person is put into on being added. */
  groupIdsMax: 100,
  /** Answers smaller than this are not worth compressing. */
  compressFromBytes: 1_024,
  /** The page cache of a command that writes much at once, so that no page is written twice. */
  importCacheBytes: 32_000_000,
  /** How long a write waits for another process to let go of the store. */
  storeBusyMs: 5_000,
  /** A key's last use is written at most this often, and this much later than it was. */
  keyUseEveryMs: 60_000,
  keyUseDelayMs: 100,
  /** How long running requests may take to finish once the server is told to stop. */
  shutdownMs: 10_000,
} as const
