import { Away, Refused } from '../api.js'
import { button, el, given, remark, replace } from '../dom.js'
import { T } from '../texts.js'
import { closeView, renameView, type View, viewIn } from './address.js'
import { readGroup } from './views/group.js'
import { readIssue } from './views/issue.js'
import type { Content, Reader } from './views/parts.js'
import { readPerson } from './views/person.js'
import { readProject } from './views/project.js'
import { readRisk } from './views/risk.js'

/** Each reads what a view shows; undefined if it does not exist. */
const READS = { risk: readRisk, issue: readIssue, person: readPerson, project: readProject, group: readGroup }

/** The frame of the views: a dialog on top of the page, which follows the address. */
export function viewPart(reader: () => Reader, fail: (error: unknown) => void) {
  const place = el('p', { class: 'meta' })
  const title = el('h2', { id: 'view-title', tabindex: -1 })
  const body = el('div', { class: 'body' })
  const close = button({ class: 'quiet', onclick: () => root.close() }, T.close)
  const root: HTMLDialogElement = el(
    'dialog',
    { 'aria-labelledby': 'view-title', onclick: closeOutside, onclose: () => current && closeView() },
    el('div', { class: 'frame' }, el('div', { class: 'head' }, place, close), title, body),
  )
  let current: View | undefined
  let opener: HTMLAnchorElement | undefined

  /** A click on the backdrop is a click on the dialog itself. */
  function closeOutside(event: Event): void {
    if (event.target === root) root.close()
  }

  /** Leaves the page below where it is: the fragment of its address would move it, and take the focus. */
  function uncover(): void {
    const [top, before] = [scrollY, opener]
    current = undefined
    document.title = T.documentTitle
    root.close()
    requestAnimationFrame(() => {
      scrollTo(0, top)
      // A refresh may have replaced it.
      const links = [...document.querySelectorAll<HTMLAnchorElement>('main a')]
      const same = before?.isConnected ? before : links.find(({ href }) => href === before?.href)
      same?.focus({ preventScroll: true })
    })
  }

  /** Shows what the address names; again, if it is shown already. */
  async function follow(): Promise<void> {
    const view = viewIn(location.search)
    if (!view) return current && uncover()
    const isShown = view.kind === current?.kind && view.name === current.name
    if (!isShown) showEmpty()
    current = view
    try {
      const content = await READS[view.kind](view.name, reader())
      if (current !== view) return
      if (content) showContent(view, content)
      else showProblem(T.notThere(T.kinds[view.kind] ?? '', view.name))
    } catch (error) {
      if (current !== view) return
      if (!(error instanceof Away) && !(error instanceof Refused && error.status !== 401)) fail(error)
      // What is shown already is marked as old by the page.
      else if (!isShown) showProblem(error.message)
    }
  }

  function showEmpty(): void {
    replace(place)
    replace(title, T.loading)
    replace(body)
    // What had the focus is gone.
    if (root.open) title.focus()
    if (root.open) return
    opener = document.activeElement instanceof HTMLAnchorElement ? document.activeElement : undefined
    root.showModal()
  }

  function showContent(view: View, content: Content): void {
    if (content.name !== view.name) {
      current = { kind: view.kind, name: content.name }
      renameView(current)
    }
    document.title = `${content.title} · ${T.product}`
    replace(place, ...(content.place ?? [T.kinds[view.kind]]))
    replace(title, given(content.title))
    replace(body, ...content.parts)
  }

  function showProblem(sentence: string): void {
    replace(title, T.notShown)
    replace(body, remark(sentence))
  }
  /** Until whoever looked at it is known again: the address still names it. */
  function hide(): void {
    current = undefined
    root.close()
  }
  return { root, follow, hide }
}
