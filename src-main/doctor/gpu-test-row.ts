import type { DoctorRow } from '../contract/system.ts'
import { type GpuWay, gpuWay, INSTALL_TOOLKIT } from '../domain/worker/gpu-devices.ts'
import type { GpuInventory } from '../domain/worker/gpu-list.ts'
import type { EngineSeen } from './ask-engine.ts'
import type { RunProgram } from './run-program.ts'

/** What is known of the engine and the cards. */
export type GpuFacts = { readonly engine: EngineSeen; readonly gpus: GpuInventory; readonly hookInstalled: boolean }

/** What the test needs. */
export type GpuTest = GpuFacts & { readonly runProgram: RunProgram; readonly gpuTest: string | true | undefined }

// How long the container may take, ms; source: ours, a cold driver and a slow disk together.
const TEST_LIMIT_MS = 60_000

// Images in which NVIDIA's programs can run: they need glibc, so no Alpine.
const LIKELY_IMAGE = /cuda|pytorch|torch|ubuntu|debian|python|drydock/i

const HOW = 'Run `drydock doctor --gpu-test IMAGE` with an image that is at hand, like ubuntu.'

/** Starts a container that lists the GPUs, where somebody asked for that. Nothing is pulled. */
export async function gpuTestRow({ engine, gpus, hookInstalled, runProgram, gpuTest }: GpuTest): Promise<DoctorRow> {
  const check = 'GPU test'
  if (gpus.cards.length === 0) return { check, state: 'ok', found: 'skipped: there is no GPU' }
  if (engine.state !== 'answers') return { check, state: 'ok', found: 'skipped: no engine answers' }
  if (gpuTest === undefined) return { check, state: 'ok', found: 'skipped: it starts a container', fix: HOW }
  const way = gpuWay(engine.info, hookInstalled)
  if (typeof way === 'object') return { check, state: 'failed', found: way.reason, fix: way.fix }
  const image = gpuTest === true ? await imageAtHand(runProgram) : gpuTest
  if (image === undefined)
    return { check, state: 'failed', found: 'no image to test with', fix: `Run \`docker pull ubuntu\`. ${HOW}` }

  const name = `drydock-gpu-test-${process.pid}`
  const container = ['--name', name, '--pull', 'never', '--network', 'none', '--entrypoint', 'nvidia-smi']
  const end = await runProgram('docker', ['run', '--rm', ...container, ...OPTIONS[way], image, '-L'], TEST_LIMIT_MS)
  // The command is ended then, not the container.
  if (end.failure === 'timeout') await runProgram('docker', ['rm', '--force', name])
  const seen = end.stdout.split('\n').filter((line) => line.startsWith('GPU ')).length
  if (end.failure === undefined && seen > 0)
    return { check, state: 'ok', found: `${seen} of ${gpus.cards.length} seen in a container of ${image}` }
  const says = end.failure === 'timeout' ? 'it did not end in time' : lastLine(end.stderr || end.stdout)
  return { check, state: 'failed', found: `a container of ${image} sees no GPU: ${says}`, fix: fixFor(says) }
}

// As gpuDevices does for workers, for all cards.
const OPTIONS = {
  'default runtime': ['--runtime', 'nvidia', '--env', 'NVIDIA_VISIBLE_DEVICES=all'],
  'nvidia driver': ['--gpus', 'all'],
  cdi: ['--device', 'nvidia.com/gpu=all'],
} as const satisfies Record<GpuWay, readonly string[]>

async function imageAtHand(runProgram: RunProgram): Promise<string | undefined> {
  const { stdout } = await runProgram('docker', ['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}'])
  return stdout.split('\n').find((image) => LIKELY_IMAGE.test(image) && !image.includes('<none>'))
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith("See 'docker"))
  return lines.at(-1)?.trim() ?? 'it says nothing'
}

function fixFor(says: string): string {
  if (/could not select device driver|unknown or invalid runtime/i.test(says)) return INSTALL_TOOLKIT
  if (/no such image|unable to find image|image not known/i.test(says)) return `Pull the image first. ${HOW}`
  if (/nvidia-smi.*not found|no such file/i.test(says)) return 'Name an image with glibc, like ubuntu: not Alpine.'
  return 'Look into the log of Docker, and run `nvidia-ctk cdi list` or `nvidia-container-cli info` for the toolkit.'
}
