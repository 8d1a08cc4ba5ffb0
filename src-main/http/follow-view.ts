import type { Context } from 'hono'
import type { Notifier } from '../lib/wait.ts'
import { followAsEvents } from './send-response.ts'

export function followView<View extends object>(
  c: Context,
  options: {
    readonly notifier: Notifier
    readonly stopping: AbortSignal
    readonly event: string
    readonly view: () => View
    readonly isLast: (view: View) => boolean
  },
): Response {
  const { notifier, stopping, event, view, isLast } = options
  let id = 0
  let sent: View | undefined
  return followAsEvents(c, {
    notifier,
    stopping,
    read() {
      const now = view()
      const end = isLast(now)
      if (now === sent) return { items: [], more: false, end }
      sent = now
      id += 1
      return { items: [{ id, event, data: JSON.stringify(now) }], more: false, end }
    },
  })
}
