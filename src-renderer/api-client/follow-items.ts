/**
 * Follows one stream of items, like log lines or the state of a build. Unlike the stream of events it is opened again
 * here, from the last item on, as nobody else has to know what was missed. A page that nobody sees lets go of it,
 * unless it is kept.
 */
import type { z } from 'zod'
import { type Platform, UNSEEN_MS } from '../platform/platform.ts'
import type { EventSourceLike } from './event-stream.ts'

const BATCH_MS = 50
const AGAIN_AFTER_MS = 1000

/** Opens the stream, again and again until its last item. @returns a function that ends it; nothing is told afterwards */
export function followItems<Item>({
  address,
  event,
  schema,
  onItems,
  isLast = () => false,
  isKept = false,
  onLost = () => {},
  connect,
  platform,
}: {
  readonly address: (last: Item | undefined) => string
  readonly event: string
  readonly schema: z.ZodType<Item>
  readonly onItems: (items: readonly Item[]) => void
  readonly isLast?: (item: Item) => boolean
  readonly isKept?: boolean
  readonly onLost?: () => void
  readonly connect: (address: string) => EventSourceLike
  readonly platform: Pick<Platform, 'after' | 'isVisible' | 'onVisibility'>
}): () => void {
  let last: Item | undefined
  let batch: Item[] = []
  let source: EventSourceLike | undefined
  let cancelFlush: (() => void) | undefined
  let cancelAgain: (() => void) | undefined
  let cancelUnseen: (() => void) | undefined

  const flush = () => {
    cancelFlush?.()
    cancelFlush = undefined
    const items = batch
    batch = []
    if (items.length > 0) onItems(items)
  }
  const close = () => {
    cancelAgain?.()
    cancelAgain = undefined
    source?.close()
    source = undefined
  }
  const open = () => {
    close()
    const opened = connect(address(last))
    source = opened
    opened.addEventListener(event, ((message: MessageEvent<string>) => {
      last = schema.parse(JSON.parse(message.data))
      batch.push(last)
      cancelFlush ??= platform.after(BATCH_MS, flush)
    }) as EventListener)
    opened.addEventListener('error', () => {
      close()
      flush()
      if (hasEnded()) return
      onLost()
      cancelAgain = platform.after(AGAIN_AFTER_MS, open)
    })
  }
  const hasEnded = () => last !== undefined && isLast(last)
  const isWanted = () => isKept || platform.isVisible()
  const endWatch = platform.onVisibility(() => {
    cancelUnseen?.()
    if (!isWanted()) cancelUnseen = platform.after(UNSEEN_MS, close)
    else if (source === undefined && !hasEnded()) open()
  })
  if (isWanted()) open()
  return () => {
    endWatch()
    cancelUnseen?.()
    cancelFlush?.()
    batch = []
    close()
  }
}
