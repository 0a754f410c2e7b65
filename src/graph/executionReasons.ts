/** Why an operation is executed and not compiled, as the metrics count it. */
export type ExecutionReason =
  | 'mutation'
  | 'introspection'
  | 'scope'
  | 'bad_input'
  | 'bounds'
  | 'not_compilable'
  | 'failed'
  | 'switched_off'
