/**
 * Names of the platform's runtime images, like `runpod/queue-gpu:py3.12-latest`; our runtime replaces them. Source: the
 * public Python package; the replacement is ours.
 */

const RUNTIME_KINDS = ['queue', 'api', 'task'] as const

export type RuntimeImage = {
  readonly kind: (typeof RUNTIME_KINDS)[number]
  readonly gpu: boolean
  readonly python: string
  readonly tag: string
}

const NAME = /^(?:docker\.io\/)?runpod\/(?<kind>queue|api|task)(?<gpu>-gpu)?:py(?<python>3\.\d{1,2})-(?<tag>[\w.-]+)$/

export function readRuntimeImage(image: string): RuntimeImage | undefined {
  const { kind, gpu, python, tag } = NAME.exec(image)?.groups ?? {}
  const known = RUNTIME_KINDS.find((one) => one === kind)
  if (known === undefined || python === undefined || tag === undefined) return undefined
  return { kind: known, gpu: gpu !== undefined, python, tag }
}
