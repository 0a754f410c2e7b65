import type { CompiledSql } from '../store.js'

/** The `workerData` of a read worker. */
export interface WorkerStart {
  readonly file: string
  /** Nonzero while the running statement must stop. */
  readonly stop: Int32Array
}

/** A message to a read worker: statements that see one snapshot, and how many bytes they may return. */
export interface WorkerTask {
  readonly statements: readonly CompiledSql[]
  readonly bytesMax: number
}

/** A message from a read worker: a chunk of rows, the last one marked, or an error. */
export type WorkerReport =
  | { readonly statement: number; readonly rows: unknown[][]; readonly isLast: boolean }
  | { readonly failure: string; readonly code: string | undefined }

/** The code of the error if the statements return too many bytes. */
export const TOO_LONG = 'RESULT_TOO_LONG'
