/** Listens, and throws behind each request in the way that its path says. Prints its port, then what is logged. */
import { setTimeout as wait } from 'node:timers/promises'
import { catchUnhandled } from '../../../src-main/http/server/last-net.ts'
import { listen } from '../../../src-main/http/server/listen.ts'

const print = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`)
const damaged = () => Object.assign(new Error('the database disk image is malformed'), { code: 'SQLITE_CORRUPT' })

const THROWS: Readonly<Record<string, () => void>> = {
  '/at-once': () => {
    throw new Error('at once')
  },
  '/in-a-timer': () => {
    setTimeout(() => {
      throw new Error('in a timer')
    })
  },
  '/in-a-promise': () => {
    void wait(1).then(() => {
      throw new Error('in a promise')
    })
  },
  '/in-the-database': () => {
    setTimeout(() => {
      throw damaged()
    })
  },
}

const ignore = () => undefined
catchUnhandled({
  log: {
    info: ignore,
    warn: ignore,
    error: (message, { error, ...fields } = {}) => print({ message, why: (error as Error).message, ...fields }),
  },
  newRequestId: () => 'r1',
  onDoubt: () => process.kill(process.pid, 'SIGKILL'),
})
const { port } = await listen(() => new Response('fine'), 0, {
  streams: {
    isFor: ({ url = '' }) => url.split('?', 1)[0] !== undefined && THROWS[url.split('?', 1)[0] ?? ''] !== undefined,
    request: ({ url = '' }) => THROWS[url.split('?', 1)[0] ?? '']?.(),
    upgrade: ignore,
  },
})
print({ port })
