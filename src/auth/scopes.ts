export const SCOPES = {
  'personnel.read': 'Read the roster and its groups.',
  'personnel.manage': 'Change the roster and its groups; includes personnel.read.',
  'projects.read': 'Read projects, their risks and their open issues.',
  'projects.manage':
    'Sync project data; includes projects.read. With personnel.read, owners are matched with the roster.',
} as const

export type Scope = keyof typeof SCOPES

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[]

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

/** The one rule: a scope grants itself, and `x.manage` grants `x.read`. */
export function grants(held: ReadonlySet<Scope>, needed: Scope): boolean {
  if (held.has(needed)) return true
  const [area, action] = needed.split('.')
  return action === 'read' && held.has(`${area}.manage` as Scope)
}
