/**
 * The process of the service under the desktop: the headless server, led by messages. A utility process of Electron has
 * a port to the desktop; tests start the same file as a child of Node.
 */

import { ensureSketch } from '../cli/ensure-sample.ts'
import { readAccountKey } from '../cli/find-service.ts'
import { createServiceClient } from '../client/service-client.ts'
import { StartError } from '../server/data-folder.ts'
import { startServer } from '../server/main.ts'
import { type ServiceMessage, STOP, serviceArguments } from './service-messages.ts'

type Parent = {
  readonly send: (message: ServiceMessage) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
}

function findParent(): Parent {
  const { parentPort } = process
  // Undefined in a child of Node, whatever the types say.
  if (parentPort as typeof parentPort | undefined)
    return {
      send: (message) => parentPort.postMessage(message),
      onMessage: (listener) => void parentPort.on('message', ({ data }) => listener(data)),
    }
  return {
    send: (message) => process.send?.(message),
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
  parent.send({ kind: 'ready', url: server.url })
  await Promise.race([stopAsked.promise, server.stopped])
  await server.stop()
  process.exit(0)
} catch (error) {
  if (!(error instanceof StartError)) throw error
  parent.send({ kind: 'refused', reason: error.kind, why: error.message })
  // Not `exit`: the message may still be on its way. Nothing else holds the process.
  process.exitCode = 3
  if (process.connected) process.disconnect()
}

/** As `drydock start` does it without a window. A service without the sample is as good as one with it. */
async function addSample(url: string, data: string): Promise<void> {
  try {
    await ensureSketch(createServiceClient({ url, key: (await readAccountKey(data)) ?? '' }))
  } catch (error) {
    process.stderr.write(`The endpoint for image workflows was not made: ${error}\n`)
  }
}
