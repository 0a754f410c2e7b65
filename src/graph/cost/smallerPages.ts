/** A list of a query, as its price sees it. */
export interface PricedList {
  /** The name of its field. */
  readonly name: string
  readonly isRoot: boolean
  /** How many rows are asked for; infinite of a whole list. */
  readonly first: number
  /** How many there are. */
  readonly rows: number
}

/** Pages that people ask for, the largest first. */
const PAGES = [1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1] as const

/** How many lists are tried: each is priced once for every page. */
const TRIED_MAX = 10

/**
 * The smallest change that makes a query fit: one list with a smaller page, the largest that will do; or all of them.
 * `fits` tells whether the query is within the limits when these lists have pages of so many rows.
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
