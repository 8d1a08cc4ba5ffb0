import type { Context } from 'hono'
import type { Notifier } from '../lib/wait.ts'
import { followAsEvents } from './send-response.ts'

/** Sends a view after each change, until its last one or until there is none. */
export function followView<View extends object>(
  c: Context,
  options: {
    readonly notifier: Notifier
    readonly stopping: AbortSignal
    readonly durable?: () => Promise<void>
    readonly event: string
    readonly view: () => View | undefined
    readonly isLast: (view: View) => boolean
  },
): Response {
  const { event, view, isLast } = options
  let id = 0
  let sent = ''
  return followAsEvents(c, {
    ...options,
    read() {
      const now = view()
      if (now === undefined) return { items: [], more: false, end: true }
      const data = JSON.stringify(now)
      const end = isLast(now)
      if (data === sent) return { items: [], more: false, end }
      sent = data
      id += 1
      return { items: [{ id, event, data }], more: false, end }
    },
  })
}
