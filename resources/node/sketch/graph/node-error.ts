/** What is wrong at a node; `input` where it is about one of its inputs. The message is for a person. */
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
