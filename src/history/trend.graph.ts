import { builder, enumOf } from '../graph/builder.js'
import { columns, queryView, viewList } from '../graph/fields.js'
import { projectsFilter } from '../projects/projects.graph.js'
import { type riskTrend, riskTrendPoint } from '../store/derivedRows.js'
import { changes } from './changes.js'
import { POINTS_MAX, pointCount, riskTrendView, type TrendArguments } from './trend.js'

const RiskTrendPoint = builder.objectRef<typeof riskTrendPoint.$inferSelect>('RiskTrendPoint')
RiskTrendPoint.implement({ description: 'The live risks at the end of one day (UTC), by when changes were recorded.' })
columns(RiskTrendPoint, {
  on: { type: 'Date', description: 'The day.' },
  live: { type: 'Int', description: 'Live risks: the sum of the five levels.' },
  unassessed: { type: 'Int', description: 'Live risks of the level UNASSESSED.' },
  low: { type: 'Int', description: 'Live risks of the level LOW.' },
  medium: { type: 'Int', description: 'Live risks of the level MEDIUM.' },
  high: { type: 'Int', description: 'Live risks of the level HIGH.' },
  critical: { type: 'Int', description: 'Live risks of the level CRITICAL.' },
  score: { type: 'Int', description: 'The sum of the scores of live risks.' },
})

const RiskTrend = builder.objectRef<typeof riskTrend.$inferSelect>('RiskTrend')
RiskTrend.implement({ description: 'The number of live risks by level over time.' })
viewList(RiskTrend, 'points', {
  of: RiskTrendPoint,
  table: riskTrendPoint,
  description: 'The points, the earliest first.',
})

const TrendStep = enumOf('TrendStep', 'The time between two points of a trend.', {
  DAY: 'Every day.',
  WEEK: 'Every seventh day.',
  MONTH: 'The same day of every month, or its last day if it is shorter.',
})

const TrendFilter = projectsFilter('TrendFilter', 'Filters the risks of a trend.')

queryView('riskTrend', {
  type: RiskTrend,
  scope: 'projects.read',
  description:
    'The number of live risks by level and the sum of their scores at the end of days. Days before the first recorded ' +
    `change are zero, days after the last one repeat it. At most ${POINTS_MAX} points.`,
  args: (arg) => ({
    from: arg({ type: 'Date', required: true, description: 'The day of the first point.' }),
    to: arg({ type: 'Date', required: true, description: 'The day of the last point, whatever the step.' }),
    step: arg({ type: TrendStep, required: true, defaultValue: 'DAY', description: 'The time between two points.' }),
    filter: arg({ type: TrendFilter, description: 'Filters the risks.' }),
  }),
  view: riskTrendView,
  price: {
    derived: {
      lists: [changes],
      args: ({ from }) => ({ filter: { since: `${from}T00:00:00.000Z` } }),
      entries: (args) => pointCount(args as unknown as TrendArguments),
    },
  },
})
