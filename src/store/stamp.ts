/** Now, or when the last change was recorded: a clock that steps back must not hide a change from who asks since then. */
export function stampAfter(last: unknown, now: Date): string {
  const stamp = now.toISOString()
  return typeof last === 'string' && last > stamp ? last : stamp
}
