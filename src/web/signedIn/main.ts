import { el } from '../dom.js'
import { keyForm } from '../keyForm.js'
import { finishSignIn } from '../signIn.js'
import { T } from '../texts.js'

const { to, why } = await finishSignIn()

// The response of the provider leaves the history, so that Back does not come here.
const goOn = () => location.replace(`${location.origin}${to}`)

if (why === undefined) goOn()
else {
  const form = keyForm(goOn, to)
  document.body.append(
    el('header', {}, el('div', { class: 'brand' }, el('h1', {}, T.product))),
    el('main', { id: 'main' }, form.root),
  )
  form.show(why)
}
