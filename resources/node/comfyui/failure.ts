import type { LostServer } from '../../../src-main/features/workflows/rules/lost-server.ts'

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

/** The server is gone, or has been restarted and forgotten the prompt: another one may run the job. */
export class ServerLost extends BridgeFailure {
  readonly when: LostServer

  constructor(when: LostServer, message: string, cause?: unknown) {
    super(message, {}, cause === undefined ? undefined : { cause })
    this.when = when
  }
}
