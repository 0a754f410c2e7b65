import type { Authorship, Read, Store, Write } from './store.js'

/** Where long work reads and writes. */
export interface Access {
  readonly read: Read
  snapshot<T>(work: (read: Read) => Promise<T>): Promise<T>
  write<T>(work: (write: Write) => Promise<T>): Promise<T>
}

/** Reads outside of its writes, which are short, so that others need not wait. */
export function inShortWrites(store: Store, as: Authorship): Access {
  return { read: store.read, snapshot: (work) => store.snapshot(work), write: (work) => store.write(as, work) }
}

export function inOneWrite(write: Write): Access {
  return { read: write, snapshot: (work) => work(write), write: (work) => work(write) }
}

/** Rows page by page; `after` reads those that follow the last one of the page before. */
export async function* paged<Row>(
  rowsMax: number,
  after: (last: Row | undefined) => PromiseLike<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined
  do {
    const rows = await after(last)
    if (rows.length > 0) yield rows
    last = rows.length < rowsMax ? undefined : rows.at(-1)
  } while (last)
}
