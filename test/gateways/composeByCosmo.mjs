import { readFileSync } from 'node:fs'
import { federateSubgraphs, ROUTER_COMPATIBILITY_VERSION_ONE } from '@wundergraph/composition'
import { parse } from 'graphql'

/** Composes the given SDL files like Cosmo, and prints the result. */
const subgraphs = process.argv.slice(2).map((file) => ({
  name: file,
  url: 'http://127.0.0.1',
  definitions: parse(readFileSync(file, 'utf8')),
}))
const { success, errors = [], warnings } = federateSubgraphs({ subgraphs, version: ROUTER_COMPATIBILITY_VERSION_ONE })
console.log(JSON.stringify({ success, errors: errors.map(String), warnings: warnings.map(String) }))
