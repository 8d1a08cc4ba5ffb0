import type { Context } from 'hono'
import type { Notifier } from '../lib/wait.ts'
import { followAsEvents } from './send-response.ts'

export function followView<View extends object>(
  c: Context,
  {
    notifier,
    stopping,
    event,
    view,
    isLast,
  }: {
    readonly notifier: Notifier
    readonly stopping: AbortSignal
    readonly event: string
    readonly view: () => View
    readonly isLast: (view: View) => boolean
  },
): Response {
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
