/**
 * Closes streams when the page is left and breaks them when it is shown again, so that owners reopen them: pages kept
 * for going back held all six connections.
 */

export type StreamWindow = Pick<EventTarget, 'addEventListener'>

const CLOSED = 2

const isOpen = ({ readyState }: Pick<EventSource, 'readyState'>) => readyState !== CLOSED

export function connectStreams<Stream extends EventTarget & Pick<EventSource, 'close' | 'readyState'>>(
  window: StreamWindow,
  open: (address: string) => Stream,
): (address: string) => Stream {
  let opened: readonly Stream[] = []
  window.addEventListener('pagehide', () => {
    opened = opened.filter(isOpen)
    for (const stream of opened) stream.close()
  })
  window.addEventListener('pageshow', (event) => {
    if (!(event as PageTransitionEvent).persisted) return
    const left = opened
    opened = []
    for (const stream of left) stream.dispatchEvent(new Event('error'))
  })
  return (address) => {
    const stream = open(address)
    opened = [...opened.filter(isOpen), stream]
    return stream
  }
}
