// Runs every generator on the committed contracts; what one of them cannot read fails here.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { codegen } from '@graphql-codegen/core'
import * as typedDocumentNode from '@graphql-codegen/typed-document-node'
import * as operations from '@graphql-codegen/typescript-operations'
import { createClient } from '@hey-api/openapi-ts'
import { buildSchema, introspectionFromSchema, parse } from 'graphql'
import openapiTS, { astToString } from 'openapi-typescript'

const API = '../../schema/api.graphql'
const OPENAPI = '../../schema/openapi.json'

function run(command, ...args) {
  try {
    execFileSync(`node_modules/.bin/${command}`, args, { encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    throw new Error(`${command} failed:\n${error.stdout}\n${error.stderr}`)
  }
}

rmSync('generated', { recursive: true, force: true })
mkdirSync('generated/relay', { recursive: true })

writeFileSync('generated/openapi.ts', astToString(await openapiTS(JSON.parse(readFileSync(OPENAPI, 'utf8')))))

await createClient({ input: OPENAPI, output: 'generated/heyApi', logs: { level: 'silent' } })

const sdl = readFileSync(API, 'utf8')
const plugins = { operations, typedDocumentNode }
const code = await codegen({
  filename: 'generated/codegen.ts',
  schema: parse(sdl),
  documents: [{ location: 'operations.graphql', document: parse(readFileSync('operations.graphql', 'utf8')) }],
  plugins: Object.keys(plugins).map((name) => ({ [name]: {} })),
  pluginMap: plugins,
  config: { scalars: { Date: 'string', DateTime: 'string' }, strictScalars: true, useTypeImports: true },
})
writeFileSync('generated/codegen.ts', code)

// What urql's graphcache reads of the schema.
writeFileSync('generated/introspection.json', JSON.stringify(introspectionFromSchema(buildSchema(sdl))))

run('genql', '--schema', API, '--output', 'generated/genql', '--esm')
run('gql.tada', 'generate-output')
run('relay-compiler', 'relay.config.json')
