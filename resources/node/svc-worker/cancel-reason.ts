/** Why a job's signal is aborted, to be known again where it comes back as an error. */

class CancelReason extends DOMException {
  constructor() {
    super('The job was cancelled.', 'AbortError')
  }
}

/** Makes the reason of one cancel. */
export const cancelReason = (): DOMException => new CancelReason()

/** Whether an error is the answer of something to a cancel: the reason itself, or an error that was made of it. */
export function comesOfCancel(error: unknown): boolean {
  return error instanceof CancelReason || (error instanceof Error && error.cause instanceof CancelReason)
}
