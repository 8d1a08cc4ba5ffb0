/**
 * The process of the service under the desktop: the headless server, led by messages. A utility process of Electron has
 * a port to the desktop; tests start the same file as a child of Node.
 */
import { createClient } from '../cli/client.ts'
import { readAccountKey } from '../cli/find-service.ts'
import { ensureSketch } from '../cli/sketch-sample.ts'
import { startServer } from '../server/main.ts'
import { StartError } from '../server/start-error.ts'
import { type ServiceMessage, STOP, serviceArguments } from './service-messages.ts'

type Parent = {
  readonly tell: (message: ServiceMessage) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
}

function findParent(): Parent {
  const { parentPort } = process
  // Undefined in a child of Node, whatever the types say.
  if (parentPort as typeof parentPort | undefined)
    return {
      tell: (message) => parentPort.postMessage(message),
      onMessage: (listener) => void parentPort.on('message', ({ data }) => listener(data)),
    }
  return {
    tell: (message) => process.send?.(message),
    onMessage(listener) {
      process.on('message', listener)
      // A desktop that was killed can ask for nothing any more.
      process.once('disconnect', () => listener(STOP))
    },
  }
}

const parent = findParent()
const stopAsked = Promise.withResolvers<void>()
parent.onMessage((message) => message === STOP && stopAsked.resolve())
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopAsked.resolve())

try {
  const { commandLine, ...options } = serviceArguments.parse(JSON.parse(process.argv[2] ?? ''))
  const server = await startServer({
    ...options,
    ...(commandLine === undefined ? {} : { commandLine: { ...commandLine, env: process.env } }),
  })
  await addSample(server.url, options.data)
  parent.tell({ kind: 'ready', url: server.url })
  await Promise.race([stopAsked.promise, server.stopped])
  await server.stop()
  process.exit(0)
} catch (error) {
  if (!(error instanceof StartError)) throw error
  parent.tell({ kind: 'refused', reason: error.kind, why: error.message })
  // Not `exit`: the message may still be on its way. Nothing else holds the process.
  process.exitCode = 3
  if (process.connected) process.disconnect()
}

/** As `drydock start` does it without a window. A service without the sample is as good as one with it. */
async function addSample(url: string, data: string): Promise<void> {
  try {
    await ensureSketch(createClient({ url, key: (await readAccountKey(data)) ?? '' }))
  } catch (error) {
    process.stderr.write(`The endpoint for image workflows was not made: ${error}\n`)
  }
}
