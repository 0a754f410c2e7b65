import {
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { grants, isScope, type Scope } from '../../src/auth/scopes.js'
import type { RowScope } from '../../src/graph/query/declared.js'
import { TREND_STEPS } from '../../src/history/trend.js'
import { schema } from '../../src/schema.js'
import { ISSUE_MOVEMENTS, RISK_MOVEMENTS } from '../../src/store/derivedRows.js'
import {
  CHANGE_ACTIONS,
  ENTITY_KINDS,
  ISSUE_SEVERITIES,
  ISSUE_STATUSES,
  OPEN_ISSUE_STATUSES,
  OWNERSHIPS,
  PERSON_STATUSES,
  PROJECT_STATUSES,
  RISK_LEVELS,
  RISK_RESPONSES,
  RISK_STATUSES,
} from '../../src/vocabulary.js'

/** Types that federation adds for gateways are in no printed schema; federation.test.ts tests them. */
const isOfGateways = ({ name }: { name: string }) => name.startsWith('_')

const ownTypes: GraphQLNamedType[] = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !isOfGateways(type),
)
const objectTypes: GraphQLObjectType[] = ownTypes.filter(isObjectType)
const connections = objectTypes.filter(({ name }) => name.endsWith('Connection'))
const roots = [schema.getQueryType(), schema.getMutationType()].filter((type) => type != null)
const rootFields = roots.flatMap((type) => fieldsOf(type))

/** Object types that are no entities: connections, payloads, counts, details, history and what is derived from it. */
const isPlumbing = ({ name }: GraphQLNamedType) =>
  /^(Query|Mutation|PageInfo|Detail|ImportRun|RemovedGroup|(Field)?Change|Sync(Result|Counts|Warning)|RiskMatrix(Cell)?|IssueCounts|SyncPersonnelResult|RiskTrend(Point)?|Overdue(By)?Person|Movements)$|(Connection|Edge|Counts?|Movements?)$/.test(
    name,
  )
const entities = objectTypes.filter((type) => !isPlumbing(type))

function fieldsOf(type: GraphQLObjectType | GraphQLInterfaceType) {
  const fields = Object.values(type.getFields()).filter((field) => !isOfGateways(field))
  return fields.map((field) => ({ at: `${type.name}.${field.name}`, field }))
}

/** Everything with a description in the schema, with its coordinate. */
function* described(): Generator<[string, string | null | undefined]> {
  for (const directive of schema.getDirectives().filter((one) => !isSpecifiedDirective(one))) {
    yield [`@${directive.name}`, directive.description]
    for (const arg of directive.args) yield [`@${directive.name}(${arg.name})`, arg.description]
  }
  for (const type of ownTypes) {
    yield [type.name, type.description]
    if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description]
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field.description]
    }
    if (!isObjectType(type) && !isInterfaceType(type)) continue
    for (const { at, field } of fieldsOf(type)) {
      yield [at, field.description]
      for (const arg of field.args) yield [`${at}(${arg.name})`, arg.description]
    }
  }
}

describe('scopes', () => {
  test('the entities are those of the contract, with the scopes it gives them', () => {
    const scopes = Object.fromEntries(entities.map(({ name, extensions }) => [name, extensions['scope']]))
    expect(scopes).toEqual({
      Person: 'personnel.read',
      Group: 'personnel.read',
      Project: 'projects.read',
      Risk: 'projects.read',
      Issue: 'projects.read',
      ApiKey: null,
    })
  })

  test('every root field declares its scope, and only the own key needs none', () => {
    const scopes = rootFields
      .filter(({ at }) => at !== 'Query.node' && at !== 'Query.changes')
      .map(({ at, field }) => [at, field.extensions['scope']])
    expect(scopes.length).toBeGreaterThanOrEqual(12)
    expect(scopes.filter(([, scope]) => scope === null)).toEqual([['Query.apiKey', null]])
    expect(scopes.filter(([, scope]) => scope !== null && !isScope(String(scope)))).toEqual([])
    const { node, changes } = schema.getQueryType()?.getFields() ?? {}
    // The scope of the type of the id, and of the kind of each change.
    for (const one of [node, changes]) expect(one?.extensions['scopes']).toEqual(['personnel.read', 'projects.read'])
  })

  test('whatever changes data needs a .manage scope, and whatever only reads needs none', () => {
    const scopes = rootFields.map(({ at, field }) => [
      at.split('.')[0],
      String(field.extensions['scope']).split('.')[1],
    ])
    expect(scopes.filter(([root, action]) => (root === 'Mutation') !== (action === 'manage'))).toEqual([])
  })

  test('every field that leads to an entity declares the scope of where it leads, so that nothing is read in vain', () => {
    const scopeOf = new Map(entities.map(({ name, extensions }) => [name, extensions['scope']]))
    const leading = entities.flatMap(fieldsOf).flatMap(({ at, field }) => {
      const target = getNamedType(field.type).name.replace(/Connection$/, '')
      return scopeOf.has(target) ? [[at, field.extensions['scope'], scopeOf.get(target)]] : []
    })
    expect(leading.map(([at]) => at).sort()).toEqual([
      'Group.members',
      'Issue.assignee',
      'Issue.project',
      'Issue.risk',
      'Person.groups',
      'Person.issues',
      'Person.mergedInto',
      'Person.risks',
      'Project.issues',
      'Project.risks',
      'Risk.issues',
      'Risk.owner',
      'Risk.project',
    ])
    expect(leading.filter(([, declared, needed]) => declared !== needed)).toEqual([])
  })

  test('a field that needs another scope than its entity is nullable, so that a refusal stays where it belongs', () => {
    const crossing = entities.flatMap((type) =>
      fieldsOf(type).filter(({ field }) => {
        const scope = field.extensions['scope']
        return scope !== undefined && scope !== type.extensions['scope']
      }),
    )
    expect(crossing.map(({ at }) => at).sort()).toEqual([
      'Issue.assignee',
      'Person.issues',
      'Person.risks',
      'Risk.owner',
    ])
    expect(crossing.filter(({ field }) => isNonNullType(field.type))).toEqual([])
  })

  test('on every way through the schema a field with a scope that is not held yet is nullable', () => {
    const refusable = new Set<string>()
    const neverNull = new Set<string>()
    const seen = new Set<string>()
    const visit = (type: GraphQLObjectType, held: readonly Scope[]) => {
      if (seen.has(`${type.name} ${held}`)) return
      seen.add(`${type.name} ${held}`)
      for (const [name, field] of Object.entries(type.getFields())) {
        const target = getNamedType(field.type)
        const { scope, scopes, rowScope } = field.extensions as Declared
        const byRow = Object.values(rowScope?.scopes ?? {})
        const lacking = (more: readonly (Scope | null | undefined)[]) =>
          more.filter((one) => one != null && !grants(new Set(held), one)) as Scope[]
        const own = lacking([scope, ...(scopes ?? []), ...byRow, (target.extensions as Declared).scope])
        if (own.length > 0) refusable.add(`${type.name}.${name}`)
        if (own.length > 0 && isNonNullType(field.type)) neverNull.add(`${type.name}.${name}`)
        for (const one of isAbstractType(target) ? schema.getPossibleTypes(target) : [target].filter(isObjectType)) {
          const { scope: ofType } = one.extensions as Declared
          visit(one, [...new Set([...held, ...lacking([scope, ofType])])].sort())
        }
      }
    }
    for (const root of roots) visit(root, [])
    expect([...neverNull]).toEqual([])
    const below = [...refusable].filter((at) => !/^(Query|Mutation)\./.test(at))
    expect(below.sort()).toEqual([
      ...[
        'Change.by',
        'Change.group',
        'Change.import',
        'Change.issue',
        'Change.person',
        'Change.project',
        'Change.risk',
      ],
      ...['Issue.assignee', 'OverduePerson.person', 'Person.issues', 'Person.risks', 'Risk.owner'],
    ])
  })
})

interface Declared {
  readonly scope?: Scope | null
  /** Any of them. */
  readonly scopes?: readonly Scope[]
  readonly rowScope?: RowScope
}

describe('shape', () => {
  test('every root field is nullable, so that one refusal never takes the others along', () => {
    expect(rootFields.filter(({ field }) => isNonNullType(field.type)).map(({ at }) => at)).toEqual([])
  })

  test.each(connections)('$name has edges, nodes, pageInfo and totalCount', (connection) => {
    const node = connection.name.replace(/Connection$/, '')
    const types = Object.fromEntries(fieldsOf(connection).map(({ field }) => [field.name, String(field.type)]))
    expect(types).toEqual({ edges: `[${node}Edge!]!`, nodes: `[${node}!]!`, pageInfo: 'PageInfo!', totalCount: 'Int!' })
    const edge = schema.getType(`${node}Edge`) as GraphQLObjectType
    expect(fieldsOf(edge).map(({ field }) => [field.name, String(field.type)])).toEqual([
      ['cursor', 'String!'],
      ['node', `${node}!`],
    ])
  })

  test('every list of entities is a connection, but for the handful of groups of a person', () => {
    const plain = objectTypes
      .filter((type) => !/(Connection|Edge)$/.test(type.name))
      .flatMap(fieldsOf)
      .filter(
        ({ field }) => String(field.type).startsWith('[') && entities.some((type) => type === getNamedType(field.type)),
      )
    expect(plain.map(({ at }) => at)).toEqual(['Person.groups'])
  })

  const ORDERED = ['Query.personnel', 'Query.risks', 'Query.issues']
  test('every list is paged forwards: first, after and filter, and neither before nor last', () => {
    const lists = objectTypes
      .flatMap(fieldsOf)
      .filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
    expect(lists.length).toBeGreaterThanOrEqual(8)
    for (const { at, field } of lists) {
      expect({ at, args: field.args.map(({ name }) => name).sort() }).toEqual({
        at,
        args: ['after', 'filter', 'first', ...(ORDERED.includes(at) ? ['orderBy'] : [])],
      })
    }
    const backwards = objectTypes
      .flatMap(fieldsOf)
      .filter(({ field }) => field.args.some(({ name }) => /^(before|last)$/.test(name)))
    expect(backwards).toEqual([])
  })
})

describe('words', () => {
  test('everything has a description: at least two words, ended by a full stop', () => {
    const all = [...described()]
    expect(all.length).toBeGreaterThan(150)
    expect(all.filter(([, text]) => !/^\S+\s+\S[\s\S]*\.$/.test(text ?? ''))).toEqual([])
  })

  const SETS = {
    PersonStatus: PERSON_STATUSES,
    ProjectStatus: PROJECT_STATUSES,
    RiskStatus: RISK_STATUSES,
    ChangeAction: CHANGE_ACTIONS,
    EntityKind: ENTITY_KINDS,
    RiskResponse: RISK_RESPONSES,
    RiskLevel: RISK_LEVELS,
    IssueSeverity: ISSUE_SEVERITIES,
    Ownership: OWNERSHIPS,
    RiskOrder: ['RANK', 'DUE', 'UPDATED'],
    IssueOrder: ['SEVERITY', 'DUE', 'UPDATED'],
    PersonOrder: ['NAME', 'UPDATED'],
    IssueStatus: ISSUE_STATUSES,
    OpenIssueStatus: OPEN_ISSUE_STATUSES,
    RiskMovementKind: RISK_MOVEMENTS,
    IssueMovementKind: ISSUE_MOVEMENTS,
    TrendStep: TREND_STEPS,
    SyncMode: ['FULL', 'PARTIAL'],
    SyncLeavers: ['KEEP', 'INACTIVE'],
  }
  const enums = Object.fromEntries(
    ownTypes.filter(isEnumType).map((type) => [type.name, type.getValues().map(({ name }) => name)]),
  )

  test('the enums are the closed sets of the vocabulary, each value and no other', () => {
    const sorted = (sets: Record<string, readonly string[]>) =>
      Object.fromEntries(Object.entries(sets).map(([name, values]) => [name, [...values].sort()]))
    expect(sorted(enums)).toEqual(sorted(SETS))
  })

  test('the description of IssueStatus names the statuses that count as open, and only those', () => {
    const named = schema.getType('IssueStatus')?.description?.match(/\b[A-Z][A-Z_]+\b/g)
    expect(named).toEqual(OPEN_ISSUE_STATUSES)
  })
})
