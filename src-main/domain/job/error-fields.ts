/**
 * The fields of an error that a worker wrote as JSON, as worker SDKs and workers of graphs do. Source:
 * docs/spec/worker-protocol.md, 3; docs/spec/image-workflows.md, 6.2.
 * @returns undefined where it is not JSON, or was cut
 */
export function errorFields(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}
