/**
 * Records what a real server says to the bridge, into test/fixtures/comfyui:
 *
 *     DRYDOCK_COMFYUI=... DRYDOCK_COMFYUI_PYTHON=... DRYDOCK_PUBLIC_WORKER=... node test/support/real-comfyui/record.ts [name ...]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Exchange, exchangeFile, type RecordedMessage } from '../comfyui/exchange.ts'
import { runJob } from '../comfyui/run-job.ts'
import { askPublicWorker, findPublicWorker } from './public-worker.ts'
import { startRecordingProxy } from './recording-proxy.ts'
import { SCENARIOS } from './scenarios.ts'
import { findComfyUi, startComfyUi } from './start-comfyui.ts'

// Each is 40 KB.
function withOnePreview(socket: readonly RecordedMessage[]): RecordedMessage[] {
  const first = socket.findIndex((message) => 'base64' in message)
  return socket.filter((message, at) => 'text' in message || at === first)
}

const found = findComfyUi()
const publicWorker = findPublicWorker()
if (typeof found === 'string') throw new Error(found)
if (publicWorker === undefined) throw new Error('DRYDOCK_PUBLIC_WORKER names no public worker')

const comfyUi = await startComfyUi(found)
const proxy = await startRecordingProxy(comfyUi.url)
try {
  const stats = await (await fetch(`${comfyUi.url}/system_stats`)).json()
  const { system } = stats as { readonly system: { readonly comfyui_version: string } }
  const withoutPaths = (text: string) =>
    [
      [comfyUi.source, '/comfyui'],
      [comfyUi.folder, '/data'],
      [dirname(dirname(found.python)), '/venv'],
    ].reduce((changed, [path = '', name = '']) => changed.replaceAll(path, name), text)

  mkdirSync(dirname(exchangeFile('x')), { recursive: true })
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SCENARIOS)
  for (const name of names) {
    const input = SCENARIOS[name]
    if (input === undefined) throw new Error(`no scenario has the name ${name}`)
    await runJob(input, { servers: [proxy.url] })
    const { answers, socket } = proxy.take()
    // The same again, for the server has kept what it made.
    const [publicAnswer] = await askPublicWorker({ folder: publicWorker, python: found.python, server: comfyUi.url }, [
      input,
    ])
    const exchange: Exchange = {
      comfyui: system.comfyui_version,
      input: null,
      // Of the machine that it was recorded on it would tell everything.
      answers: answers.map((answer) =>
        answer.path.startsWith('/system_stats') ? { ...answer, body: { text: '{"system":{}}' } } : answer,
      ),
      socket: withOnePreview(socket),
      publicAnswer: publicAnswer ?? {},
    }
    // The input stands in it as it is, with its numbers.
    const text = withoutPaths(JSON.stringify(exchange, null, 1)).replace('"input": null', () => `"input": ${input}`)
    writeFileSync(exchangeFile(name), `${text}\n`)
    process.stdout.write(`${name}\n`)
  }
} finally {
  await proxy.stop()
  await comfyUi.remove()
}
