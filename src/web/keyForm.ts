import { key } from './api.js'
import { button, el, remark, replace } from './dom.js'
import { hasSignIn, isSignedIn, signIn, signOut } from './signIn.js'
import { T } from './texts.js'

/** Asks for the key, once for each tab, or lets people sign in; then they go on at `to`, or where they are. */
export function keyForm(goOn: () => void, to?: string) {
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
    if (!secret) return
    key.keep(secret)
    goOn()
  }
  const use = el('button', { type: 'submit', class: hasSignIn ? undefined : 'main' }, T.keyUse)
  const account = el('div', { class: 'account' })
  const showAccount = () => replace(account, ...(hasSignIn ? accountParts() : []))
  const accountParts = () => [el('h2', {}, T.signIn), el('p', {}, T.signInHelp), signInButton(why, to)]
  const root = el(
    'form',
    { class: 'key', onsubmit: send },
    why,
    account,
    el('h2', {}, hasSignIn ? T.keyInstead : T.keyHeading),
    el('p', { id: 'key-help' }, T.keyHelp),
    el('label', { for: 'key' }, T.keyLabel),
    el('div', { class: 'row' }, input, use),
    remark(T.keyHow),
  )
  showAccount()
  return {
    root,
    show(reason: string) {
      replace(why, reason)
      showAccount()
      if (input.value === '') input.value = key.suggested
      ;(account.querySelector('button') ?? input).focus()
    },
  }
}

/** Forgets the key, or signs out. */
export function forgetButton(askAgain: () => void): HTMLButtonElement {
  const forget = () => {
    if (signOut()) return
    key.forget()
    askAgain()
  }
  return button({ class: 'quiet', onclick: forget }, isSignedIn() ? T.signOut : T.keyForget)
}

/** Signs in; or out, for who has signed in and may not see what they asked for. */
export function signInButton(why: Element, to?: string): HTMLButtonElement {
  if (isSignedIn()) return button({ class: 'main', onclick: () => signOut() || location.reload() }, T.signOut)
  // Browsers have the digest of PKCE only in a secure context.
  const begin = () =>
    isSecureContext ? void signIn(to).catch(() => replace(why, T.signInAway)) : replace(why, T.signInInsecure)
  return button({ class: 'main', onclick: begin }, T.signIn)
}
