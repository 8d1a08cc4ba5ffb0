import { once } from 'node:events'
import { WebSocket } from 'ws'

export type Socket = {
  readonly send: (text: string) => void
  readonly resume: () => void
  /** Closes the connection; `onMessage` and `onEnd` are not called any more. */
  readonly close: () => void
}

export type SocketOptions = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly messageBytes: number
  readonly signal: AbortSignal
  readonly openMs: number
  /** After half of this time without a message the server is pinged; after all of it the connection is lost. */
  readonly silenceMs: number
  /** @returns false to pause reading until `resume` */
  readonly onMessage: (message: string | Buffer) => boolean
  /** Called once with the reason if the connection ends without `close`. */
  readonly onEnd: (why: Error) => void
}

// How long a server may take to close, in ms. Source: ours.
const CLOSE_MS = 1000
// Source: RFC 6455, 7.4.1: closed without a code, and lost.
const [NO_CODE, LOST] = [1005, 1006]

export async function openSocket(options: SocketOptions): Promise<Socket> {
  const { url, headers, messageBytes, signal, openMs, silenceMs, onMessage, onEnd } = options
  const socket = new WebSocket(url, {
    ...{ headers, signal, handshakeTimeout: openMs, maxPayload: messageBytes },
    ...{ perMessageDeflate: false, autoPong: false },
  })
  let isOver = false
  let quietHalves = 0
  let watch: NodeJS.Timeout | undefined
  // Messages may follow the handshake immediately, so all listeners are added before it.
  socket.on('message', (data: Buffer, isBinary) => {
    quietHalves = 0
    if (!isOver && !onMessage(isBinary ? data : data.toString('utf8'))) socket.pause()
  })
  socket.on('pong', () => {
    quietHalves = 0
  })
  socket.on('ping', (data) => {
    quietHalves = 0
    // A server that reads no pongs must not fill the memory; not every ping needs one (RFC 6455, 5.5.3).
    if (socket.bufferedAmount === 0) socket.pong(data)
  })
  socket.on('error', end)
  socket.on('close', (code, reason) => end(new Error(closeReason(code, reason.toString('utf8')))))
  await once(socket, 'open')
  // It may have failed with what came along with the handshake.
  if (!isOver) watch = setInterval(watchSilence, silenceMs / 2)

  function watchSilence(): void {
    if (socket.isPaused) return
    quietHalves += 1
    if (quietHalves >= 2) end(new Error(`the server sent nothing for ${silenceMs / 1000} s`))
    else socket.ping()
  }

  function end(why: Error): void {
    if (isOver) return
    isOver = true
    clearInterval(watch)
    socket.terminate()
    onEnd(why)
  }

  return {
    send: (text) => socket.send(text),
    resume: () => socket.resume(),
    close() {
      if (isOver) return
      isOver = true
      clearInterval(watch)
      socket.resume()
      socket.close()
      setTimeout(() => socket.terminate(), CLOSE_MS).unref()
    },
  }
}

function closeReason(code: number, reason: string): string {
  if (code === LOST) return 'the connection was closed'
  const said = reason === '' ? '' : `: ${reason}`
  return code === NO_CODE ? 'the server closed the connection' : `the server closed the connection (${code}${said})`
}
