/** Records what a real service writes during mixed work, with what its clients were told. */
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { signal } from '../../support/process-table.ts'
import type { ServedService } from '../../support/served-service.ts'
import { APP, ENDPOINTS, hashOf, noteIn, type Told } from './acknowledgements.ts'
import { runClients } from './clients.ts'

const SOURCE = fileURLToPath(new URL('record-writes.c', import.meta.url))
const WORKER = fileURLToPath(new URL('noting-worker.ts', import.meta.url))

/** Files of a recording. */
export type Recording = {
  readonly trace: string
  readonly notes: string
  /** The data folder as it was when the service had ended, and how long the trace was then, in bytes. */
  readonly seen: readonly { readonly data: string; readonly traceBytes: number }[]
}

/** Builds the library that records. @returns why it cannot be had here, or where it is */
export function buildRecorder(folder: string): { readonly why: string } | { readonly library: string } {
  if (process.platform !== 'linux') return { why: 'writes are recorded on Linux only' }
  const library = join(folder, 'record-writes.so')
  try {
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl'], { stdio: 'pipe' })
    return { library }
  } catch (error) {
    return { why: `no C compiler: ${(error as Error).message.split('\n')[0]}` }
  }
}

/**
 * Lets clients work with a service: from its first start on, over a new account key, two kills, a restart in order, and
 * up to a last kill. Each of the four parts takes as long as is said.
 */
export async function recordService(library: string, service: ServedService, partMs: number): Promise<Recording> {
  const folder = realpathSync(service.folder)
  const data = join(folder, 'data')
  const seen: { data: string; traceBytes: number }[] = []
  const recording = { trace: join(folder, 'trace'), notes: join(folder, 'notes'), seen }
  const env = { LD_PRELOAD: library, RECORD_FOLDER: data, RECORD_TRACE: recording.trace }
  const note = noteIn(recording.notes)
  const webhook = await receiveWebhooks(note)
  let key = ''
  const start = async () => {
    await service.start({ env })
    key = readFileSync(join(data, 'account.key'), 'utf8').trim()
    note({ what: 'value', name: 'account key', value: hashOf(key) })
  }
  const kill = async () => {
    await service.kill()
    const copy = join(folder, `data-${seen.length}`)
    cpSync(data, copy, { recursive: true })
    seen.push({ data: copy, traceBytes: statSync(recording.trace).size })
  }
  const clients = () => {
    const ended = new AbortController()
    const running = runClients({ target: () => ({ url: service.url(), key }), note, webhook, ended: ended.signal })
    return async () => {
      ended.abort()
      const wrong = await running
      if (wrong.length > 0) throw new Error(`a good request was refused: ${wrong[0]}`)
    }
  }

  await start()
  await service.ask('PATCH', '/api/settings', { webhooksToPrivateAddresses: true })
  const command = [process.execPath, WORKER, recording.notes].map((word) => `'${word}'`).join(' ')
  await service.createEndpoint(ENDPOINTS.works, { command, workersMin: 1, workersMax: 1, concurrency: 4 })
  await service.createEndpoint(ENDPOINTS.waits, { command: 'sleep 1000000', workersMax: 1 })

  await service.post(`/api/apps/${APP.app}/environments`, { name: APP.environment })

  let end = clients()
  await pause(partMs)
  await end()

  note({ what: 'asked', name: 'account key', value: 'new' })
  await service.post('/api/account-key/rotate')
  key = readFileSync(join(data, 'account.key'), 'utf8').trim()
  note({ what: 'value', name: 'account key', value: hashOf(key) })

  end = clients()
  await pause(partMs)
  await kill()
  await start()
  await pause(partMs)
  await kill()
  await end()

  await start()
  await service.stop()
  await start()
  end = clients()
  await pause(partMs)
  await kill()
  await end()
  // A service that starts on a disk after a cut must not find them.
  for (const { pid } of service.workerProcesses()) signal(pid, 'SIGKILL')
  return recording
}

// A webhook tells how a job ended.
async function receiveWebhooks(note: (told: Told) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const { id, status } = JSON.parse(Buffer.concat(pieces).toString())
    note({ what: 'end', id, status })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
