export type FailureFacts = {
  readonly details?: readonly string[]
  readonly node?: string
  readonly class?: string
  readonly input?: string
  readonly reason?: string
  readonly traceback?: string
}

export class BridgeFailure extends Error {
  readonly facts: FailureFacts

  constructor(message: string, facts: FailureFacts = {}, options?: ErrorOptions) {
    super(message, options)
    this.facts = facts
  }
}
