/** Before any measurement: checks that all contestants send what we send, and reject a wrong key. */
import { rmSync } from 'node:fs'
import { Client } from '../../../campaigns/client.js'
import { CONTESTANTS, type Contestant, startOurs, UNCACHED } from '../contestants.js'
import { copyOf, type Filled } from '../data.js'
import { messageOf } from '../workloads/requests.js'
import { type Api, addPerson, type BenchRequest, isOpenTo, UNIQUE, type Work } from '../workloads/workloads.js'
import { differenceFrom } from './difference.js'

/** The expected response to each request, by its path or body. */
export type Answers = ReadonlyMap<string, string>

export function nameOf(request: BenchRequest, api: Api): string {
  const { path, body } = messageOf(request, api)
  return body ?? path
}

/** Our uncached responses, which all contestants are compared with. */
export async function referenceAnswers(filled: Filled, works: readonly Work[]): Promise<Answers> {
  const answers = new Map<string, string>()
  const running = await startOurs(filled, UNCACHED)
  const client = clientOf(running.port, filled)
  for (const api of ['rest', 'graphql'] as const) {
    for (const request of readsOf(works, api)) answers.set(nameOf(request, api), await answerOf(client, request, api))
  }
  client.close()
  await running.end()
  return answers
}

export async function checkEquality(filled: Filled, works: readonly Work[], answers: Answers): Promise<void> {
  const newcomers = { rest: await newcomerOf(filled, 'rest'), graphql: await newcomerOf(filled, 'graphql') }
  const takesPart = ({ id, api, does }: Contestant) =>
    !id.startsWith('limit') && works.some((work) => does(work) && isOpenTo(work, api))
  for (const contestant of CONTESTANTS.filter(takesPart)) {
    const copy = copyOf(filled)
    const running = await contestant.start(copy, '')
    const client = clientOf(running.port, copy)
    for (const request of readsOf(works.filter(contestant.does), contestant.api)) {
      const answer = await answerOf(client, request, contestant.api)
      // Twice, so that a cached response is compared too.
      const again = await answerOf(client, request, contestant.api)
      const expected = answers.get(nameOf(request, contestant.api)) ?? ''
      for (const one of [answer, again]) requireEqual(contestant, one, expected, nameOf(request, contestant.api))
    }
    requireEqual(contestant, blanked(await added(client, contestant.api)), newcomers[contestant.api], 'a person added')
    client.close()
    await requireKey(contestant, running.port)
    await running.end()
    rmSync(copy.folder, { recursive: true })
  }
}

function readsOf(works: readonly Work[], api: Api): readonly BenchRequest[] {
  return works.filter((work) => isOpenTo(work, api)).flatMap(({ reads }) => reads)
}

function clientOf(port: number, { key }: Filled): Client {
  return new Client(`http://127.0.0.1:${port}`, key, 1)
}

async function answerOf(client: Client, request: BenchRequest, api: Api): Promise<string> {
  const { method, path, body } = messageOf(request, api)
  const { status, text } = await client.request(path, { method, body })
  if (status !== 200) throw new Error(`${method} ${path} returned ${status}: ${text.slice(0, 500)}`)
  return text
}

/** What a contestant has must be equal; what it lacks is printed, since it is then measured with less work. */
function requireEqual({ name }: Contestant, answer: string, expected: string, what: string): void {
  if (answer === expected) return
  const lacking = new Set<string>()
  const place = differenceFrom(JSON.parse(expected), JSON.parse(answer), lacking)
  if (place !== undefined) {
    throw new Error(
      `${name} differs at ${place} for ${what}\n  ${answer.slice(0, 500)}\ninstead of\n  ${expected.slice(0, 500)}`,
    )
  }
  if (lacking.size > 0) console.error(`${name} lacks ${[...lacking].join(', ')} for ${what}`)
}

/** The response to an added person, without ids and timestamps: REST shows all members, GraphQL those asked for. */
async function newcomerOf(filled: Filled, api: Api): Promise<string> {
  const copy = copyOf(filled)
  const running = await startOurs(copy, UNCACHED)
  const client = clientOf(running.port, copy)
  const answer = blanked(await added(client, api))
  client.close()
  await running.end()
  rmSync(copy.folder, { recursive: true })
  return answer
}

async function added(client: Client, api: Api): Promise<string> {
  const { method, path, body } = messageOf(addPerson, api)
  const { status, text } = await client.request(path, { method, body: body?.replaceAll(UNIQUE, '0000000000') })
  if (status !== (api === 'rest' ? 201 : 200)) throw new Error(`Adding a person returned ${status}: ${text}`)
  return api === 'rest' ? text : JSON.stringify(JSON.parse(text).data?.addPerson)
}

function blanked(person: string): string {
  return JSON.stringify({ ...JSON.parse(person), id: '', createdAt: '', updatedAt: '' })
}

async function requireKey({ name, api }: Contestant, port: number): Promise<void> {
  const client = new Client(`http://127.0.0.1:${port}`, 'ops_wrong', 1)
  const { method, path, body } = messageOf(addPerson, api)
  const { status } = await client.request(path, { method, body })
  client.close()
  if (status < 400) throw new Error(`${name} accepts a wrong key, with ${status}.`)
}
