import { base, key } from '../api.js'
import { el } from '../dom.js'
import { signInButton } from '../keyForm.js'
import { hasSignIn, isSignedIn, renewed } from '../signIn.js'
import { type Starter, starters } from './starters.js'

/** What this page uses of the Monaco editor. */
interface Model {
  readonly uri: { readonly path: string }
  getValue(): string
  setValue(text: string): void
  /** `isFlush`: the whole text was set, as for another tab, and not edited. */
  onDidChangeContent(listener: (event: { readonly isFlush: boolean }) => void): void
}

declare global {
  var MonacoEnvironment: { globalAPI: boolean; getWorkerUrl(module: string, label: string): string }
  var monaco: { editor: { onDidCreateModel(listener: (model: Model) => void): void } }
  var YogaGraphiQL: { renderYogaGraphiQL(root: Element | null, options: object): void }
}

const NO_KEY = '<API_KEY>'
const AUTHORIZATION = /("Authorization"\s*:\s*"Bearer )([^"]*)(?=")/i

/** A pause in typing, after which a new key is tried. */
const TYPED_MS = 400

const linked = new URLSearchParams(location.search)
const linkedQuery = linked.get('query')
const opened: Starter[] = linkedQuery === null ? [] : [{ query: linkedQuery, variables: linked.get('variables') ?? '' }]

/** The tab that was open before a reload. GraphiQL itself would open an empty one, unless its text was edited. */
function tabBefore(): Starter | undefined {
  const { tabs = [], activeTabIndex = 0 } = JSON.parse(sessionStorage.getItem('graphiql:tabState') ?? '{}')
  return tabs[activeTabIndex]
}

/** Tabs are kept until the browser's tab is closed, the theme for longer. */
const storageOf = (name: string) => (name === 'graphiql:theme' ? localStorage : sessionStorage)
const storage = {
  getItem: (name: string) => storageOf(name).getItem(name),
  setItem: (name: string, value: string) => storageOf(name).setItem(name, value),
  removeItem: (name: string) => storageOf(name).removeItem(name),
  clear: () => sessionStorage.clear(),
  get length() {
    return sessionStorage.length
  },
}

const used = () => key.current ?? (key.suggested || NO_KEY)

/** The headers of the tab that is open. */
let headers: Model | undefined

/** The key that the headers were given by this page. */
let known = used()

function showUsed(): void {
  const text = headers?.getValue() ?? ''
  const given = AUTHORIZATION.exec(text)?.[2]
  known = used()
  if (given && given !== known) headers?.setValue(text.replace(AUTHORIZATION, (_, before: string) => before + known))
}

/** One key for all tabs: what is typed in the headers of one is shown in the others. */
function shareKey(model: Model): void {
  headers = model
  let pause: ReturnType<typeof setTimeout> | undefined
  let tried = used()
  const tryKey = () => {
    if (used() === tried) return
    try {
      JSON.parse(model.getValue())
    } catch {
      // It is still being typed.
      return
    }
    tried = used()
    loadDocumentation()
  }
  model.onDidChangeContent(({ isFlush }) => {
    if (isFlush) return showUsed()
    const given = AUTHORIZATION.exec(model.getValue())?.[2]
    // Other headers may be edited, also while the token here is one that has just been renewed.
    if (!given || given.includes(NO_KEY) || given === known) return
    known = given
    key.keep(given)
    clearTimeout(pause)
    pause = setTimeout(tryKey, TYPED_MS)
  })
}

/** Loads the schema again, which was refused without a key, by the shortcut that GraphiQL has for it. */
function loadDocumentation(): void {
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'R', ctrlKey: true, shiftKey: true }))
}

/** GraphiQL sends its requests itself, with the token that the headers show. */
const RENEW_EVERY_MS = 5_000

async function showRenewed(): Promise<void> {
  // The next request says that the token has expired.
  await renewed().catch(() => undefined)
  if (isSignedIn()) showUsed()
}

if (hasSignIn) {
  const why = el('span', { role: 'alert' })
  const style = 'position: fixed; inset: auto 4rem 1rem auto; z-index: 1; font: 15px sans-serif'
  document.body.append(el('p', { style }, why, ' ', signInButton(why)))
  await showRenewed()
  setInterval(() => void showRenewed(), RENEW_EVERY_MS)
}

const { graphiqlAt = '', heading } = document.body.dataset

globalThis.MonacoEnvironment = { globalAPI: true, getWorkerUrl: (_, label) => `${graphiqlAt}/${label}.js` }
await import(`${graphiqlAt}/graphiql.js`)
monaco.editor.onDidCreateModel((model) => {
  if (model.uri.path.endsWith('request-headers.json')) shareKey(model)
})

const [shown = tabBefore()] = opened
// Removed from the address: after a reload, the edited query is shown and not the one of the link.
if (opened.length > 0) history.replaceState({}, '', location.pathname)

YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
  title: heading,
  endpoint: `${base}/graphql`,
  storage,
  query: shown?.query,
  variables: shown?.variables,
  defaultTabs: [...opened, ...starters(new Date())],
  defaultHeaders: JSON.stringify({ Authorization: `Bearer ${used()}` }, null, 2),
  defaultEditorToolsVisibility: 'headers',
  // The tab's key is stored, but by this page.
  shouldPersistHeaders: false,
  credentials: 'same-origin',
  // Yoga would write each edit into the URL: reloads fail when it gets too long.
  onEditQuery: () => {},
})
