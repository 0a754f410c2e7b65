import { Away, base, key, Refused, send } from '../api.js'
import { el, replace } from '../dom.js'
import { keyForm } from '../keyForm.js'
import { T } from '../texts.js'

/** Longer responses are cut: the page is for reading. */
const SHOWN_CHARACTERS = 50_000

/** The address of this service, where the examples have a placeholder for it. */
for (const code of document.querySelectorAll('pre code')) {
  code.textContent = code.textContent?.replace('$BASE_URL', `${location.origin}${base}`) ?? ''
}

const place = document.getElementById('key-place')
const form = keyForm((secret) => {
  key.keep(secret)
  showKey()
})

function showKey(reason = ''): void {
  if (!place) return
  if (key.current) {
    replace(place, el('p', {}, `${T.keyKept} `, el('button', { onclick: forget }, T.keyForget)))
    return
  }
  replace(place, form.root)
  if (reason) form.show(reason)
}

function forget(): void {
  key.forget()
  showKey()
}

async function run(path: string): Promise<string> {
  const response = await send(path, { headers: { accept: '*/*' } })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
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
    if (!key.current) {
      showKey(T.keyFirst)
      return
    }
    const text = await run(input.value.trim()).catch((error: unknown) => {
      if (error instanceof Refused) return `${error.status}\n${error.message}`
      return error instanceof Away ? T.unreachable : String(error)
    })
    replace(output, el('pre', { tabindex: 0, role: 'group', 'aria-label': T.runResponse }, el('code', {}, text)))
  })
}

showKey()
