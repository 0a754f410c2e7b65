/** Texts that no response may contain. */
export const INSIDE: Readonly<Record<string, RegExp>> = {
  stack: /\bat (async )?[\w.<>[\] ]+ \((<anonymous>|native|\S+:\d+)|node:internal|node_modules|\.[cm]?[jt]s:\d+/,
  sql: /sqlite|\bselect\b.+\bfrom\b|insert into|no such (table|column)|constraint failed/i,
  file: /\/(tmp|home|work|root|usr|var|dist|src)\/|operations\.db/,
  key: /ops_[0-9A-Za-z]{30}/,
}
