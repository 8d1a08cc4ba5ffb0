/**
 * Starts programs in every way that the service does, while it can open no more files, and prints what became of them.
 */
import { openSync } from 'node:fs'
import { createStartPreview } from '../../../src-main/app/headless/start-preview.ts'
import { runProgram } from '../../../src-main/lib/node/run-program.ts'

function openEveryFile(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {
    // This was the last one.
  }
}

const log = { debug() {}, info() {}, warn() {}, error() {} }
const startPreview = createStartPreview({
  commandLine: { program: 'true', args: [], env: {} },
  data: '/nowhere',
  log,
})

openEveryFile()
const build = await runProgram({ command: 'true', args: [], limitMs: 10_000 }).catch((error: Error) => error.message)
const preview = startPreview('/', () => undefined)
preview.stop()
const { lastOutput } = await preview.ended
process.stdout.write(JSON.stringify({ build, preview: lastOutput }))
