/**
 * Starts a real ComfyUI on the processor, with a folder of its own and a checkpoint of random weights. Where it is
 * comes from the environment: DRYDOCK_COMFYUI (folder of its source) and DRYDOCK_COMFYUI_PYTHON (an interpreter with
 * its packages).
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Name of the checkpoint that it has. */
export const CHECKPOINT = 'tiny.safetensors'

/** A ComfyUI server that was started for a test. */
export type RealComfyUi = {
  readonly url: string
  /** Folder with its models, inputs and outputs. */
  readonly folder: string
  /** Folder of its source. */
  readonly source: string
  readonly log: () => string
  /** Ends it at once, as a crash would. */
  readonly kill: () => Promise<void>
  /** Starts it again at its address. */
  readonly start: () => Promise<void>
  /** Ends it and removes its folder. */
  readonly remove: () => Promise<void>
}

/** The source and the Python to start it with, or why it cannot be started. */
export function findComfyUi(): { readonly source: string; readonly python: string } | string {
  const { DRYDOCK_COMFYUI: source, DRYDOCK_COMFYUI_PYTHON: python } = process.env
  if (source === undefined || python === undefined)
    return 'DRYDOCK_COMFYUI and DRYDOCK_COMFYUI_PYTHON name no ComfyUI and no Python for it'
  const missing = [join(source, 'main.py'), python].find((path) => !existsSync(path))
  return missing === undefined ? { source, python } : `${missing} does not exist`
}

// Its libraries are read from the disk at the first start.
const START_MS = 180_000
const LOOK_EVERY_MS = 100
// Threads that wait for each other at each step stand still where the machine has more to do: 5 s for a graph of 0.2 s.
const ONE_THREAD = { OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }

/** Starts one on a free port. */
export async function startComfyUi({
  source,
  python,
}: {
  readonly source: string
  readonly python: string
}): Promise<RealComfyUi> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-comfyui-'))
  const checkpoints = join(folder, 'models', 'checkpoints')
  for (const path of [checkpoints, join(folder, 'input'), join(folder, 'output')]) mkdirSync(path, { recursive: true })
  const script = join(import.meta.dirname, 'tiny_checkpoint.py')
  await promisify(execFile)(python, [script, source, join(checkpoints, CHECKPOINT)])

  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const logFile = join(folder, 'log')
  let end = async () => {}

  async function start(): Promise<void> {
    const options = ['--cpu', '--port', String(port), '--base-directory', folder, '--preview-method', 'latent2rgb']
    const quiet = ['--disable-auto-launch', '--disable-all-custom-nodes', '--database-url', 'sqlite:///:memory:']
    const log = openSync(logFile, 'a')
    const child = spawn(python, ['-u', join(source, 'main.py'), ...options, ...quiet], {
      cwd: source,
      env: { ...process.env, ...ONE_THREAD },
      stdio: ['ignore', log, log],
    })
    const ended = once(child, 'exit')
    end = async () => {
      child.kill('SIGKILL')
      await ended
    }
    for (let waited = 0; waited < START_MS; waited += LOOK_EVERY_MS) {
      if (child.exitCode !== null) throw new Error(`ComfyUI ended:\n${readFileSync(logFile, 'utf8').slice(-2000)}`)
      const answers = await fetch(`${url}/system_stats`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (answers) return
      await pause(LOOK_EVERY_MS)
    }
    throw new Error(`ComfyUI did not answer within ${START_MS / 1000} s`)
  }

  await start()
  return {
    url,
    folder,
    source,
    log: () => readFileSync(logFile, 'utf8'),
    kill: () => end(),
    start,
    async remove() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
