import { type ServerMessage, textIn } from '../progress/server-message.ts'

/** How a prompt ended. */
export type Outcome =
  | { readonly kind: 'ended' }
  | {
      readonly kind: 'failed'
      readonly node: string | undefined
      readonly class: string | undefined
      readonly message: string
    }
  | { readonly kind: 'interrupted'; readonly node: string | undefined; readonly class: string | undefined }

// Source: ours; an error of Python is some lines.
const MESSAGE_MAX = 10_000

/** How a prompt ended, if the message says so. */
export function outcomeOf({ type, data }: ServerMessage, promptId: string): Outcome | undefined {
  if (textIn(data, 'prompt_id') !== promptId) return undefined
  const at = { node: textIn(data, 'node_id'), class: textIn(data, 'node_type') }
  switch (type) {
    case 'executing':
      return data.get('node') === null ? { kind: 'ended' } : undefined
    case 'execution_success':
      return { kind: 'ended' }
    case 'execution_error':
      return { kind: 'failed', ...at, message: (textIn(data, 'exception_message') ?? '').slice(0, MESSAGE_MAX) }
    case 'execution_interrupted':
      return { kind: 'interrupted', ...at }
    default:
      return undefined
  }
}
