import { parentPort } from 'node:worker_threads'
import { css, editorWorkerService, graphqlWorker, js, jsonWorker } from '@graphql-yoga/render-graphiql/graphiql'
import { digestOf, type Files } from './shell.js'

/** The assets of GraphiQL, as the worker reports them. */
export interface GraphiqlReport {
  readonly digest: string
  readonly files: Files
}

/** Fonts for scripts other than Latin: the system has its own. */
const OTHER_FONTS = /@font-face\{[^}]*unicode-range:(?!U\+0000)[^}]*\}/g

/** A pressed tab jumps away from the pointer, and the click misses it: only tabs without focus are kept in place. */
const TABS_IN_PLACE = '.graphiql-tab:not(:focus-within)'

/** Workers of the editor have the names by which it asks for them. */
const TEXTS = {
  'graphiql.js': js,
  'graphiql.css': css.replace(OTHER_FONTS, '').replace(TABS_IN_PLACE, '.graphiql-tab'),
  'editorWorkerService.js': editorWorkerService,
  'graphql.js': graphqlWorker,
  'json.js': jsonWorker,
}

const encoder = new TextEncoder()
const files = Object.entries(TEXTS).map(([name, text]) => [name, encoder.encode(text)] as const)
const report: GraphiqlReport = { digest: digestOf(files), files }
parentPort?.postMessage(
  report,
  files.map(([, { buffer }]) => buffer),
)
