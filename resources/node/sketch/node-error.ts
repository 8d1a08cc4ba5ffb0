/** An error of one node, worded for users; `input` names the input that caused it. */
export class NodeError extends Error {
  readonly node: string
  readonly classType: string
  readonly input: string | undefined

  constructor(
    message: string,
    at: { readonly id: string; readonly classType: string },
    { input, cause }: { readonly input?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.node = at.id
    this.classType = at.classType
    this.input = input
  }
}
