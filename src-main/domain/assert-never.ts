/** Ends a switch over a union: the compiler refuses a missing case, and a value from outside throws. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`)
}
