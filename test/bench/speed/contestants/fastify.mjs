/** Fastify, with response serialization by compiled schemas. */
import Fastify from 'fastify'
import { issuesBody, peopleBody, personBody, risksBody } from './bodies.mjs'
import { FILE } from './listen.mjs'
import { openStore } from './store.mjs'

const store = openStore(FILE)

const text = { type: 'string' }
const maybeText = { type: 'string', nullable: true }
const number = { type: 'integer' }
const maybeNumber = { type: 'integer', nullable: true }
const object = (properties) => ({ type: 'object', properties })
const named = object({ id: text, name: text })
const project = object({ id: text, key: text, name: text })
const maybeNamed = { ...named, nullable: true }
const details = { type: 'array', items: object({ name: text, text }) }
const timestamps = { createdAt: text, updatedAt: text }

const person = object({
  ...{ id: text, name: text, email: maybeText, externalId: maybeText, title: maybeText, department: maybeText },
  ...{ status: text, groups: { type: 'array', items: named }, details, ...timestamps, mergedInto: maybeNamed },
})
const risk = object({
  ...{ id: text, project, reference: text, title: text, description: maybeText, category: maybeText },
  ...{ likelihood: maybeNumber, impact: maybeNumber, scoreGiven: maybeNumber, score: number, level: text },
  ...{ rank: maybeNumber, status: text, response: maybeText, mitigation: maybeText, cause: maybeText },
  ...{ residualLikelihood: maybeNumber, residualImpact: maybeNumber, residualScore: maybeNumber },
  ...{ residualLevel: maybeText, owner: maybeNamed, ownerId: maybeText, ownerName: maybeText, url: maybeText },
  ...{ raisedOn: text, reviewOn: maybeText, dueOn: maybeText, details, ...timestamps },
})
const issue = object({
  ...{ id: text, project, reference: text, title: text, description: maybeText, severity: text, status: text },
  ...{
    assignee: maybeNamed,
    assigneeId: maybeText,
    assigneeName: maybeText,
    riskId: maybeText,
    url: maybeText,
    raisedOn: text,
  },
  ...{ dueOn: maybeText, details, ...timestamps },
})
const listOf = (items) =>
  object({ data: { type: 'array', items }, page: object({ next: maybeText, total: maybeNumber }) })

const querystring = { ...object({ limit: { ...number, minimum: 1, maximum: 1_000 }, cursor: text, project: text }) }
const body = {
  ...object({ name: text, email: maybeText, externalId: maybeText, title: maybeText, department: maybeText }),
  required: ['name'],
  additionalProperties: false,
}

function needs(scope) {
  return (request, reply, done) => {
    const caller = store.caller(request.headers.authorization)
    if (!caller) return reply.code(401).send({ title: 'A key is needed.' })
    if (!caller.may(scope)) return reply.code(403).send({ title: 'The scope is missing.' })
    request.caller = caller
    done()
  }
}

const app = Fastify({ logger: false, keepAliveTimeout: 60_000 })
app.decorateRequest('caller', null)

const get = (path, scope, schema, handler) =>
  app.get(path, { schema: { querystring, response: { 200: schema } }, onRequest: needs(scope) }, handler)

get('/v1/personnel', 'personnel.read', listOf(person), ({ query }, reply) => {
  reply.send(peopleBody(store, query.limit, query.cursor))
})
get('/v1/personnel/:id', 'personnel.read', person, ({ params }, reply) => {
  const found = store.person(params.id)
  if (!found) return reply.code(404).send({ title: 'There is nobody here.' })
  reply.send(personBody(found, store.groupsOf([found.id]).get(found.id)))
})
get('/v1/risks', 'projects.read', listOf(risk), ({ query }, reply) => {
  reply.send(risksBody(store, query.limit, query.project))
})
get('/v1/issues', 'projects.read', listOf(issue), ({ query }, reply) => {
  reply.send(issuesBody(store, query.limit, query.project))
})
app.post(
  '/v1/personnel',
  { schema: { body, response: { 201: person } }, onRequest: needs('personnel.manage') },
  ({ body: input, caller }, reply) => {
    reply.code(201).send(personBody(store.addPerson(input, caller.keyId)))
  },
)
app.setErrorHandler((error, _, reply) =>
  reply.code(error.status ?? error.statusCode ?? 500).send({ title: error.message }),
)

await app.listen({ port: 0, host: '127.0.0.1' })
console.log(`listening ${app.server.address().port}`)
