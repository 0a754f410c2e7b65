import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { CONTESTANTS } from './contestants.js'
import { COMPANY, copyOf, fill } from './data.js'
import { load } from './processes.js'
import { wireOf } from './requests.js'
import { addPerson, UNIQUE, worksOn } from './works.js'
const [name = '', id = ''] = process.argv.slice(2)
const filled = fill(COMPANY)
const contestant = CONTESTANTS.find((one) => one.id === id)!
const work = worksOn(filled).find((one) => one.name === name)!
const stage = copyOf(filled)
const running = await contestant.start(stage, '')
const go = (ms: number, tag: string) => load({ port: running.port, pid: running.pid, clients: work.clients, warmMs: 500, warmAnswers: 300, measureMs: ms, requestsMax: 2e6, reads: work.reads.map((ask) => wireOf(ask, contestant.door, filled.key)), write: wireOf(addPerson, contestant.door, filled.key).replaceAll('Newcomer', tag).replaceAll('newcomer', tag), unique: UNIQUE, writeShare: work.writeShare, mix: work.mix })
await go(3000, 'Newcomes')
const st = spawn('strace', ['-c', '-f', '-p', String(running.pid)], { stdio: ['ignore', 'inherit', 'inherit'] })
await new Promise((r) => setTimeout(r, 500))
const r = await go(2000, 'Newcomet')
console.log(r)
st.kill('SIGINT'); await new Promise((res) => st.on('close', res))
await running.end()
rmSync(stage.folder, { recursive: true }); rmSync(filled.folder, { recursive: true })
