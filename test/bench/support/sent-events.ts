import { get } from 'node:http'
import { createInterface } from 'node:readline'
import { machineMs } from './machine-time.ts'
import type { Service } from './service.ts'

/** Server-sent events that are being read. `ended` settles when the stream is closed by either side. */
export type SentEvents = { readonly ended: Promise<void>; readonly close: () => void }

/** Opens a stream of events and passes on the data of each, with the moment at which it came (machineMs). */
export function readSentEvents(
  { port, auth }: Service,
  path: string,
  onData: (data: string, at: number) => void,
): Promise<SentEvents> {
  const headers = { accept: 'text/event-stream', authorization: auth.replace('authorization: ', '') }
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${path} answered ${answer.statusCode}`))
      const ended = (async () => {
        for await (const line of createInterface({ input: answer }))
          if (line.startsWith('data: ')) onData(line.slice('data: '.length), machineMs())
      })().catch(() => undefined) // cut off by close
      resolve({ ended, close: () => request.destroy() })
    })
    request.once('error', reject)
  })
}
