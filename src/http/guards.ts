/** The headers of every answer, whatever it is: nobody is to guess its type, frame it, or tell others where it was. */
export const GUARDS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}

/** The headers of every answer that does not say otherwise: nobody keeps it, and nothing in it is to be loaded or run. */
export const DEFAULTS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

const DEFAULT_ENTRIES = Object.entries(DEFAULTS)
const GUARD_LIST = Object.entries(GUARDS).flat()

/** The headers of an answer with these, each name with its value behind it; spread into one object they take far longer. */
export function withGuards(headers: Readonly<Record<string, string>>): string[] {
  const list: string[] = []
  for (const [name, value] of DEFAULT_ENTRIES) if (!(name in headers)) list.push(name, value)
  for (const name in headers) if (!(name in GUARDS)) list.push(name, headers[name] ?? '')
  list.push(...GUARD_LIST)
  return list
}
