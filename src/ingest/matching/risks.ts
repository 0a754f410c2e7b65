import { sql } from 'drizzle-orm'
import type { Write } from '../../store/store.js'
import type { Placed } from './projects.js'

interface RiskValues {
  readonly risk?: string | null
  readonly riskId?: string | null
}

/** Finds the risk of an issue: by its reference in the same project, or by its id. */
export class RiskMatcher {
  private readonly write: Write
  private readonly byReference = new Map<string, string>()
  private readonly projectOf = new Map<string, string>()

  constructor(write: Write) {
    this.write = write
  }

  async find(placed: readonly Placed<RiskValues>[]): Promise<void> {
    const { db, t, among, pairs } = this.write
    const { id, projectId, reference } = t.risk
    const ids = placed.map(({ values }) => values.riskId).filter((one) => one != null)
    const rows =
      ids.length === 0 ? [] : await db.select({ id, projectId, reference }).from(t.risk).where(among(id, ids))
    const naming = placed.filter(({ values }) => values.risk != null)
    if (naming.length > 0) {
      const places = pairs(naming.map(({ project, values }) => [project.id, values.risk ?? '']))
      const isNamed = sql`(${projectId}, ${reference}) in (select one, other from ${places})`
      rows.push(...(await db.select({ id, projectId, reference }).from(t.risk).where(isNamed)))
    }
    for (const row of rows) {
      this.byReference.set(`${row.projectId} ${row.reference}`, row.id)
      this.projectOf.set(row.id, row.projectId)
    }
  }

  /** `linkedTo` is the risk that the issue is linked to already. */
  check(record: Placed<RiskValues>, linkedTo: string | null | undefined): void {
    const { check } = record
    const { risk, riskId } = record.values
    if (risk != null && riskId != null) check.flaw('risk', 'Give either risk or riskId, not both.')
    if (risk != null && this.idOf(record) === undefined) {
      const what = `There is no risk ${JSON.stringify(risk)} in ${record.project.key}.`
      check.flaw('risk', `${what} Name one risk by its reference, and import the risks first.`)
    }
    // Links that an earlier release accepted stay, so that an export can be imported again.
    if (riskId == null || riskId === linkedTo) return
    const home = this.projectOf.get(riskId)
    if (home === undefined) check.flaw('riskId', 'There is no risk with this id.')
    else if (home !== record.project.id) check.flaw('riskId', `This risk does not belong to ${record.project.key}.`)
  }

  /** Absent if the record does not mention it. */
  idOf({ values: { risk, riskId }, project }: Placed<RiskValues>): string | null | undefined {
    if (riskId != null) return riskId
    if (risk != null) return this.byReference.get(`${project.id} ${risk}`)
    return risk === null || riskId === null ? null : undefined
  }
}
