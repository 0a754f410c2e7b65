import { version, versionInfo } from 'graphql'
import { GRAPHQL_RANGE } from '../about.js'

// A forced installation can have any version, which would fail far from its cause.
const [, major, minor] = /^\^(\d+)\.(\d+)/.exec(GRAPHQL_RANGE) ?? []
if (versionInfo.major !== Number(major) || versionInfo.minor < Number(minor)) {
  const error = new Error(
    `operations-gateway needs graphql ${GRAPHQL_RANGE}, but this program has graphql ${version}: run \`npm install graphql@${major}\`.`,
  )
  // Node prints the stack of a failing import; the message is enough.
  error.stack = `${error.name}: ${error.message}`
  throw error
}
