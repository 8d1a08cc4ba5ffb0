/** The port of secrets: named values that are encrypted at rest. */

/** A secret without its value. `updatedAt` is wall ms. */
export type SecretName = { readonly name: string; readonly updatedAt: number }

/** Named secrets, apart by scope. Values go nowhere but to whoever uses them: not into answers, not into logs. */
export type SecretStore = {
  /** Stores or replaces a secret; to be called inside a Writer's work only. */
  readonly put: (scope: string, name: string, value: string, now: number) => void
  /**
   * The value; undefined where there is none.
   * @throws AppError SECRET_LOST when the key that it was sealed with is gone
   */
  readonly get: (scope: string, name: string) => string | undefined
  /** In the order of their names. */
  readonly list: (scope: string) => readonly SecretName[]
  /** Returns whether there was one; to be called inside a Writer's work only. */
  readonly remove: (scope: string, name: string) => boolean
  /** Scopes that begin with this, in order. */
  readonly scopes: (prefix: string) => readonly string[]
  /** Removes all secrets of a scope; to be called inside a Writer's work only. */
  readonly removeScope: (scope: string) => void
}
