/**
 * What a failed job says beside its error, under the names that the public image worker uses or that pages look for.
 */
export type FailureFacts = {
  /** Each fault as a sentence. */
  readonly details?: readonly string[]
  /** Id of the node that is to blame. */
  readonly node?: string
  /** Its class. */
  readonly class?: string
  /** The input that is to blame. */
  readonly input?: string
  /** What is wrong there, in plain words. */
  readonly reason?: string
  /** The calls within the server that led there. */
  readonly traceback?: string
}

/** Why a job fails. The message is the job's error. */
export class BridgeFailure extends Error {
  readonly facts: FailureFacts

  constructor(message: string, facts: FailureFacts = {}, options?: ErrorOptions) {
    super(message, options)
    this.facts = facts
  }
}
