// Bundles the command into dist/main.js and dist/bundle/, replacing the output of tsc: loading about 500 small modules
// takes longer than running them (docs/decisions/0009-bundled-command.md). The library stays as tsc compiled it.
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const FOLDER = 'dist/bundle'

/** Left in node_modules: native addons, optional packages, and the 9 MB of GraphiQL's page. */
const EXTERNAL = ['better-sqlite3', 'better-sqlite3-13', 'pg-native', '@graphql-yoga/render-graphiql']

const { metafile } = await build({
  // A worker thread loads a file of its own.
  entryPoints: {
    main: 'src/main.ts',
    'bundle/readWorker': 'src/store/sqlite/readWorker.ts',
    'bundle/graphiqlWorker': 'src/http/pages/graphiqlWorker.ts',
  },
  outdir: 'dist',
  chunkNames: 'bundle/[name]-[hash]',
  bundle: true,
  // Dynamic imports of a command stay in separate files.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // One copy of each package; ES modules bundle smaller.
  mainFields: ['module', 'main'],
  external: EXTERNAL,
  // Bundled CommonJS packages call `require` for Node's built-in modules, which an ES module does not have.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)",
  },
  metafile: true,
  logLevel: 'warning',
})

chmodSync('dist/main.js', 0o755)
// tsc compiles the modules of the overview, but neither copies its style sheets nor removes what is no longer there.
const web = readdirSync('src/web', { recursive: true })
cpSync('src/web/styles', 'dist/web/styles', { recursive: true })
for (const file of readdirSync('dist/web', { recursive: true })) {
  if (!web.includes(file.replace(/\.js$/, '.ts'))) rmSync(`dist/web/${file}`, { recursive: true, force: true })
}
const written = new Set(Object.keys(metafile.outputs).map((file) => basename(file)))
for (const file of readdirSync(FOLDER)) if (!written.has(file)) rmSync(join(FOLDER, file))
writeFileSync(join(FOLDER, 'licences.md'), licences(metafile))

/** The licence texts of the bundled packages, which must be distributed with them. */
function licences({ inputs }) {
  const folders = new Set(
    Object.keys(inputs).flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  )
  const packages = [...folders].map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry))
    return { name, version, license, author, text: file && readFileSync(join(folder, file), 'utf8').trim() }
  })
  const sections = packages.map(({ name, version, license, author, text }) => {
    const same = packages.find((other) => other.license === license && other.text)
    if (!text && !same) throw new Error(`${name} is under ${license}, whose text none of the bundled packages has.`)
    const by = author ? ` by ${author.name ?? author}` : ''
    return `## ${name} ${version}\n\n${text ?? `${license}${by}, without a text of its own: the terms are those of ${same.name}.`}\n`
  })
  return `# Packages inside the command, and their licences\n\n${[...new Set(sections)].sort().join('\n')}`
}
