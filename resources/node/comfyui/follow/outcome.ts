import { asText } from '../../../../src-main/lib/json/plain.ts'
import { arrayAt, type JsonObject } from '../../../../src-main/lib/json/value.ts'
import { type ServerMessage, textIn } from '../progress/server-message.ts'

export type Outcome =
  | { readonly kind: 'ended' }
  | {
      readonly kind: 'failed'
      readonly node: string | undefined
      readonly class: string | undefined
      readonly message: string
      readonly reason: string
      readonly traceback: string | undefined
    }
  | { readonly kind: 'interrupted'; readonly node: string | undefined; readonly class: string | undefined }

// Source: ours; a Python error has a few lines.
const MESSAGE_MAX = 10_000
// The end of a longer one matters most. Source: ours, about 50 calls.
const TRACEBACK_MAX = 10_000

export function outcomeOf({ type, data }: ServerMessage, promptId: string): Outcome | undefined {
  if (textIn(data, 'prompt_id') !== promptId) return undefined
  const at = { node: textIn(data, 'node_id'), class: textIn(data, 'node_type') }
  switch (type) {
    case 'executing':
      return data.get('node') === null ? { kind: 'ended' } : undefined
    case 'execution_success':
      return { kind: 'ended' }
    case 'execution_error':
      return {
        ...{ kind: 'failed', ...at, message: (textIn(data, 'exception_message') ?? '').slice(0, MESSAGE_MAX) },
        ...{ reason: reasonIn(data), traceback: tracebackIn(data) },
      }
    case 'execution_interrupted':
      return { kind: 'interrupted', ...at }
    default:
      return undefined
  }
}

// The message of a KeyError is only a key, so a single word needs its type in front.
function reasonIn(data: JsonObject): string {
  const message = (textIn(data, 'exception_message') ?? '').slice(0, MESSAGE_MAX).trim()
  const type = textIn(data, 'exception_type')?.split('.').at(-1)
  if (/\s/.test(message)) return message
  return [type, message].filter((part) => part !== undefined && part !== '').join(': ')
}

function tracebackIn(data: JsonObject): string | undefined {
  const text = arrayAt(data, 'traceback').map(asText).join('')
  return text === '' ? undefined : `Traceback (most recent call last):\n${text.slice(-TRACEBACK_MAX)}`
}
