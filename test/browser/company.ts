import fc from 'fast-check'
import { mintKey } from '../../src/auth/keys.js'
import type { Scope } from '../../src/auth/scopes.js'
import { addPerson } from '../../src/personnel/people.js'
import type { Write } from '../../src/store/store.js'
import { ISSUE_SEVERITIES, RISK_STATUSES } from '../../src/vocabulary.js'
import { addIssues, addProject, addRisks, issue, project, risk } from '../support/fixtures.js'
import { newFolder, operations, serve, storeOf } from '../support/process.js'

/** Titles that break pages: markup, right-to-left text, and one long word. */
export const NASTY = {
  markup: `<img src=x onerror="document.title='hacked'"><script>alert(1)</script> & "quoted"`,
  rightToLeft: 'تأخر وصول الصلب \u202eredrum',
  long: 'W'.repeat(300),
}

const step = fc.integer({ min: 1, max: 5 })
const anyRisk = fc.record({
  title: fc.oneof(
    fc.constantFrom(...Object.values(NASTY)),
    fc.string({ minLength: 1, maxLength: 40 }).map((one) => `<${one}>`),
  ),
  assessed: fc.option(fc.tuple(step, step), { freq: 8 }),
  status: fc.constantFrom(...RISK_STATUSES),
  project: fc.nat(3),
  owner: fc.option(fc.nat(4)),
})

/** A running service with random risks, and keys for it. */
export const serveRandom = (seed: number, atEnd: (end: () => void) => void, args: readonly string[] = []) =>
  serveFilled((write) => fill(write, seed), atEnd, args)

export async function serveFilled(
  fillWith: (write: Write) => Promise<void>,
  atEnd: (end: () => void) => void,
  args: readonly string[] = [],
) {
  const folder = newFolder(atEnd)
  await operations(folder, ['migrate'], { atEnd })
  const store = storeOf(folder).open()
  const now = () => new Date()
  const keyWith = async (...scopes: Scope[]) =>
    (
      await store.write({ by: 'cli', at: now }, (write) =>
        mintKey(write, { name: 'page', scopes, expiresAt: undefined }),
      )
    ).secret
  await store.write({ by: 'cli', at: now }, fillWith)
  const keys = {
    all: await keyWith('personnel.read', 'projects.read'),
    projects: await keyWith('projects.read'),
    personnel: await keyWith('personnel.read'),
  }
  await store.close()
  return { ...(await serve(folder, args, { atEnd })), keys }
}

async function fill(write: Write, seed: number): Promise<void> {
  const owners: string[] = []
  for (const name of ['Ada <b>Lovelace</b>', 'بهار رضایی', 'Chien-Shiung Wu', 'Dorothy Hodgkin', 'E'.repeat(200)]) {
    owners.push((await addPerson(write, { name, externalId: name })).id)
  }
  const projects: string[] = []
  for (const key of ['APOLLO', 'BRIDGE', 'CORAL', 'DELTA-9']) projects.push(await addProject(write, project({ key })))
  const [drafts = []] = fc.sample(fc.array(anyRisk, { minLength: 200, maxLength: 300 }), { numRuns: 1, seed })
  const risks = drafts.map(({ assessed, project: place, owner, ...draft }, index) => {
    const [likelihood, impact] = assessed ?? [null, null]
    const ownerId = owner === null ? null : (owners[owner] ?? null)
    return risk(projects[place] ?? '', { ...draft, reference: `R-${index}`, likelihood, impact, ownerId })
  })
  const unplaced = risk(projects[0] ?? '', { reference: 'R-0-0', likelihood: null, impact: null, scoreGiven: 12 })
  await addRisks(write, [...risks, unplaced])
  const issues = [NASTY.markup, NASTY.rightToLeft, NASTY.long, 'Plain'].map((title, index) =>
    issue(projects[index] ?? '', { title, reference: `I-${index}`, severity: ISSUE_SEVERITIES[index] ?? 'LOW' }),
  )
  await addIssues(write, issues)
}
