import type { Gateway } from '../../src/index.js'
import type { Task } from './tasks.js'

/** What is to be done, by whom, and about which risk. */
const TASKS: readonly (readonly [title: string, assignee: string, risk: string])[] = [
  ['Get a quote for a second jack-up vessel', 'Beatriz Carvalho', 'CORAL R-1'],
  ['Agree swell limits for the lift with the insurer', 'Margaret Ellison', 'CORAL R-1'],
  ['Move the lift window in the master schedule', 'Callum Reid', 'CORAL R-1'],
  ['Survey the radio in the Mossberg tunnel at night', 'Diego Fuentes', 'IRONWAY R-1'],
  ['Price a leaky feeder cable for 2.3 km', 'Patrick Nwosu', 'IRONWAY R-1'],
  ['Show the council what stopping would cost', 'Gregor Baumann', 'LUMEN R-1'],
  ['Draft a second phase in two halves', 'Tomás Herrera', 'LUMEN R-1'],
  ['Book a separate sailing for crane 2', 'Anneli Koskinen', 'HARBOR-2 R-1'],
  ['Claim the delay from Kestrel Marine', 'Leila Haddad', 'HARBOR-2 R-1'],
  ['Restore last month from the old tapes', 'Emil Jakobsen', 'NIMBUS R-1'],
  ['Copy the old hall to the new one before it is switched off', 'Minh Tran', 'NIMBUS R-1'],
  ['Check who may delete backups', 'Katarzyna Nowak', 'NIMBUS R-1'],
  ['Raise the cofferdam by two courses', 'Malia Kealoha', 'DELTA-9 R-2'],
  ['Ask the weather service for a daily forecast', 'Noor Rahman', 'DELTA-9 R-2'],
  ['Answer the 14 remarks on the safety case', 'Fatima El Amrani', 'IRONWAY R-3'],
  ['Walk the line with the inspectorate', 'Pieter van der Meer', 'IRONWAY R-3'],
  ['Run 500 soft bags through the sorter', 'Aoife Brennan', 'FALCON R-1'],
  ['Compare wider trays', 'Kwame Mensah', 'FALCON R-1'],
  ['Agree a stand-by rate for the dredger', 'Stefan Kovač', 'HARBOR-2 R-2'],
  ['Secure the track possessions for spring', 'Amara Okafor', 'IRONWAY R-2'],
]

/** These tasks, with the ids that the people and risks of this demo company have been given. */
export async function demoTasks(operations: Gateway, authorization: string): Promise<Task[]> {
  const query = '{ personnel { nodes { id name } } risks { nodes { id reference project { key } } } }'
  const headers = { authorization, 'content-type': 'application/json' }
  const request = new Request('http://operations/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })
  const { data } = (await (await operations.fetch(request)).json()) as {
    data: {
      personnel: { nodes: { id: string; name: string }[] }
      risks: { nodes: { id: string; reference: string; project: { key: string } }[] }
    }
  }
  const ids = new Map([
    ...data.personnel.nodes.map(({ id, name }) => [name, id] as const),
    ...data.risks.nodes.map(({ id, reference, project }) => [`${project.key} ${reference}`, id] as const),
  ])
  const idOf = (name: string) => {
    const id = ids.get(name)
    if (!id) throw new Error(`The demo company has no ${name}.`)
    return id
  }
  return TASKS.map(([title, assignee, risk], index) => {
    return { id: `${index + 1}`, title, assigneeId: idOf(assignee), riskId: idOf(risk) }
  })
}
