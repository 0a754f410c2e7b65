import { el } from '../dom.js'
import type { Filter } from './filter.js'

/** A link that changes the filter, and leads to a section; with no section it stays where it is. */
export type Link = (to: string, change: Partial<Filter>, ...content: readonly (Node | string)[]) => HTMLAnchorElement

/** The parameter that names what is open on top of the page; `project` and `group` are parts of the filter. */
const PARAMETERS = {
  risk: 'risk',
  issue: 'issue',
  person: 'person',
  project: 'project-view',
  group: 'group-view',
} as const

export const VIEW_NAMES: ReadonlySet<string> = new Set(Object.values(PARAMETERS))

export type Kind = keyof typeof PARAMETERS

const KINDS = Object.keys(PARAMETERS) as readonly Kind[]

/** What is open: a risk or an issue as `CORAL/R-1`, a person by e-mail, a project by key, a group by name; any by id. */
export interface View {
  readonly kind: Kind
  readonly name: string
}

/** The name of a risk or an issue in an address. */
export function entryName({ project, reference }: { project: { key: string }; reference: string }): string {
  return `${project.key}/${reference}`
}

export function viewIn(query: string): View | undefined {
  const given = new URLSearchParams(query)
  const views = KINDS.map((kind) => ({ kind, name: given.get(PARAMETERS[kind])?.trim() ?? '' }))
  return views.find(({ name }) => name !== '')
}

/** The address of the page as it is now, with another view on top or with none. */
function addressWith(view: View | undefined): string {
  const query = new URLSearchParams(location.search)
  for (const parameter of VIEW_NAMES) query.delete(parameter)
  // Legal in a query as they are, and easier to read.
  const name = view && encodeURIComponent(view.name).replaceAll('%2F', '/').replaceAll('%40', '@')
  const parts = [query.toString(), view && `${PARAMETERS[view.kind]}=${name}`].filter(Boolean)
  return `${location.pathname}${parts.length > 0 ? `?${parts.join('&')}` : ''}`
}

/** A link within the page, which can also be opened in a new tab and copied. */
export function anchor(href: string, go: () => void, ...content: readonly (Node | string)[]): HTMLAnchorElement {
  const follow = (event: Event) => {
    // The listener of a click gets a MouseEvent.
    const { button, metaKey, ctrlKey, shiftKey, altKey } = event as MouseEvent
    if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
    event.preventDefault()
    go()
  }
  return el('a', { href, onclick: follow }, ...content)
}

/** A link that opens a view. */
export function viewLink(kind: Kind, name: string, ...content: readonly (Node | string)[]): HTMLAnchorElement {
  return anchor(addressWith({ kind, name }), () => openView({ kind, name }), ...content)
}

/** Opens a view on top of the page. Its history entry counts those since the page itself, which Close goes back to. */
function openView(view: View): void {
  const depth = viewIn(location.search) ? history.state?.depth && history.state.depth + 1 : 1
  history.pushState({ depth }, '', addressWith(view))
  follow()
}

/** Only Back and Forward dispatch it by themselves. */
const follow = () => dispatchEvent(new PopStateEvent('popstate'))

/** Goes back to the page below the view; a view that a link from elsewhere has opened is taken out of the address. */
export function closeView(): void {
  if (!viewIn(location.search)) return
  const depth = history.state?.depth
  if (depth) history.go(-depth)
  else {
    history.replaceState(null, '', addressWith(undefined))
    follow()
  }
}

/** Names what is open as people know it. */
export function renameView(view: View): void {
  history.replaceState(history.state, '', addressWith(view))
}
