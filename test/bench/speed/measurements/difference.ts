/**
 * The place at which a response differs from ours. Members that only ours has are added to `lacking` instead, with the
 * place that all entries of a list share: a new field of ours must not end the bench.
 */
export function differenceFrom(ours: unknown, theirs: unknown, lacking: Set<string>, place = ''): string | undefined {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) return `${place}.length`
    return firstOf(ours.entries(), ([index, one]) => differenceFrom(one, theirs[index], lacking, `${place}[]`))
  }
  if (!isRecord(ours) || !isRecord(theirs)) return Object.is(ours, theirs) ? undefined : place
  for (const name of Object.keys(ours)) if (!(name in theirs)) lacking.add(`${place}.${name}`)
  return firstOf(Object.entries(theirs), ([name, one]) => {
    const path = `${place}.${name}`
    return name in ours ? differenceFrom(ours[name], one, lacking, path) : path
  })
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
