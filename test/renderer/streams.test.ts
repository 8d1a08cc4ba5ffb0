import { expect, test } from 'vitest'
import { connectStreams } from '../../src-renderer/browser/streams.ts'

class Stream extends EventTarget {
  readyState = 1
  close(): void {
    this.readyState = 2
  }
}

function setup() {
  const window = new EventTarget()
  const connect = connectStreams(window, () => new Stream())
  const lost: string[] = []
  const open = (address: string): Stream => {
    const stream = connect(address)
    stream.addEventListener('error', () => lost.push(address))
    return stream
  }
  const leave = () => window.dispatchEvent(new Event('pagehide'))
  const show = (persisted: boolean) => window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
  return { open, leave, show, lost }
}

test('streams of a page that is left are closed, and break off when the browser shows it again', () => {
  const { open, leave, show, lost } = setup()
  const streams = [open('/events'), open('/logs')]
  leave()
  expect(streams.map(({ readyState }) => readyState)).toEqual([2, 2])
  expect(lost).toEqual([])
  show(true)
  expect(lost).toEqual(['/events', '/logs'])
})

test('a stream that was closed before breaks off no more', () => {
  const { open, leave, show, lost } = setup()
  open('/logs').close()
  open('/events')
  leave()
  show(true)
  expect(lost).toEqual(['/events'])
})

test('a page that is shown for the first time breaks nothing off', () => {
  const { open, show, lost } = setup()
  const stream = open('/events')
  show(false)
  expect([stream.readyState, lost]).toEqual([1, []])
})
