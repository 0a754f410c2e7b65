import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpServer } from '../../src/http/server.js'
import { openOffice } from '../support/harness.js'
import { newFolder } from '../support/process.js'

const PAGE = readFileSync(new URL('../../docs/changes.md', import.meta.url), 'utf8')

/** The program of a language on the page, in a file. */
function programIn(language: 'sh' | 'ts'): string {
  const [, text = ''] = new RegExp(`\`\`\`${language}\\n([^\`]*?(?:\`[^\`]+\`[^\`]*?)*)\\n\`\`\``).exec(PAGE) ?? []
  expect(text.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(16)
  const file = join(newFolder(), `follow.${language}`)
  writeFileSync(file, text)
  return file
}

async function openServed() {
  const { gateway, caller } = await openOffice()
  const server = createHttpServer(gateway.app)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    void gateway.app.close()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const key = caller.authorization?.replace('Bearer ', '') ?? ''
  return { gateway, caller, origin: `http://127.0.0.1:${port}`, key }
}

test('the shell program prints each change once, and goes on where it was', async () => {
  const { gateway, caller, origin, key } = await openServed()
  const [file, place] = [programIn('sh'), join(newFolder(), 'cursor')]
  const lines: string[] = []
  const follow = async (until: number) => {
    const child = spawn('sh', [file, origin, key, place], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line)
      if (lines.length >= until) break
    }
    // The place is stored after the lines are printed.
    await expect
      .poll(
        async () =>
          (await caller.get(`/v1/changes?entity=risk&cursor=${readFileSync(place, 'utf8').trim()}`)).body.data.length,
      )
      .toBe(0)
    process.kill(-(child.pid ?? 0), 'SIGKILL')
  }
  const risks = gateway.own.values("select count(*) from change where entity = 'RISK'")
  await follow(Number(risks[0]?.[0]))
  expect(lines).toHaveLength(Number(risks[0]?.[0]))
  expect(lines[0]).toMatch(/^2026-11-02T09:30:00\.000Z R-0: reference, title, /)
  await caller.post('/v1/projects', {
    key: 'APOLLO',
    risks: [{ reference: 'R-NEW', title: 'New', likelihood: 1, impact: 1 }],
    closeLimit: 99,
  })
  const before = lines.length
  await follow(before + 1)
  expect(lines.slice(before).filter((line) => line.includes('R-NEW'))).toHaveLength(1)
  expect(new Set(lines.filter((line) => / R-0: reference/.test(line))).size).toBe(1)
})

test('the TypeScript program has a copy of every tracked field', async () => {
  const { caller, origin, key } = await openServed()
  const { follow } = await import(/* @vite-ignore */ programIn('ts'))
  const copies = follow(origin, key)
  const { value: copy } = await copies.next()
  const [risk] = (await caller.get('/v1/risks?limit=1')).body.data
  expect(copy.get(risk.id).get('title')).toBe(risk.title)
  const waiting = copies.next()
  const { body } = await caller.post('/v1/groups', { name: 'Riggers' })
  await waiting
  expect(copy.get(body.id).get('name')).toBe('Riggers')
  const next = copies.next()
  await caller.delete(`/v1/groups/${body.id}`)
  await next
  expect(copy.has(body.id)).toBe(false)
})
