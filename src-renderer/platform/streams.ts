/**
 * Streams of events of a window. A browser keeps a page that was left for a while, to be quick when somebody goes back,
 * and would keep its streams open with it: after a few pages all six connections to the service were taken, and no
 * further page came. Streams are therefore closed when the page is left, and break off when it is shown again, so that
 * whoever opened them opens them anew.
 */

/** The part of a window that is used. */
export type StreamWindow = Pick<EventTarget, 'addEventListener'>

const CLOSED = 2

const isOpen = ({ readyState }: Pick<EventSource, 'readyState'>) => readyState !== CLOSED

/** Makes what opens streams of a window. @returns opens one at an address */
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
