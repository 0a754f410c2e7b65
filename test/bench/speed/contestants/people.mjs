/** Adding a person: the gateway's checks, and the same rows in one durable transaction. */
import { newId } from '../../../../dist/ids.js'
import { fold } from '../../../../dist/text.js'

const MEMBERS = ['name', 'email', 'externalId', 'title', 'department']
const TEXT_MAX = 200

/** A client error with its HTTP status. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

export function addPersonOn(db) {
  const insert = db.prepare(
    `insert into person (id, name, name_folded, email, email_folded, external_id, title, department, status,
      created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, 'ACTIVE', ?, ?)`,
  )
  const record = db.prepare(
    `insert into change (recorded_at, effective_on, written_by, action, entity, entity_id, fields)
      values (?, ?, ?, 'CREATED', 'PERSON', ?, ?)`,
  )
  const raise = db.prepare('update revision set value = value + 1')
  const store = db.transaction((person, keyId) => {
    const { id, name, email, externalId, title, department, createdAt } = person
    const folded = email && fold(email)
    insert.run(id, name, fold(name), email, folded, externalId, title, department, createdAt, createdAt)
    record.run(createdAt, createdAt.slice(0, 10), keyId, id, JSON.stringify(changesOf(person)))
    raise.run()
  })
  return (input, keyId) => {
    const person = personFrom(input)
    try {
      store.immediate(person, keyId)
    } catch (error) {
      if (error.code === 'SQLITE_CONSTRAINT_UNIQUE') throw new Refusal(409, 'Someone has this e-mail or externalId.')
      throw error
    }
    return person
  }
}

function personFrom(input) {
  const read = (member) => {
    const value = input[member] ?? null
    if (value === null) return null
    if (typeof value !== 'string') throw new Refusal(422, `${member} must be a text.`)
    const text = value.trim()
    if (text === '' || text.length > TEXT_MAX)
      throw new Refusal(422, `${member} must have 1 to ${TEXT_MAX} characters.`)
    return text
  }
  const unknown = Object.keys(input).find((member) => !MEMBERS.includes(member))
  if (unknown) throw new Refusal(422, `${unknown} is not known.`)
  const now = new Date()
  const [name, email, externalId, title, department] = MEMBERS.map(read)
  if (name === null) throw new Refusal(422, 'A person needs a name.')
  if ((email ?? externalId) === null) throw new Refusal(422, 'A person needs an e-mail or an externalId.')
  if (email !== null && !/^[^\s@]+@[^\s@]+$/.test(email)) throw new Refusal(422, 'email must be an address.')
  const at = now.toISOString()
  const id = newId('person', now)
  return { id, name, email, externalId, title, department, status: 'ACTIVE', createdAt: at, updatedAt: at }
}

function changesOf(person) {
  const given = [...MEMBERS, 'status'].filter((member) => person[member] !== null)
  return Object.fromEntries(given.map((member) => [member, [null, person[member]]]))
}
