/**
 * From a save to new code that answers, in a preview of the app of `drydock init`: it concerns two of its five
 * endpoints.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { dockerEngine } from '../../support/docker-engine.ts'
import { bounded, notMeasured, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { LAUNCHER } from '../support/service.ts'

const SAVES = 10
const MOST_MS = { processes: 1000, containers: 1500 }
const WHAT = 'a save is live in a preview of 5 endpoints'

/** Saves with workers that are processes, and with containers where there is an engine. */
export async function previewSaves(): Promise<readonly Row[]> {
  const engine = await dockerEngine()
  const processes = await rowOf('processes', {})
  if ('dockerHost' in engine) return [processes, await rowOf('containers', { DOCKER_HOST: engine.dockerHost })]
  return [processes, notMeasured(`${WHAT}, containers`, engine.why)]
}

async function rowOf(runsOn: keyof typeof MOST_MS, env: Readonly<Record<string, string>>): Promise<Row> {
  const spans = await withFolder((folder) => saves(folder, runsOn, env))
  const row = bounded(`${WHAT}, ${runsOn}`, median(spans), MOST_MS[runsOn], 'ms')
  return { ...row, figure: `${row.figure}, slowest ${short(Math.max(...spans))} ms` }
}

/**
 * Saves a file again and again, each time when the save before is live; ms from each save until it is told to be live.
 */
async function saves(folder: string, runsOn: string, env: Readonly<Record<string, string>>): Promise<number[]> {
  const project = join(folder, 'demo')
  const options = {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'],
  }
  await once(spawn(process.execPath, [LAUNCHER, 'init', 'demo'], { ...options, cwd: folder, stdio: 'ignore' }), 'close')
  const argv = ['deploy', '--preview', '--quiet', '--json', '--port', '0', '--runs-on', runsOn, '--data', folder]
  const preview = spawn(process.execPath, [LAUNCHER, ...argv], { ...options, cwd: project })
  const ended = once(preview, 'close')
  try {
    const lines = createInterface({ input: preview.stdout })[Symbol.asyncIterator]()
    await untilLive(lines)
    const worker = join(project, 'cpu_worker.py')
    const source = readFileSync(worker, 'utf8')
    const spans: number[] = []
    for (let save = 0; save < SAVES; save++) {
      const start = performance.now()
      writeFileSync(worker, source.replace('Hello', `Hello ${save}`))
      await untilLive(lines)
      spans.push(performance.now() - start)
    }
    return spans
  } finally {
    preview.kill('SIGINT')
    await ended
  }
}

async function untilLive(lines: AsyncIterator<string>): Promise<void> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the preview has ended')
    const told = JSON.parse(value)
    if (told.event === 'live') return
    if (/failed$/.test(told.event)) throw new Error(value)
  }
}
