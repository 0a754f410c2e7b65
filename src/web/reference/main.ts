import { Away, base, key, Refused, read, send } from '../api.js'
import { el, replace } from '../dom.js'
import { forgetButton, keyForm } from '../keyForm.js'
import { isSignedIn } from '../signIn.js'
import { T } from '../texts.js'

/** Longer responses are cut: the page is for reading. */
const SHOWN_CHARACTERS = 50_000

/** The address of this service, where the examples have a placeholder for it. */
for (const code of document.querySelectorAll('pre code')) {
  code.textContent = code.textContent?.replace('$BASE_URL', `${location.origin}${base}`) ?? ''
}

const place = document.getElementById('key-place')
const form = keyForm(showKey)

function showKey(reason = ''): void {
  if (!place) return
  if (key.current) {
    void fillSamples()
    replace(place, el('p', {}, `${isSignedIn() ? T.signInKept : T.keyKept} `, forgetButton(showKey)))
    return
  }
  replace(place, form.root)
  if (reason) form.show(reason)
}

type Sample = { readonly id: string; readonly project?: { readonly key: string } } & Readonly<
  Partial<Record<'key' | 'reference', string>>
>

/** The first entry of a list; undefined if there is none, or the key may not read it. */
async function firstOf(list: string): Promise<[string, Sample | undefined]> {
  const { data } = await read<{ data: readonly Sample[] }>(`/v1/${list}?limit=1`).catch(() => ({ data: [] }))
  return [list, data[0]]
}

/** Puts what exists in place of the names in paths, so that a request runs as it stands; not where it would be deleted. */
async function fillSamples(): Promise<void> {
  const first = new Map(await Promise.all(['personnel', 'groups', 'projects', 'risks', 'issues'].map(firstOf)))
  const filled = (path: string) =>
    path.replace(/\/v1\/(\w+)\/\{\w+\}(?:\/(\w+)(?:\/\{(\w+)\})?)?/, (whole, list: string, inner = '', name = '') => {
      const entry = name === 'reference' ? first.get(inner) : first.get(name === 'personId' ? 'personnel' : inner)
      const owner = list === 'projects' ? (entry?.project?.key ?? first.get(list)?.key) : first.get(list)?.id
      const member = name === 'reference' ? entry?.reference : name && entry?.id
      if (!owner || member === undefined) return whole
      return [`/v1/${list}/${owner}`, inner, member && encodeURIComponent(member)].filter(Boolean).join('/')
    })
  for (const one of document.querySelectorAll<HTMLFormElement>('form[data-run]:not([data-method="DELETE"])')) {
    const input = one.querySelector('input')
    if (input) input.value = filled(input.value)
    const curl = one.previousElementSibling?.querySelector('code')
    if (curl) curl.textContent = filled(curl.textContent ?? '')
  }
}

async function run(path: string, form: HTMLFormElement): Promise<string> {
  const body = form.querySelector('textarea')
  const headers = { accept: '*/*', ...(body && { 'content-type': body.dataset['type'] ?? '' }) }
  const response = await send(path, { method: form.dataset['method'] ?? 'GET', headers, body: body?.value ?? null })
  const text = await response.text()
  const isJson = text !== '' && response.headers.get('content-type')?.includes('json')
  const shown = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text
  const more = shown.length > SHOWN_CHARACTERS ? `\n${T.runCut}` : ''
  return `${response.status}\n${shown.slice(0, SHOWN_CHARACTERS)}${more}`
}

for (const one of document.querySelectorAll<HTMLFormElement>('form[data-run]')) {
  const input = one.querySelector('input')
  const output = one.querySelector('output')
  one.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (!input || !output) return
    if (!key.current) return showKey(T.keyFirst)
    const text = await run(input.value.trim(), one).catch((error: unknown) => {
      if (error instanceof Refused) return `${error.status}\n${error.message}`
      return error instanceof Away ? error.message : String(error)
    })
    replace(output, el('pre', { tabindex: 0, role: 'group', 'aria-label': T.runResponse }, el('code', {}, text)))
  })
}

showKey()
