import { builder } from '../graph/builder.js'
import { localField, members } from '../graph/fields.js'
import type { Counts } from './run.js'

export const SyncCounts = builder.objectRef<Readonly<Counts>>('SyncCounts')
SyncCounts.implement({ description: 'Counts of synced records.' })
members(SyncCounts, {
  created: { type: 'Int', description: 'The number of new ones.' },
  updated: { type: 'Int', description: 'The number of changed ones.' },
  unchanged: { type: 'Int', description: 'The number of unchanged ones.' },
  closed: {
    type: 'Int',
    description: 'The number of ones closed because they are missing; of people, set INACTIVE.',
  },
})

export const SyncWarning = builder.objectRef<{ pointer?: string; detail: string }>('SyncWarning')
SyncWarning.implement({ description: 'A warning about a value that was stored but may not be what was intended.' })
localField(SyncWarning, 'pointer', {
  type: 'String',
  description: 'The JSON Pointer to the value in the input.',
  local: ({ pointer }) => pointer ?? '',
})
members(SyncWarning, { detail: { type: 'String', description: 'What the warning is about.' } })

/** The number of records as sent: REST counts them before they are parsed. */
export function recordsIn(input: unknown, ...lists: string[]): number {
  const given = Object(input) as Readonly<Record<string, unknown>>
  return lists.reduce((sum, name) => sum + (Array.isArray(given[name]) ? given[name].length : 0), 0)
}
