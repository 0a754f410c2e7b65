/** The headers of every answer, whatever it is: nobody is to guess its type, frame it, or tell others where it was. */
export const GUARDS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}
/** Where a page says nothing else, nothing in it is to be loaded or run. */
export const NO_CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'"
