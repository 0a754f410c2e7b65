import { builder } from '../graph/builder.js'
import { firstOf } from '../graph/connections.js'
import { columns, queryView, viewList } from '../graph/fields.js'
import { personField } from '../personnel/people.graph.js'
import { type overdue, overduePerson } from '../store/derivedRows.js'
import { issues } from './issues.js'
import { overdueView } from './overdue.js'
import { projectsFilter } from './projects.graph.js'
import { risks } from './risks.js'

const OverduePerson = builder.objectRef<typeof overduePerson.$inferSelect>('OverduePerson')
OverduePerson.implement({ description: 'Someone with an issue or a risk that is overdue.' })
columns(OverduePerson, {
  personId: { type: 'ID', nullable: true, description: 'The user id; null for someone who is not on the roster.' },
  name: { type: 'String', nullable: true, description: 'The name as the sources wrote it; null on the roster.' },
  overdueIssueCount: { type: 'Int', description: 'Their open issues that were due before the day.' },
  openIssueCount: { type: 'Int', description: 'All of their open issues.' },
  overdueRiskCount: { type: 'Int', description: 'Their risks that are not closed and were due before the day.' },
  riskCount: { type: 'Int', description: 'All of their risks that are not closed.' },
})
personField(OverduePerson, 'person', 'personId')

const OverdueByPerson = builder.objectRef<typeof overdue.$inferSelect>('OverdueByPerson')
OverdueByPerson.implement({ description: 'Who has something overdue on a day.' })
columns(OverdueByPerson, { total: { type: 'Int', description: 'How many there are, whatever `first` is.' } })
viewList(OverdueByPerson, 'people', {
  of: OverduePerson,
  table: overduePerson,
  description: 'Those with most overdue first, then those with most open issues. Names count as they are written.',
})

const OverdueFilter = projectsFilter('OverdueFilter', 'Filters the issues and risks that count.')

queryView('overdueByPerson', {
  type: OverdueByPerson,
  scope: 'projects.read',
  description: 'Who has open issues, or risks that are not closed, that were due before a day.',
  args: (arg) => ({
    on: arg({ type: 'Date', required: true, description: 'The day: what was due before it is overdue.' }),
    first: arg.int(firstOf('', '. All by default; `total` is always of all.')),
    filter: arg({ type: OverdueFilter, description: 'Filters the issues and risks.' }),
  }),
  view: overdueView,
  price: { derived: { lists: [issues, risks] } },
})
