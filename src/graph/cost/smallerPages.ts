/** A list of a query, with what its cost depends on. */
interface PricedList {
  /** The name of its field. */
  readonly name: string
  readonly isRoot: boolean
  /** The requested page size; infinite for a whole list. */
  readonly first: number
  /** The number of matching rows. */
  readonly rows: number
}

/** The page sizes to suggest, the largest first. */
const PAGES = [1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1] as const

/** The maximum number of lists tried: each is priced once per page size. */
const TRIED_MAX = 10

/**
 * Suggests the smallest change that makes a query fit: the largest sufficient page size for one list, else one for all.
 * `fits` returns whether the query is within the limits if these lists have that page size.
 */
export function smallerPages<L extends PricedList>(
  lists: readonly L[],
  fits: (changed: readonly L[], first: number) => boolean,
): string {
  const tried = lists.slice(0, TRIED_MAX)
  for (const first of PAGES) {
    const one = tried.find((list) => first < Math.min(list.first, list.rows) && fits([list], first))
    if (one) return sentence(one, first)
  }
  const shared = PAGES.find((first) => fits(lists, first))
  const names = [...new Set(tried.map(({ name }) => `\`${name}\``))].join(', ')
  if (shared !== undefined && names !== '') return `Give each of ${names} a page of \`first: ${shared}\`.`
  return 'Ask for fewer fields, or for fewer lists inside each other.'
}

function sentence({ name, isRoot, first, rows }: PricedList, smaller: number): string {
  const has = isRoot && first > rows ? `has ${rows.toLocaleString('en')} entries here` : 'is what costs most'
  return `\`${name}\` ${has}: ask for \`${name}(first: ${smaller})\`.`
}
