import { read } from '../api.js'
import { button, el, given, remark, replace } from '../dom.js'
import { fieldName, shownDay, shownMoment, T } from '../texts.js'
import type { Issue } from './data.js'
import { chip } from './levels.js'

type Body = Readonly<Record<string, unknown>>

interface Change {
  readonly action: string
  readonly recordedAt: string
  readonly fields: readonly { readonly field: string; readonly from: string | null; readonly to: string | null }[]
}

interface Page<Entry> {
  readonly data: readonly Entry[]
}

/** Shown in the head of the dialog, or of no use to a reader. */
const LEFT_OUT = new Set(['title', 'reference', 'project', 'score', 'level', 'url'])

/** Everything about one risk, in a dialog. */
export function riskDialog(fail: (error: unknown) => void) {
  const content = el('div', { class: 'body' })
  const close = button({ class: 'quiet', onclick: () => root.close() }, T.close)
  const root: HTMLDialogElement = el(
    'dialog',
    { 'aria-labelledby': 'risk-title', onclick: closeOutside },
    el('div', { class: 'frame' }, content, el('p', { class: 'tools' }, close)),
  )

  /** A click on the backdrop is a click on the dialog itself. */
  function closeOutside(event: Event): void {
    if (event.target === root) root.close()
  }

  async function open(id: string): Promise<void> {
    replace(content, el('h2', { id: 'risk-title' }, T.loading))
    if (!root.open) root.showModal()
    try {
      const [risk, issues, history] = await Promise.all([
        read<Body>(`/v1/risks/${encodeURIComponent(id)}`),
        read<Page<Issue>>(`/v1/issues?risk=${encodeURIComponent(id)}&limit=100`),
        read<Page<Change>>(`/v1/risks/${encodeURIComponent(id)}/history?limit=1000`),
      ])
      replace(content, ...head(risk), fieldsOf(risk), ...issuesOf(issues.data), ...historyOf(history.data))
    } catch (error) {
      root.close()
      fail(error)
    }
  }
  return { root, open }
}

function head(risk: Body): HTMLElement[] {
  const { key, name } = risk['project'] as { key: string; name: string }
  const url = risk['url']
  return [
    el('p', { class: 'meta' }, given(String(risk['reference'])), ` · ${key} · `, given(name)),
    el('h2', { id: 'risk-title' }, given(String(risk['title']))),
    el(
      'p',
      {},
      chip(String(risk['level']), Number(risk['score'])),
      // The API lets only http and https links in.
      typeof url === 'string' && el('a', { class: 'source', href: url, rel: 'noreferrer' }, T.openSource),
    ),
  ]
}

function fieldsOf(risk: Body): HTMLElement {
  const lines = Object.entries(risk)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => el('div', {}, el('dt', {}, fieldName(name)), el('dd', {}, ...shown(value, name))))
  return el('dl', { class: 'fields' }, ...lines)
}

/** A value of a field: also the pairs of `details`, and objects such as an owner. */
function shown(value: unknown, field: string): Node[] {
  if (Array.isArray(value)) return value.map((one) => el('div', {}, ...shown(one, field)))
  if (value !== null && typeof value === 'object') {
    const { name, text, value: inner } = value as Body
    const parts = [name, text ?? inner].filter((one) => one !== undefined && one !== null)
    return [given(parts.map(String).join(': '))]
  }
  return [given(plain(value, field))]
}

/** The words of fields that are enums. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: T.statuses,
  response: T.responses,
  residualLevel: T.levels,
}

function plain(value: unknown, field: string): string {
  const text = String(value ?? T.nothing)
  const word = WORDS[field]?.[text]
  if (word) return word
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return shownDay(text)
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return shownMoment(text)
  return text
}

function issuesOf(issues: readonly Issue[]): HTMLElement[] {
  const items = issues.map(({ severity, title, reference }) =>
    el('li', {}, chip(severity), ' ', given(title), el('span', { class: 'meta' }, ' ', given(reference))),
  )
  const list = items.length === 0 ? remark(T.noneCaused) : el('ul', { class: 'plain' }, ...items)
  return [el('h3', {}, T.caused), list]
}

function historyOf(changes: readonly Change[]): HTMLElement[] {
  const items = [...changes].reverse().map(({ action, recordedAt, fields }) => {
    // A new risk has all of its fields above.
    const changed = action === 'CREATED' ? [] : fields
    const lines = changed.map(({ field, from, to }) =>
      el('li', {}, given(T.historyLine(fieldName(field), plain(from, field), plain(to, field)))),
    )
    return el(
      'li',
      {},
      el('time', { datetime: recordedAt }, shownMoment(recordedAt)),
      `: ${T.actions[action] ?? action}`,
      lines.length > 0 && el('ul', {}, ...lines),
    )
  })
  return [el('h3', {}, T.history), el('ul', { class: 'plain history' }, ...items)]
}
