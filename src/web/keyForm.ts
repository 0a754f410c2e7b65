import { key } from './api.js'
import { el, replace } from './dom.js'
import { T } from './texts.js'

/** Asks for the key, once for each tab. */
export function keyForm(use: (secret: string) => void) {
  const input = el('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    placeholder: T.keyForm,
    'aria-describedby': 'key-help key-why',
  })
  const why = el('p', { id: 'key-why', class: 'why', role: 'alert' })
  const send = (event: Event) => {
    event.preventDefault()
    const secret = input.value.trim().replace(/^Bearer\s+/i, '')
    input.value = ''
    if (secret) use(secret)
  }
  const root = el(
    'form',
    { class: 'key', onsubmit: send },
    el('h2', {}, T.keyHeading),
    el('p', { id: 'key-help' }, T.keyHelp),
    el('label', { for: 'key' }, T.keyLabel),
    el('div', { class: 'row' }, input, el('button', { type: 'submit', class: 'main' }, T.keyUse)),
    why,
    el('p', { class: 'note' }, T.keyHow),
  )
  return {
    root,
    show(reason: string) {
      replace(why, reason)
      if (input.value === '') input.value = key.suggested
      input.focus()
    },
  }
}
