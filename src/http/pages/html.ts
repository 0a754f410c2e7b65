const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Markup that may be put into a page as it is. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | readonly Part[] | undefined

/** A tagged template for HTML: values are escaped, unless they are `Html` themselves. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + shown(parts[index])).join(''))
}

function shown(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(shown).join('')
  return String(part).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}

/** Words in which backquotes mark code and line breaks are kept. */
export function words(text: string): Html {
  const parts = text.split(/`([^`]+)`/)
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
