/**
 * The names of the platform's images of its Python runtime, like `runpod/queue-gpu:py3.12-latest`. They are not pulled:
 * an endpoint that asks for one runs our runtime, and its answer names the image that was asked for. Source: the
 * public Python package, which makes these names; ours for the stand-in.
 */

/** What a runtime serves: jobs of a queue, HTTP requests, or one call of a task. */
const RUNTIME_KINDS = ['queue', 'api', 'task'] as const

/** What a runtime serves. */
export type RuntimeKind = (typeof RUNTIME_KINDS)[number]

/** What the name of such an image says. */
export type RuntimeImage = {
  readonly kind: RuntimeKind
  /** It has the packages for graphics cards. */
  readonly gpu: boolean
  /** Like 3.12. */
  readonly python: string
  /** The channel, like `latest`, or a version. */
  readonly tag: string
}

const NAME = /^(?:docker\.io\/)?runpod\/(?<kind>queue|api|task)(?<gpu>-gpu)?:py(?<python>3\.\d{1,2})-(?<tag>[\w.-]+)$/

/** Reads the name of an image. @returns undefined: it is another one, and runs as any image */
export function readRuntimeImage(image: string): RuntimeImage | undefined {
  const { kind, gpu, python, tag } = NAME.exec(image)?.groups ?? {}
  const known = RUNTIME_KINDS.find((one) => one === kind)
  if (known === undefined || python === undefined || tag === undefined) return undefined
  return { kind: known, gpu: gpu !== undefined, python, tag }
}
