// Finds changes between two OpenAPI documents that break clients.

/** @typedef {'breaking' | 'dangerous' | 'compatible'} Level */
/** @typedef {(level: Level, path: string, change: string) => void} Note */
/** @typedef {'request' | 'response'} Side */
/** @typedef {{ before: object, after: object, note: Note, walked: Set<string> }} Pair */

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const UPPER_BOUNDS = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum']
const LOWER_BOUNDS = ['minLength', 'minItems', 'minProperties', 'minimum', 'exclusiveMinimum']

export function read(text) {
  const document = JSON.parse(text)
  if (!document?.paths) throw new Error('An OpenAPI document has paths.')
  return document
}

/** @param {Note} note */
export function compareContracts(before, after, note) {
  const pair = { before, after, note, walked: new Set() }
  const [olds, nows] = [operationsOf(before), operationsOf(after)]
  for (const [id, old] of olds) {
    const now = nows.get(id)
    if (now) compareOperation(pair, old, now)
    else note('breaking', old.name, 'was removed')
  }
  for (const [id, now] of nows) if (!olds.has(id)) note('compatible', now.name, 'was added')
}

function operationsOf(doc) {
  const operations = new Map()
  for (const [route, item] of Object.entries(doc.paths ?? {}))
    for (const method of METHODS.filter((one) => item[one])) {
      const { requestBody, responses = {} } = item[method]
      const security = securityOf(doc, item[method])
      const name = `${method.toUpperCase()} ${route}`
      const parameters = parametersOf(doc, route, [...(item.parameters ?? []), ...(item[method].parameters ?? [])])
      // Clients never see the name of a path parameter, so a renamed one is the same route.
      const id = name.replaceAll(/\{[^}]*\}/g, '{}')
      operations.set(id, { name, parameters, security, responses, body: follow(doc, requestBody) })
    }
  return operations
}

/** The accepted security schemes, each with the scope from our own `x-required-scope`. */
function securityOf(doc, { security = doc.security ?? [], 'x-required-scope': scope }) {
  const withScope = ([name, scopes]) => [name, scope ? [...scopes, scope] : scopes]
  return security.map((needs) => Object.fromEntries(Object.entries(needs).map(withScope)))
}

function parametersOf(doc, route, nodes) {
  const inPath = route.match(/\{[^}]*\}/g) ?? []
  const ids = { path: (name) => inPath.indexOf(`{${name}}`), header: (name) => name.toLowerCase() }
  const all = nodes.map((node) => follow(doc, node))
  return new Map(all.map((one) => [`${one.in} ${ids[one.in]?.(one.name) ?? one.name}`, one]))
}

function compareOperation(pair, old, now) {
  // A client that had access with some scopes must still have it with the same scopes.
  const suffices = (had, needs) =>
    Object.entries(needs).every(([name, scopes]) => had[name] && scopes.every((scope) => had[name].includes(scope)))
  for (const had of old.security.length ? old.security : [{}])
    if (now.security.length && !now.security.some((needs) => suffices(had, needs)))
      pair.note('breaking', old.name, `${JSON.stringify(had)} no longer grants access`)
  compareParameters(pair, old.name, old.parameters, now.parameters)
  if (!old.body?.required && now.body?.required) pair.note('breaking', old.name, 'a body is now required')
  compareContent(pair, 'request', old.name, old.body?.content, now.body?.content)
  compareAnswers(pair, old.name, old.responses, now.responses)
}

function compareParameters(pair, path, olds, nows) {
  const { note } = pair
  const placeOf = (one) => `${path} ${one.in} parameter ${one.name}`
  for (const [id, old] of olds) {
    const now = nows.get(id)
    const place = placeOf(old)
    if (!now) {
      note('breaking', place, 'was removed')
      continue
    }
    if (!old.required && now.required) note('breaking', place, 'is now required')
    if (old.style !== now.style || old.explode !== now.explode) note('breaking', place, 'is written otherwise')
    if (!same(old.schema?.default, now.schema?.default)) note('dangerous', place, 'has another default')
    compareSchemas(pair, 'request', place, old.schema, now.schema)
  }
  for (const now of [...nows].filter(([id]) => !olds.has(id)).map(([, one]) => one))
    if (now.required) note('breaking', placeOf(now), 'was added and is required')
    else note('compatible', placeOf(now), 'was added')
}

function compareAnswers(pair, path, olds, nows) {
  for (const status of new Set([olds, nows].flatMap(Object.keys))) {
    const [old, now] = [follow(pair.before, olds[status]), follow(pair.after, nows[status])]
    const place = `${path} ${status}`
    const isSuccess = /^[23]/.test(status)
    if (!now) pair.note(isSuccess ? 'breaking' : 'compatible', place, 'was removed')
    if (!old) pair.note(isSuccess ? 'dangerous' : 'compatible', place, 'was added')
    if (!old || !now) continue
    for (const header of Object.keys(old.headers ?? {}))
      if (!now.headers?.[header]) pair.note('breaking', place, `the header ${header} was removed`)
    compareContent(pair, 'response', place, old.content, now.content)
  }
}

/** @param {Pair} pair @param {Side} side */
function compareContent(pair, side, path, olds = {}, nows = {}) {
  for (const [media, { schema }] of Object.entries(olds))
    if (nows[media]) compareSchemas(pair, side, `${path} body`, schema, nows[media].schema)
    else pair.note('breaking', path, `${media} was removed`)
}

/** @param {Pair} pair @param {Side} side */
function compareSchemas(pair, side, place, oldNode, newNode) {
  let path = place
  if (oldNode?.$ref && newNode?.$ref) {
    // Report a component once, under its own name, for all routes that use it; this also ends recursion.
    const met = JSON.stringify([side, { ...oldNode, description: '' }, { ...newNode, description: '' }])
    if (pair.walked.has(met)) return
    pair.walked.add(met)
    path = `${side} ${oldNode.$ref.split('/').at(-1)}`
  }
  const [old, now] = [plain(pair.before, oldNode), plain(pair.after, newNode)]
  compareValues(pair, side, path, old, now)
  if (old.branches.length > 1 || now.branches.length > 1) {
    compareBranches(pair, side, path, old.branches, now.branches)
    return
  }
  if (old.items || now.items) compareSchemas(pair, side, `${path}[]`, old.items, now.items)
  compareMembers(pair, side, path, old, now)
}

function compareValues({ note }, side, path, old, now) {
  const isRequest = side === 'request'
  // Requests that are valid today must stay valid, and future responses must fit what clients know today.
  const [from, to] = isRequest ? [old, now] : [now, old]
  const fits = (type) =>
    !to.types.length || to.types.includes(type) || (type === 'integer' && to.types.includes('number'))
  const misfits = (from.types.length ? from.types : ['any']).filter((type) => !fits(type))
  const change = `the type changed from ${old.types.join(' | ') || 'any'} to ${now.types.join(' | ') || 'any'}`
  if (misfits.length) note('breaking', path, !isRequest && same(misfits, ['null']) ? 'can now be null' : change)
  else if (!same(old.types, now.types)) note('compatible', path, change)

  const level = isRequest ? 'breaking' : 'dangerous'
  const verb = isRequest ? 'no longer takes' : 'can now be'
  const strange = to.values && (from.values?.filter((value) => !to.values.includes(value)) ?? ['other values'])
  if (strange?.length) note(level, path, `${verb} ${strange.join(', ')}`)
  for (const value of to.values?.filter((one) => from.values && !from.values.includes(one)) ?? [])
    note('compatible', path, isRequest ? `also takes ${value}` : `is never ${value} any more`)
  const rules = [
    ...UPPER_BOUNDS.filter((bound) => (from[bound] ?? Infinity) > (to[bound] ?? Infinity)),
    ...LOWER_BOUNDS.filter((bound) => (from[bound] ?? -Infinity) < (to[bound] ?? -Infinity)),
    ...['pattern', 'multipleOf', 'uniqueItems'].filter((rule) => to[rule] && to[rule] !== from[rule]),
  ]
  for (const rule of rules) note(level, path, `${verb} what breaks the ${rule} ${to[rule]}`)
  // A `date` that becomes a `date-time` is another type for a parser.
  if (to.format && to.format !== from.format)
    note('breaking', path, `the format changed from ${old.format ?? 'any'} to ${now.format ?? 'any'}`)
}

function compareBranches(pair, side, path, olds, nows) {
  const [had, has] = [olds, nows].map((all) => new Map(all.map((one) => [one.node.$ref ?? one.types.join(), one.node])))
  for (const [name, node] of had)
    if (has.has(name)) compareSchemas(pair, side, path, node, has.get(name))
    else pair.note(side === 'request' ? 'breaking' : 'compatible', path, `the alternative ${name} was removed`)
  for (const name of [...has.keys()].filter((one) => !had.has(one)))
    pair.note(side === 'response' ? 'breaking' : 'compatible', path, `the alternative ${name} was added`)
}

function compareMembers(pair, side, path, old, now) {
  if (side === 'request' && old.additionalProperties !== false && now.additionalProperties === false)
    pair.note('breaking', path, 'no longer takes further members')
  for (const name of new Set([old, now].flatMap((schema) => Object.keys(schema.properties ?? {})))) {
    const [had, has] = [old, now].map((schema) => schema.properties?.[name])
    const [was, is] = [old, now].map((schema) => schema.required?.includes(name) ?? false)
    const member = `${path}.${name}`
    if (!has) pair.note('breaking', member, 'was removed')
    else if (side === 'request' && is && !was) pair.note('breaking', member, 'is now required')
    else if (side === 'response' && had && was && !is) pair.note('breaking', member, 'can now be absent')
    else if (!had) pair.note('compatible', member, 'was added')
    else if (was !== is) pair.note('compatible', member, is ? 'is now always there' : 'is no longer required')
    if (had && has) compareSchemas(pair, side, member, had, has)
  }
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)

function follow(doc, node) {
  if (!node?.$ref) return node
  const { $ref, ...beside } = node
  const keys = $ref.split('/').slice(1)
  const target = keys.reduce((at, key) => at?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], doc)
  return { ...follow(doc, target), ...beside }
}

/** A schema without $ref, allOf and "or null", so that equivalent notations compare as equal. */
function plain(doc, node) {
  const { allOf = [], anyOf, oneOf, ...flat } = follow(doc, node === true ? {} : (node ?? {}))
  const all = (anyOf ?? oneOf ?? []).map((one) => ({ ...plain(doc, one), node: one }))
  const branches = all.filter(({ types }) => !same(types, ['null']))
  const parts = [...allOf.map((one) => plain(doc, one)), ...(branches.length === 1 ? branches : [])]
  for (const { required = [], properties = {}, ...part } of parts)
    Object.assign(flat, part, {
      required: [...(flat.required ?? []), ...required],
      properties: { ...flat.properties, ...properties },
    })
  const types = branches.length > 1 ? branches.flatMap((one) => one.types) : [flat.types ?? flat.type ?? []].flat()
  const orNull = branches.length < all.length ? ['null'] : []
  const values = (flat.enum ?? ('const' in flat ? [flat.const] : undefined))?.filter((value) => value !== null)
  const alone = { types, node: node ?? {} }
  return {
    ...flat,
    types: [...new Set([...types, ...orNull])].sort(),
    values,
    branches: branches.length ? branches : [alone],
  }
}
