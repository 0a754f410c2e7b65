/** The look-ups of a request by DataLoader: what is asked for in one turn becomes one statement. */
import DataLoader from 'dataloader'

export function loadersOn(store) {
  const each = (ids, found, otherwise) => ids.map((id) => found.get(id) ?? otherwise)
  return () => ({
    groups: new DataLoader(async (ids) => each(ids, store.groupsOf(ids), [])),
    people: new DataLoader(async (ids) => each(ids, store.peopleByIds(ids), null)),
    projects: new DataLoader(async (ids) => each(ids, store.projectsByIds(ids), null)),
  })
}
