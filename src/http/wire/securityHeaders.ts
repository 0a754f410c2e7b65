/** The security headers of every response: no MIME sniffing, no framing, no referrer. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}

/** Defaults that a response may override: not cached, and no script or resource may load. */
export const DEFAULT_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

const DEFAULT_ENTRIES = Object.entries(DEFAULT_HEADERS)
const SECURITY_LIST = Object.entries(SECURITY_HEADERS).flat()

/** Adds these headers, as a flat list of names and values: spreading them into one object takes far longer. */
export function withSecurityHeaders(headers: Readonly<Record<string, string>>): string[] {
  const list: string[] = []
  for (const [name, value] of DEFAULT_ENTRIES) if (!(name in headers)) list.push(name, value)
  for (const name in headers) if (!(name in SECURITY_HEADERS)) list.push(name, headers[name] ?? '')
  list.push(...SECURITY_LIST)
  return list
}
