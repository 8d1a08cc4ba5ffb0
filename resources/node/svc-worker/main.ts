import { constants } from 'node:os'
import { messageOf, trimmedStack } from './errors.ts'
import { comesOfCancel } from './jobs.ts'
import { HandlerFileError, loadProgram } from './load-handler.ts'
import { fail, install } from './logs.ts'
import { readSettings, SettingsError } from './settings.ts'
import { createWorker } from './worker.ts'

// Before there is anything to drain (the user's file may load a model for minutes), the first signal exits.
let onFirstSignal: () => void = () => process.exit(0)
let signals = 0
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    signals += 1
    if (signals > 1) process.exit(128 + constants.signals[signal])
    onFirstSignal()
  })
}

const lastWords = (error: unknown) => fail(`${trimmedStack(error)}\nsvc-worker: ended by an error: ${messageOf(error)}`)
process.on('uncaughtException', lastWords)
process.on('unhandledRejection', (error) => {
  // A cancelled handler need not await everything that it started.
  if (!comesOfCancel(error)) lastWords(error)
})

const { settings, program } = await prepare(process.argv.slice(2))
const worker = createWorker(settings, program)
onFirstSignal = worker.drain
await worker.run()
process.exit(0)

async function prepare([path, ...more]: readonly string[]) {
  if (path === undefined || more.length > 0) fail('svc-worker: usage: node main.ts /path/to/handler.ts', 2)
  try {
    const settings = readSettings(process.env)
    install()
    return { settings, program: await loadProgram(path) }
  } catch (error) {
    if (error instanceof SettingsError) fail(`svc-worker: ${error.message}`)
    if (error instanceof HandlerFileError) fail(error.message)
    throw error
  }
}
