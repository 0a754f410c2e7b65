export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database)
}

/** The path of a SQLite address such as `file:./data/operations.db`. */
export function fileOf(database: string): string {
  return database.replace(/^file:(\/\/(?=\/))?/, '')
}

/** The address for display: a file as its path, a PostgreSQL URL without its password. */
export function shownAddress(database: string): string {
  if (!isPostgres(database)) return fileOf(database)
  // Anything before the last @, or in a query parameter, may be a password.
  const end = database.lastIndexOf('@')
  const [user = ''] = end < 0 ? [] : database.replace(/^\w+:\/\//, '').split(/[:@]/)
  const place = (end < 0 ? database.replace(/^\w+:\/\//, '') : database.slice(end + 1)).replace(/\?.*$/s, '')
  return `postgres://${user && `${user}@`}${place}`
}
