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
