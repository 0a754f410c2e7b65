import { sql } from 'drizzle-orm'
import type { UniqueKey } from '../graph/entities.js'
import type { Tables } from '../store/tables.js'
import { trimmed } from '../text.js'
import { isProject } from './projects.js'

/** Identifies a risk or an issue by its project and its reference in the project. */
export const byReference: UniqueKey<Tables['risk'] | Tables['issue']> = {
  args: {
    project: { kind: 'id', description: 'The key of its project, in any case, or the id.', canonical: trimmed },
    reference: { kind: 'reference', description: 'Its name in that project, such as R-7.', canonical: trimmed },
  },
  condition: ({ t: { project } }, { projectId, reference }) => {
    const named = isProject(project, sql`${sql.placeholder('project')}`)
    return sql`${projectId} = (select ${project.id} from ${project} where ${named}) and ${reference} = ${sql.placeholder('reference')}`
  },
}
