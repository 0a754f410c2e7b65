/** Whether a store's address is that of a PostgreSQL database. */
export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database)
}

/** The file of a store's address, such as `file:./data/operations.db`. */
export function fileOf(database: string): string {
  return database.replace(/^file:(\/\/(?=\/))?/, '')
}

/** A store's address as it may be shown: a file as its path, a database without its password. */
export function shownAddress(database: string): string {
  if (!isPostgres(database)) return fileOf(database)
  // Whatever stands before the last @, or in a parameter, may be a password.
  const end = database.lastIndexOf('@')
  const [user = ''] = end < 0 ? [] : database.replace(/^\w+:\/\//, '').split(/[:@]/)
  const place = (end < 0 ? database.replace(/^\w+:\/\//, '') : database.slice(end + 1)).replace(/\?.*$/s, '')
  return `postgres://${user && `${user}@`}${place}`
}
