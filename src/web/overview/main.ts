import { Away, base, hasGraphiql, key, Refused } from '../api.js'
import { button, el, replace } from '../dom.js'
import { keyForm } from '../keyForm.js'
import { shownAge, shownMoment, shownTime, T } from '../texts.js'
import {
  FIRST,
  grants,
  type Key,
  type Overview,
  PAGE,
  type Past,
  readKey,
  readOverview,
  readPast,
  SHOWN_MAX,
  type Shown,
  shownProjects,
} from './data.js'
import { riskDialog } from './dialog.js'
import { type Filter, filterIn, queryOf } from './filter.js'
import { filterPart, wordsOf } from './filterBar.js'
import { headlinePart, oldest } from './headline.js'
import { issuesPart, peoplePart, projectsPart } from './lists.js'
import { matrixPart } from './matrix.js'
import { movedPart, trendPart } from './past.js'
import { registerPart } from './register.js'

const POLL_MS = 30_000

let filter = filterIn(location.search)
let shown: Shown = FIRST
/** The section to go to as soon as it is shown. */
let target = location.hash.slice(1)
let own: Key | undefined
let overview: Overview | undefined
let past: Past | undefined
let refreshedAt = 0
/** Rises with every refresh, so that a late response of an earlier one is dropped. */
let turn = 0

const headline = headlinePart(link)
const filters = filterPart(choose)
const matrix = matrixPart(choose, link)
const moved = movedPart(link, showMore, openRisk)
const trend = trendPart()
const register = registerPart({ link, open: openRisk, more: showMore, fail })
const issues = issuesPart(link, showMore)
const projects = projectsPart(link, showMore)
const people = peoplePart(link, showMore)
const dialog = riskDialog(fail)
const form = keyForm((secret) => {
  key.keep(secret)
  void refresh()
})

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
    { class: 'rest no-print' },
    issues.root,
    el('div', { class: 'columns' }, projects.root, people.groups),
    people.roster,
  ),
)
const welcome = el('main', { id: 'main' }, form.root)

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
  dialog.root,
)

function addressOf(chosen: Filter, to: string): string {
  return `${location.pathname}${queryOf(chosen)}${to && `#${to}`}`
}

/** A link that changes the filter: it can be opened in a new tab, and copied. */
function link(to: string, change: Partial<Filter>, ...content: readonly (Node | string)[]): HTMLAnchorElement {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    choose(change, to)
  }
  const href = addressOf({ ...filter, ...change }, to)
  // The listener of a click gets a MouseEvent.
  return el('a', { href, onclick: (event) => follow(event as MouseEvent) }, ...content)
}

function choose(change: Partial<Filter>, to = ''): void {
  filter = { ...filter, ...change }
  shown = FIRST
  target = to
  history.pushState(null, '', addressOf(filter, to))
  filters.show(filter, overview)
  void refresh()
}

addEventListener('popstate', () => {
  filter = filterIn(location.search)
  shown = FIRST
  void refresh()
})

function openRisk(id: string): void {
  void dialog.open(id)
}

function showMore(list: keyof Shown): void {
  shown = { ...shown, [list]: Math.min(shown[list] + PAGE, SHOWN_MAX) }
  // What is shown of the same filter is another one.
  filter = { ...filter }
  void refresh()
}

/** Reads everything anew; what has not changed costs a 304. */
async function refresh(): Promise<void> {
  turn += 1
  const mine = turn
  if (!key.current) return askForKey('')
  try {
    own = await readKey()
    if (!grants(own, 'projects')) return askForKey(T.scopeMissing(T.liveRisks, 'projects.read'))
    const now = await readOverview(filter, shown, grants(own, 'personnel'))
    if (mine !== turn) return
    refreshedAt = Date.now()
    showPage(now)
    // Asked for only now: the past takes longer, and the page can be used without it.
    const then = await readPast(filter, shown, now)
    if (mine === turn) showPast(then)
  } catch (error) {
    if (mine === turn) fail(error)
  }
}

function showPage(now: Overview): void {
  if (welcome.isConnected) welcome.replaceWith(page)
  const isSame = now === overview && shownFilter === filter
  ;[overview, shownFilter] = [now, filter]
  replace(notice)
  showFreshness()
  if (isSame) return
  const forgetting = button({ class: 'quiet', onclick: forget }, T.keyForget)
  replace(who, el('span', {}, T.keyOf(own?.name ?? '')), forgetting)
  filters.show(filter, now)
  headline.show(now, filter)
  matrix.show(now.riskMatrix, filter)
  register.show(now, filter, past?.movements.risks ?? [])
  issues.show(now, filter)
  projects.show(now, filter, shown)
  people.show(now, shown)
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
  const isSame = then === past && pastFilter === filter
  ;[past, pastFilter] = [then, filter]
  if (isSame || !overview) return
  register.show(overview, filter, then.movements.risks)
  moved.show(then, filter, overview, shown)
  trend.show(then, filter, overview)
}

/** The filters of what is on the page. */
let shownFilter: Filter | undefined
let pastFilter: Filter | undefined

/** How old the data and the page are, and what else a printed page must say. */
function showFreshness(): void {
  const data = overview && oldest(shownProjects(overview, filter))
  const asOf = data ? T.asOf(shownMoment(data.syncedAt), shownAge(data.syncedAt)) : T.neverSynced
  const words = wordsOf(filter, overview).map(({ text }) => text)
  replace(freshness, `${asOf} · ${T.refreshed(shownTime(refreshedAt))}`)
  replace(
    printHead,
    `${T.printed(shownMoment(new Date().toISOString()))} · ${T.filterIs(words.join(', ') || T.everything)}`,
  )
}

addEventListener('beforeprint', () => overview && showFreshness())

function forget(): void {
  key.forget()
  askForKey('')
}

function askForKey(why: string): void {
  turn += 1
  own = undefined
  overview = undefined
  past = undefined
  shownFilter = undefined
  pastFilter = undefined
  replace(who)
  replace(freshness)
  replace(notice)
  if (page.isConnected) page.replaceWith(welcome)
  form.show(why)
}

/** A failed refresh leaves what is on the page, with a note. */
function fail(error: unknown): void {
  if (error instanceof Refused && [401, 403].includes(error.status)) {
    askForKey(error.message)
    return
  }
  const away = overview ? T.away(shownTime(refreshedAt)) : T.unreachable
  const why = error instanceof Error ? error.message : String(error)
  replace(notice, el('p', {}, error instanceof Away ? away : T.failed(why)))
  for (const one of page.querySelectorAll('.loading')) one.remove()
  filters.show(filter, overview)
}

setInterval(() => {
  if (document.visibilityState === 'visible' && key.current) void refresh()
}, POLL_MS)

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && Date.now() - refreshedAt > POLL_MS && key.current) void refresh()
})

void refresh()
