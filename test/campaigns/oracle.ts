/**
 * Sends random requests to the service and compares each response with the oracle of test/oracle, on both engines.
 * Prints the seed, and a shrunk example of a wrong answer.
 *
 *   npm run campaign -- oracle [-- --seed 7 --rounds 100 --project unit --project postgres]
 *
 * `--path`, beside the seed, repeats the one round that a failure names.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    rounds: { type: 'string', default: '100' },
    path: { type: 'string' },
    project: { type: 'string', multiple: true, default: ['unit'] },
  },
})

let isWrong = false
for (const project of values.project) {
  console.log(`--seed ${values.seed} --rounds ${values.rounds} --project ${project}`)
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', project, 'test/oracle'], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ORACLE_SEED: values.seed,
      ORACLE_ROUNDS: values.rounds,
      ...(values.path !== undefined && { ORACLE_PATH: values.path }),
    },
  })
  isWrong ||= status !== 0
}
process.exitCode = isWrong ? 1 : 0
