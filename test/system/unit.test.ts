import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../support/process.js'

const OPERATING = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
const unit = /```ini\n(\[Unit\]\nDescription=Operations Gateway\n.*?)```/s.exec(OPERATING)?.[1] ?? ''
const [, exposure = ''] = /`systemd-analyze security` rates it (\d\.\d)/.exec(OPERATING) ?? []

/** Needs no running systemd. */
const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' })

test.runIf(analyze('--version').status === 0)(
  'systemd understands the documented unit, and rates its exposure as documented',
  () => {
    const file = join(newFolder(), 'operations.service')
    // The program of the unit need not be installed here.
    writeFileSync(file, unit.replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath} serve`))
    expect(analyze('verify', file)).toMatchObject({ status: 0, stderr: '' })
    const { stdout } = analyze('security', '--offline=true', '--no-pager', file)
    expect(stdout).toMatch(new RegExp(`exposure level for operations.service: ${exposure} OK`))
  },
)
