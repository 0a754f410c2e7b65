type Children = readonly (Node | string | number | null | undefined | false)[]

type Attributes = Readonly<Record<string, string | number | boolean | undefined | EventListener>>

/** An element with attributes, listeners (`onclick`) and children; texts become text nodes, never markup. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  ...children: Children
): HTMLElementTagNameMap[Tag] {
  return filled(document.createElement(tag), attributes, children)
}

export function svg(tag: 'svg' | 'rect' | 'path', attributes: Attributes, ...children: Children): SVGElement {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}

function filled<E extends Element>(element: E, attributes: Attributes, children: Children): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(typeof child === 'number' ? String(child) : child)
    }
  }
  return element
}

export function button(attributes: Attributes, ...children: Children): HTMLButtonElement {
  return el('button', { type: 'button', ...attributes }, ...children)
}

/** A sentence in small print. */
export function remark(...sentence: Children): HTMLElement {
  return el('p', { class: 'note' }, ...sentence)
}

/** Text that only screen readers get. */
export function spoken(text: string): HTMLElement {
  return el('span', { class: 'spoken' }, text)
}

/** A text of unknown direction, such as a title. */
export function given(text: string): HTMLElement {
  return el('bdi', {}, text)
}

/** Replaces the children, but keeps the focus and what was opened. */
export function replace(parent: Element, ...children: Children): void {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null
  const opened = [...parent.querySelectorAll('details[open]')].map(({ id }) => id)
  parent.replaceChildren()
  filled(parent, {}, children)
  for (const id of opened) document.getElementById(id)?.setAttribute('open', '')
  if (focused && !focused.isConnected) focusAgain(parent, focused)
}

/** Focuses what has the same id or leads to the same place; else the beginning of that part of the page. */
function focusAgain(parent: Element, before: Element): void {
  const links = parent.querySelectorAll('a')
  const same = before.id
    ? document.getElementById(before.id)
    : [...links].find(({ href }) => before instanceof HTMLAnchorElement && href === before.href)
  const part = parent.closest('section, .filters')
  ;(same ?? part?.querySelector<HTMLElement>('h2, input'))?.focus({ preventScroll: true })
}

/** A section of the page, named by its heading. */
export function section(id: string, heading: string, ...tools: Children) {
  const body = el('div', { class: 'body' })
  const head = el('div', { class: 'head' }, el('h2', { id: `${id}-heading`, tabindex: -1 }, heading), ...tools)
  return { root: el('section', { id, 'aria-labelledby': `${id}-heading` }, head, body), body }
}
