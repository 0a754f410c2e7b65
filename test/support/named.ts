import { spawnSync } from 'node:child_process'

/** A script that is run by its name: what it does, and its command. */
export interface Named {
  readonly about: string
  readonly command: readonly string[]
}

/**
 * Runs the script that the command line names, with the arguments after its name; `all` runs each in turn. Without a
 * known name it lists them. The exit code is 1 if one of them failed.
 */
export function runNamed(title: string, scripts: Readonly<Record<string, Named>>): never {
  const [name = '', ...args] = process.argv.slice(2)
  const chosen = name === 'all' ? Object.entries(scripts) : Object.entries(scripts).filter(([one]) => one === name)
  if (chosen.length === 0) {
    const lines = Object.entries(scripts).map(([one, { about }]) => `  ${one.padEnd(12)}${about}`)
    console.error(`${title} NAME [options], or all:\n${lines.join('\n')}`)
    process.exit(2)
  }
  const failed = chosen.filter(
    ([
      one,
      {
        command: [program = '', ...before],
      },
    ]) => {
      console.error(`\n=== ${one}`)
      const given = name === 'all' ? [] : args
      return spawnSync(program, [...before, ...given], { stdio: 'inherit' }).status !== 0
    },
  )
  if (name === 'all') console.error(`\nfailed: ${failed.map(([one]) => one).join(', ') || 'none'}`)
  process.exit(failed.length === 0 ? 0 : 1)
}
