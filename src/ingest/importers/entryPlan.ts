import type { SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Ledger, Stored } from '../../history/ledger.js'
import type { IdKind } from '../../ids.js'
import type { Assignee } from '../../projects/projects.js'
import type { Read, Write } from '../../store/store.js'
import type { Tables } from '../../store/tables.js'
import type { InputCheck } from '../../text.js'
import type { Attribution } from '../matching/assignees.js'
import type { Placed } from '../matching/projects.js'
import type { SourceRecord } from '../run.js'

/** The columns that risks and issues have in common. */
export interface EntryRow {
  readonly id: string
  readonly projectId: string
  readonly reference: string
  readonly live: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly [column: string]: unknown
}

interface EntryColumns {
  readonly id: AnyPgColumn
  readonly projectId: AnyPgColumn
  readonly reference: AnyPgColumn
  readonly live: AnyPgColumn
}

/** The values of a record that identify its entry. */
export interface EntryValues {
  readonly id?: string | null
  readonly status?: string | null
  readonly project?: string | null
  readonly reference?: string | null
}

/** What differs between risks and issues in an import. */
export interface EntryPlan<Row extends EntryRow, V extends EntryValues> {
  readonly noun: 'risks' | 'issues'
  readonly kind: IdKind
  readonly assigneeField: 'owner' | 'assignee'
  readonly ledger: Ledger<Row>
  readonly table: (t: Tables) => PgTable & EntryColumns
  readonly rows: (read: Read, where: (columns: EntryColumns) => SQL | undefined) => Promise<Row[]>
  /** The rows at these places: a project's id and a reference. */
  readonly rowsAt: (write: Write, places: readonly (readonly [string, string])[]) => Promise<Row[]>
  /** The values of a record that are columns of the same name. */
  readonly fields: readonly (keyof V & string)[]
  readonly read: (raw: SourceRecord['values'], check: InputCheck) => V
  readonly attributionOf: (values: V) => Attribution
  /** The owner or assignee of a stored row. */
  readonly assigneeOf: (row: Row) => Assignee
  /** Looks up the other rows that the records of a batch refer to. */
  readonly prepare?: (placed: readonly Placed<V>[]) => Promise<void>
  readonly check: (before: Row | undefined, record: Placed<V>) => void
  /** Whether what a record refers to is as stored. */
  readonly isLinked?: (before: Row, record: Placed<V>) => boolean
  readonly draft: (before: Row | undefined, record: Placed<V>, assignee: Assignee) => Row
  readonly closed: (row: Row) => Row
  /** Notes stored rows, for the follow-up work of `finish`. */
  readonly note?: (stored: readonly Stored<Row>[]) => void
  /** Follow-up work once all rows are stored. */
  readonly finish?: () => Promise<void>
}
