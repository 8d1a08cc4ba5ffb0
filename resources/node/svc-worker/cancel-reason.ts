class CancelReason extends DOMException {
  constructor() {
    super('The job was cancelled.', 'AbortError')
  }
}

export const cancelReason = (): DOMException => new CancelReason()

/** True for the cancel reason itself and for errors derived from it. */
export function comesOfCancel(error: unknown): boolean {
  return error instanceof CancelReason || (error instanceof Error && error.cause instanceof CancelReason)
}
