import { afterAll, describe, expect, test } from 'vitest'
import { expectedOf, outcomeOf } from './results.js'
import { type Holder, openStage, Tally } from './stage.js'

const { holders, everything, rows, away } = await openStage(afterAll)
const tally = new Tally()

const execute = ({ caller }: Pick<Holder, 'caller'>, query: string) => caller.graphql(query)

function permutationsOf<T>(things: readonly T[]): T[][] {
  if (things.length < 2) return [[...things]]
  return things.flatMap((one, index) => permutationsOf(things.toSpliced(index, 1)).map((rest) => [one, ...rest]))
}

describe('the order of fields decides nothing', () => {
  const { Person, Group, Risk, key } = rows
  const risk = `risk(id: "${Risk}")`
  const sets = {
    'at the root': [`person(id: "${Person}") { name }`, `${risk} { id owner { name } }`, 'apiKey { name }'],
    'of a split field': [`${risk} { id }`, `${risk} { owner { id } }`, `... { group(id: "${Group}") { id } }`],
    'of a mutation': [
      `changePerson(id: "${away['Person']}", input: { department: "D" }) { department }`,
      `changeGroup(id: "${away['Group']}", input: { description: "D" }) { description }`,
      'syncProject(input: { key: "AWAY-1", name: "D" }) { project { name } }',
    ],
  }
  const inner = ['owner { name }', 'project { key history { nodes { by } } }', 'history { nodes { by id } }']
  const cases = [
    ...Object.entries(sets).map(([what, fields]) => ({ what, fields, around: (all: string) => `{ ${all} }` })),
    { what: 'of a risk', fields: inner, around: (all: string) => `{ ${risk} { ${all} } }` },
  ]

  test.each(cases)('$what', async ({ what, fields, around }) => {
    const ways = permutationsOf(fields).map((order) => around(order.join(' ')))
    const operation = what.includes('mutation') ? 'mutation' : 'query'
    const whole = await execute(everything, `${operation} ${ways[0]}`)
    for (const text of ways.map((way) => `${operation} ${way}`)) {
      for (const holder of holders) {
        const expected = expectedOf(holder.self, text, whole.body.data)
        tally.check(`${text} with ${holder.label}`, outcomeOf(await execute(holder, text)), expected)
      }
    }
    expect(tally.findings()).toEqual([])
  })

  test('of references, except for the position of each result', async () => {
    const people = `__typename: "Person", id: "${Person}"`
    const others = [`__typename: "Risk", id: "${Risk}"`, `__typename: "Project", key: "${key}"`]
    for (const order of permutationsOf([people, ...others])) {
      const text = `{ _entities(representations: [${order.map((one) => `{ ${one} }`)}]) { __typename } }`
      const whole = { _entities: order.map((one) => ({ __typename: /"(\w+)"/.exec(one)?.[1] })) }
      for (const holder of holders) {
        tally.check(
          `${text} with ${holder.label}`,
          outcomeOf(await execute(holder, text)),
          expectedOf(holder.self, text, whole),
        )
      }
    }
    expect(tally.findings()).toEqual([])
  })
})
