/** The ports of targets: the records of deploys to them, and requests that go there. */

/** An environment of an app on a target. */
export type TargetPlace = { readonly target: string; readonly app: string; readonly environment: string }

/** A deploy that worked. `manifest` is JSON text; `createdAt` is wall ms. */
export type StoredTargetDeploy = {
  readonly number: number
  readonly build: string
  readonly artifact: string
  readonly manifest: string
  readonly rollbackOf: number | null
  readonly createdAt: number
}

/** Deploys that worked. Methods that write are called inside a Writer's work only. */
export type TargetDeployStore = {
  /** Newest first. */
  readonly list: (place: TargetPlace) => readonly StoredTargetDeploy[]
  /** Adds one under the next number, which it gives; the newest `keep` of the place stay. */
  readonly add: (place: TargetPlace, deploy: Omit<StoredTargetDeploy, 'number'>, keep: number) => number
  /** Forgets the deploys to a place. */
  readonly forgetPlace: (place: TargetPlace) => void
  /** Forgets all deploys to a target. */
  readonly forget: (target: string) => void
}

/** The rest of a file, as a body. */
export type FileBody = {
  readonly file: string
  /** Bytes to leave out at its beginning. */
  readonly from: number
  /** Is told how many bytes of the file were read for sending, those left out included. */
  readonly onSent: (bytes: number) => void
}

/** A request to a target. */
export type TargetRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | FileBody
  /** The only host that may be at a private address: the one that the user named. */
  readonly trustedHost: string
  readonly signal: AbortSignal
}

/**
 * Sends a request to a target; redirects are not followed, and what is too long of the answer is cut off.
 * @throws Error with the reason, where no answer came
 */
export type SendToTarget = (request: TargetRequest) => Promise<{ readonly status: number; readonly text: string }>
