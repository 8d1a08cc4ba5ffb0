/** Output resumes after interruptions; input is sent sequentially, with typed keys collected meanwhile. */
import { limit } from '../../../src-main/contract/limits.ts'
import { type ShellOutput, shellOutput } from '../../../src-main/contract/workers.ts'
import { ApiError } from '../../api-client/api-error.ts'
import type { ApiClient } from '../../api-client/client.ts'
import type { Screen, ScreenEvents, ScreenSize } from '../../ui/XtermView.tsx'

export type ShellState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly program: string }
  | { readonly kind: 'ended'; readonly why: string }
  | { readonly kind: 'refused'; readonly error: Error }

const NOT_FOUND = 404

export function connectShell({
  client,
  workerId,
  screen,
  onState,
}: {
  readonly client: ApiClient
  readonly workerId: string
  readonly screen: Screen
  readonly onState: (state: ShellState) => void
}): ScreenEvents & { readonly close: () => void } {
  let shellId: string | undefined
  let state: ShellState['kind'] = 'opening'
  let closed = false
  let typed = ''
  let sizeToSend: ScreenSize | undefined
  let sending = false
  let unfollow = () => {}

  function move(next: ShellState): void {
    state = next.kind
    if (!closed) onState(next)
  }

  const end = (why: string) => {
    unfollow()
    if (state === 'open') move({ kind: 'ended', why })
  }

  async function open(): Promise<void> {
    try {
      const opened = await client.call('shellOpen', { path: { workerId }, body: screen.size() })
      if (closed) {
        await client.call('shellClose', { path: { shellId: opened.shellId } })
        return
      }
      shellId = opened.shellId
      move({ kind: 'open', program: opened.program })
      unfollow = follow(opened.shellId)
      void send()
    } catch (error) {
      if (!closed) move({ kind: 'refused', error: error as Error })
    }
  }

  function follow(id: string): () => void {
    return client.follow<ShellOutput>({
      operation: 'shellOutput',
      path: { shellId: id },
      query: (last) => ({ after: last?.end }),
      event: 'output',
      schema: shellOutput,
      isLast: ({ ended }) => ended !== undefined,
      // The service ends a shell a minute after its last reader leaves.
      isCached: true,
      onItems(pieces) {
        for (const { data, ended } of pieces) {
          screen.write(bytesOf(data))
          if (ended !== undefined) end(ended)
        }
      },
      onLost: () => void checkLost(id),
    })
  }

  // A restarted service does not know it; an unreachable one may return.
  async function checkLost(id: string): Promise<void> {
    try {
      await client.call('shellOutput', { path: { shellId: id }, query: { after: Number.MAX_SAFE_INTEGER } })
    } catch (error) {
      if (error instanceof ApiError && error.status === NOT_FOUND) end('the service was started again')
    }
  }

  async function send(): Promise<void> {
    if (sending || shellId === undefined) return
    sending = true
    const path = { shellId }
    try {
      while ((typed !== '' || sizeToSend !== undefined) && state === 'open') {
        if (sizeToSend !== undefined) {
          const body = sizeToSend
          sizeToSend = undefined
          await client.call('shellResize', { path, body })
        } else {
          const text = typed.slice(0, limit('shellInputCharacters'))
          typed = typed.slice(text.length)
          await client.call('shellInput', { path, body: { text } })
        }
      }
    } catch (error) {
      // Lost input must not arrive later, out of order.
      typed = ''
      if (error instanceof ApiError && error.status === NOT_FOUND) void checkLost(shellId)
      else end(`what was typed did not arrive. ${(error as Error).message}`)
    } finally {
      sending = false
    }
  }

  void open()
  return {
    onInput(text) {
      typed += text
      void send()
    },
    onSize(size) {
      sizeToSend = size
      void send()
    },
    close() {
      closed = true
      unfollow()
      // It ends by itself a minute after its last reader.
      if (shellId !== undefined && state === 'open')
        client.call('shellClose', { path: { shellId } }).catch(() => undefined)
    },
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
