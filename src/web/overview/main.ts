import { Away, base, hasGraphiql, key, Refused } from '../api.js'
import { el, replace } from '../dom.js'
import { forgetButton, keyForm } from '../keyForm.js'
import { hasEnded, isSignedIn } from '../signIn.js'
import { shownAge, shownMoment, shownTime, T } from '../texts.js'
import { anchor } from './address.js'
import type { Key, Overview, Past, Shown } from './data.js'
import { FIRST, grants, PAGE, readKey, readOverview, readPast, SHOWN_MAX, shownProjects } from './data.js'
import { viewPart } from './dialog.js'
import { type Filter, filterIn, queryOf, refuse, sinceOf } from './filter.js'
import { chosenInWords, filterPart } from './filterBar.js'
import { headlinePart, oldest } from './headline.js'
import { glossary, issuesPart, latePart, peoplePart, projectsPart } from './lists.js'
import { matrixPart } from './matrix.js'
import { movedPart, trendPart } from './past.js'
import { registerPart } from './register.js'
import { startPart } from './start.js'

const POLL_MS = 30_000

let filter = filterIn(location.search)
let shown: Shown = FIRST
/** The section to go to as soon as it is shown. */
let target = location.hash.slice(1)
let own: Key | undefined
/** What is on the page, each with the filter that it is of. */
let present: { readonly overview: Overview; readonly of: Filter } | undefined
let past: { readonly then: Past; readonly of: Filter } | undefined
let refreshedAt = 0
/** Rises with every refresh, so that a late response of an earlier one is dropped. */
let turn = 0
let wasTyped = false

const headline = headlinePart(link)
const filters = filterPart(choose)
const matrix = matrixPart(choose, link)
const moved = movedPart(link, showMore)
const trend = trendPart()
const register = registerPart(link, showMore, fail)
const issues = issuesPart(link, showMore, fail)
const late = latePart(link, showMore)
const projects = projectsPart(link, showMore)
const people = peoplePart(link, showMore, fail)
const start = startPart()
const ofPast = [moved.root, trend.root, late.root]
const view = viewPart(() => ({ link, day: sinceOf(filter), grants: (scope) => grants(own, scope) }), fail)
const form = keyForm(refresh)

const notice = el('div', { class: 'notice', role: 'status' })
const freshness = el('p', { class: 'freshness' })
const printHead = el('p', { class: 'print-only' })
const who = el('div', { class: 'who no-print' })
const page = el(
  'main',
  { id: 'main' },
  headline.root,
  filters.root,
  el('div', { class: 'columns top' }, el('div', { class: 'stack' }, matrix.root, trend.root), moved.root),
  register.root,
  el(
    'div',
    { class: 'rest' },
    el('div', { class: 'no-print' }, issues.root),
    late.root,
    el('div', { class: 'columns no-print' }, projects.root, people.groups),
    el('div', { class: 'no-print' }, people.roster),
    el('div', { class: 'no-print' }, glossary()),
  ),
)
const content = [...page.children]
const loading = el('p', { class: 'note', role: 'status' }, T.loading)
page.prepend(start.root, loading)
showOnly(loading)
const welcome = el('main', { id: 'main' }, form.root)

function showOnly(...parts: readonly Element[]): void {
  for (const one of page.children) one.toggleAttribute('hidden', !parts.includes(one))
}

document.body.append(
  el('a', { class: 'skip', href: '#main' }, T.skip),
  el(
    'header',
    {},
    el('div', { class: 'brand' }, el('h1', {}, T.product), freshness, printHead),
    el(
      'nav',
      { class: 'no-print', 'aria-label': T.apis },
      hasGraphiql && el('a', { href: `${base}/graphql` }, T.graphql),
      el('a', { href: `${base}/v1` }, T.rest),
      el('a', { href: `${base}/v1/openapi.json` }, T.openapi),
    ),
    who,
  ),
  notice,
  page,
  view.root,
)

function addressOf(chosen: Filter, to: string): string {
  return `${location.pathname}${queryOf(chosen)}${to && `#${to}`}`
}

/** A link that changes the filter: it can be opened in a new tab, and copied. */
function link(to: string, change: Partial<Filter>, ...content: readonly (Node | string)[]): HTMLAnchorElement {
  return anchor(addressOf({ ...filter, ...change }, to), () => choose(change, to), ...content)
}

/** Changes the filter; what is typed one letter after another is one step back. */
function choose(change: Partial<Filter>, to = '', isTyped = false): void {
  const how = isTyped && wasTyped ? 'replaceState' : 'pushState'
  wasTyped = isTyped
  filter = { ...filter, ...change }
  target = to
  history[how](null, '', addressOf(filter, to))
  filters.show(filter, present?.overview)
  void view.follow()
  refreshAnew()
}

addEventListener('popstate', () => {
  const next = filterIn(location.search)
  const isSame = queryOf(next) === queryOf(filter)
  void view.follow()
  // What is below a view stays as it is.
  if (isSame) return
  wasTyped = false
  filter = next
  refreshAnew()
})

function showMore(list: keyof Shown): void {
  shown = { ...shown, [list]: Math.min(shown[list] + PAGE, SHOWN_MAX) }
  // What is shown of the same filter is another one.
  filter = { ...filter }
  void refresh()
}

/** Marks what belongs to a filter that is no longer chosen, until what it is now is there. */
function refreshAnew(): void {
  shown = FIRST
  for (const one of [page, ...ofPast]) one.setAttribute('aria-busy', 'true')
  void refresh()
}

/** Reads everything anew; what has not changed costs a 304. */
async function refresh(): Promise<void> {
  turn += 1
  const mine = turn
  if (!key.current) return askForKey()
  try {
    const found = await readKey()
    if (mine !== turn) return
    own = found
    if (!grants(own, 'projects.read')) return askForKey(T.scopeMissing(T.liveRisks, 'projects.read'))
    const now = await readOverview(filter, shown, grants(own, 'personnel.read'))
    if (mine !== turn) return
    refreshedAt = Date.now()
    showPage(now)
    // Asked for only now: the past takes longer, and the page can be used without it.
    const then = await readPast(filter, shown, now)
    if (mine === turn) showPast(then)
  } catch (error) {
    if (mine !== turn) return
    if (!(error instanceof Refused) || !refuse(error.parameter, error.message, location.search)) return fail(error)
    filter = filterIn(location.search)
    void refresh()
  }
}

function showPage(now: Overview): void {
  if (welcome.isConnected) welcome.replaceWith(page)
  const isSame = now === present?.overview && present.of === filter
  present = { overview: now, of: filter }
  replace(notice)
  document.documentElement.classList.remove('old')
  page.setAttribute('aria-busy', 'false')
  showFreshness()
  if (isSame) return
  const isEmpty = now.projects.nodes.length === 0
  if (isEmpty) start.show(now)
  showOnly(...(isEmpty ? [start.root] : content))
  const whose = isSignedIn() ? T.signedInAs : T.keyOf
  replace(who, el('span', {}, whose(own?.name ?? '')), forgetButton(askForKey))
  filters.show(filter, now)
  for (const part of [headline, matrix, issues, projects, people]) part.show(now, filter, shown)
  register.show(now, filter, past?.of === filter ? past.then.movements.risks : undefined)
  void view.follow()
  goToTarget()
}

/** Goes to the section that a link names; by keyboard, one goes on from there. */
function goToTarget(): void {
  const heading = target && document.querySelector<HTMLElement>(`section#${CSS.escape(target)} h2`)
  target = ''
  if (!heading) return
  heading.focus({ preventScroll: true })
  heading.closest('section')?.scrollIntoView()
}

function showPast(then: Past): void {
  const isSame = then === past?.then && past.of === filter
  for (const one of ofPast) one.setAttribute('aria-busy', 'false')
  past = { then, of: filter }
  if (isSame || !present) return
  const { overview } = present
  register.show(overview, filter, then.movements.risks)
  for (const part of [moved, trend, late]) part.show(then, filter, overview, shown)
}

/** How old the data and the page are, and what else a printed page must say. */
function showFreshness(): void {
  const overview = present?.overview
  const data = overview && oldest(shownProjects(overview, filter))
  const asOf = data ? T.asOf(shownMoment(data.syncedAt), shownAge(data.syncedAt)) : T.neverSynced
  const words = chosenInWords(filter, overview).map(({ text }) => text)
  const printed = T.printed(shownMoment(new Date().toISOString()))
  const isOld = document.documentElement.classList.contains('old')
  const at = shownTime(refreshedAt)
  replace(freshness, `${asOf} · `, isOld ? el('strong', { class: 'overdue' }, T.oldSince(at)) : T.refreshed(at))
  replace(printHead, `${printed} · ${T.filterIs(words.join(', ') || T.everything)}`)
}

addEventListener('beforeprint', () => present && showFreshness())

function askForKey(why = ''): void {
  turn += 1
  own = undefined
  present = undefined
  past = undefined
  for (const one of [who, freshness, notice]) replace(one)
  document.documentElement.classList.remove('old')
  showOnly(loading)
  view.hide()
  if (page.isConnected) page.replaceWith(welcome)
  form.show(why)
}

/** A failed refresh leaves what is on the page, with a note. */
function fail(error: unknown): void {
  if (error instanceof Refused && [401, 403].includes(error.status)) {
    const isOver = error.status === 401
    const token = hasEnded() ? T.signInOver : T.signInNotTaken(error.message)
    const why = isSignedIn() ? token : T.keyWrong
    if (isOver) key.forget()
    askForKey(isOver ? why : error.message)
    return
  }
  const isOld = error instanceof Away || present?.of !== filter
  const why = error instanceof Error ? error.message : String(error)
  const away = present ? T.away(why, shownTime(refreshedAt), present.of === filter) : why
  replace(notice, el('p', {}, error instanceof Away ? away : T.failed(why)))
  for (const one of page.querySelectorAll('.loading')) one.remove()
  filters.show(filter, present?.overview)
  document.documentElement.classList.toggle('old', present !== undefined && isOld)
  if (present) showFreshness()
  // Without the filter bar, a filter that is refused could not be removed.
  else showOnly(...(error instanceof Away ? [] : [filters.root]))
}

/** Not while a form for the key is shown: it would lose the focus. */
function refreshShown(): void {
  if (document.visibilityState === 'visible' && page.isConnected && key.current) void refresh()
}

setInterval(refreshShown, POLL_MS)
for (const change of ['online', 'offline']) addEventListener(change, refreshShown)
document.addEventListener('visibilitychange', () => Date.now() - refreshedAt > POLL_MS && refreshShown())

// Back, to a page from before signing in, which the browser has kept as it was.
addEventListener('pageshow', ({ persisted }) => persisted && void refresh())

void refresh()
