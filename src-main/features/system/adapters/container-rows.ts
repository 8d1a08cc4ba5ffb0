/** Container and GPU checks only warn, as Drydock works without both; only a requested test can fail. */
import type { DoctorRow } from '../../../contract/system.ts'
import {
  type GpuAccess,
  gpuAccess,
  gpuDevices,
  INSTALL_TOOLKIT,
  isOlder,
  SAFE_TOOLKIT,
  toolkitEscapes,
} from '../../../runtimes/rules/gpu-devices.ts'
import {
  cardsText,
  GPU_LIST_ARGUMENTS,
  type GpuInventory,
  NVIDIA_SMI_PATHS,
  readGpuList,
} from '../../../runtimes/rules/gpu-list.ts'
import type { EngineSeen } from './ask-engine.ts'
import type { RunProgram } from './programs.ts'

export type ContainerChecks = {
  readonly runProgram: RunProgram
  readonly engine: () => Promise<EngineSeen>
  readonly gpuTest: string | true | undefined
}

// Older versions let containers reach the engine (CVE-2025-9074). Source: Docker, security announcements.
const SAFE_DESKTOP = '4.44.3'

const NOT_NEEDED = 'not needed without a GPU'

export async function containerRows({
  runProgram,
  engine: ask,
  gpuTest,
}: ContainerChecks): Promise<readonly DoctorRow[]> {
  const [engine, gpus, toolkit, hook] = await Promise.all([
    ask(),
    askGpus(runProgram),
    askToolkit(runProgram),
    runProgram('nvidia-container-runtime-hook', ['--version']),
  ])
  const facts = { engine, gpus, hookInstalled: hook.failure === undefined }
  return [
    engineRow(engine),
    gpuRow(gpus),
    toolkitRow(toolkit, facts),
    dispatchRow(facts),
    await gpuTestRow({ ...facts, runProgram, gpuTest }),
  ]
}

export async function askGpus(runProgram: RunProgram): Promise<GpuInventory> {
  for (const program of NVIDIA_SMI_PATHS) {
    const end = await runProgram(program, GPU_LIST_ARGUMENTS)
    if (end.failure !== 'missing') return readGpuList(end)
  }
  return readGpuList({ stdout: '', stderr: '', failure: 'missing' })
}

export async function askToolkit(runProgram: RunProgram): Promise<string | undefined> {
  const said = await Promise.all([
    runProgram('nvidia-ctk', ['--version']),
    runProgram('nvidia-container-cli', ['--version']),
  ])
  return said
    .map(({ stdout }) => /version:? v?(\d[\w.+~-]*)/.exec(stdout)?.[1])
    .find((version) => version !== undefined)
}

function engineRow(engine: EngineSeen): DoctorRow {
  const check = 'Docker'
  if (engine.state === 'no command') {
    const fix = 'Workers that are processes do not need it; for containers install Docker.'
    return { check, state: 'warning', found: 'no docker command', fix }
  }
  if (engine.state !== 'answers') {
    const says = engine.state === 'absent' ? engine.reason : engine.says
    const found =
      engine.state === 'absent' ? says : `no engine answers (${engine.where})${says === '' ? '' : `: ${says}`}`
    const fix = /permission denied|EACCES/i.test(says)
      ? 'Add your user to the group docker (`sudo usermod -aG docker $USER`), and log in again.'
      : 'Workers that are processes do not need it; for containers start Docker, or set DOCKER_HOST.'
    return { check, state: 'warning', found, fix }
  }
  const desktop = engine.desktop === undefined ? '' : `Docker Desktop ${engine.desktop}, `
  const found = `engine ${engine.version} (${desktop}${engine.where})`
  if (engine.desktop === undefined || !isOlder(engine.desktop, SAFE_DESKTOP)) return { check, state: 'ok', found }
  const fix = `Update Docker Desktop to ${SAFE_DESKTOP} or later.`
  return { check, state: 'warning', found: `${found}: a container can take over the machine (CVE-2025-9074)`, fix }
}

function gpuRow({ cards, fault, fix }: GpuInventory): DoctorRow {
  const check = 'GPU'
  const found = cards.length === 0 ? '' : `driver ${cards[0]?.driver}: ${cardsText(cards)}`
  if (fault !== undefined) return { check, state: 'warning', found: found === '' ? fault : `${found}; ${fault}`, fix }
  const cut = cards.filter(({ mig }) => mig).map(({ index }) => index)
  if (cut.length === 0) return { check, state: 'ok', found }
  return {
    check,
    state: 'warning',
    found: `${found}; in MIG mode and not used:  ${cut.join(', ')}`,
    fix: `Switch MIG off with \`sudo nvidia-smi -i ${cut.join(',')} -mig 0\` to use them.`,
  }
}

function toolkitRow(version: string | undefined, { engine, gpus }: GpuFacts): DoctorRow {
  const check = 'NVIDIA toolkit'
  const escapes = version === undefined ? [] : toolkitEscapes(version)
  if (escapes.length > 0) {
    return {
      check,
      state: 'warning',
      found: `${version}: a container can take over the machine (${escapes.join(', ')})`,
      fix: `Update the NVIDIA Container Toolkit to ${SAFE_TOOLKIT} or later, and restart Docker.`,
    }
  }
  if (version !== undefined) return { check, state: 'ok', found: version }
  if (gpus.cards.length === 0) return { check, state: 'ok', found: NOT_NEEDED }
  const inDesktop = engine.state === 'answers' && engine.desktop !== undefined
  if (inDesktop) return { check, state: 'ok', found: 'part of Docker Desktop' }
  return { check, state: 'warning', found: 'not there', fix: INSTALL_TOOLKIT }
}

const WAYS = {
  'default runtime': "yes, by NVIDIA's runtime",
  'nvidia driver': "yes, by NVIDIA's driver",
  cdi: 'yes, by CDI',
} as const

function dispatchRow({ engine, gpus, hookInstalled }: GpuFacts): DoctorRow {
  const check = 'GPUs in containers'
  if (gpus.cards.length === 0) return { check, state: 'ok', found: NOT_NEEDED }
  if (engine.state !== 'answers')
    return { check, state: 'warning', found: 'no engine to ask', fix: 'See the row Docker.' }
  const access = gpuAccess(engine.info, hookInstalled)
  if (typeof access === 'object') return { check, state: 'warning', found: access.reason, fix: access.fix }
  const devices = gpuDevices(engine.info, gpus.cards, gpus.cards, hookInstalled)
  if ('reason' in devices) return { check, state: 'warning', found: devices.reason, fix: devices.fix }
  return { check, state: 'ok', found: WAYS[access] }
}

type GpuFacts = { readonly engine: EngineSeen; readonly gpus: GpuInventory; readonly hookInstalled: boolean }

type GpuTest = GpuFacts & { readonly runProgram: RunProgram; readonly gpuTest: string | true | undefined }

// ms. Source: ours, a cold driver and a slow disk together.
const TEST_LIMIT_MS = 60_000

// Images in which NVIDIA's programs can run: they need glibc, so no Alpine.
const LIKELY_IMAGE = /cuda|pytorch|torch|ubuntu|debian|python|drydock/i

const HOW = 'Run `drydock doctor --gpu-test IMAGE` with a local image, like ubuntu.'

/** Starts a container that lists the GPUs, only on request and without pulling an image. */
async function gpuTestRow({ engine, gpus, hookInstalled, runProgram, gpuTest }: GpuTest): Promise<DoctorRow> {
  const check = 'GPU test'
  if (gpus.cards.length === 0) return { check, state: 'ok', found: 'skipped: there is no GPU' }
  if (engine.state !== 'answers') return { check, state: 'ok', found: 'skipped: no engine answers' }
  if (gpuTest === undefined) return { check, state: 'ok', found: 'skipped: it starts a container', fix: HOW }
  const access = gpuAccess(engine.info, hookInstalled)
  if (typeof access === 'object') return { check, state: 'failed', found: access.reason, fix: access.fix }
  const image = gpuTest === true ? await imageAtHand(runProgram) : gpuTest
  if (image === undefined)
    return { check, state: 'failed', found: 'no image to test with', fix: `Run \`docker pull ubuntu\`. ${HOW}` }

  const name = `drydock-gpu-test-${process.pid}`
  const container = ['--name', name, '--pull', 'never', '--network', 'none', '--entrypoint', 'nvidia-smi']
  const end = await runProgram('docker', ['run', '--rm', ...container, ...OPTIONS[access], image, '-L'], TEST_LIMIT_MS)
  // A timeout ends the docker command, so the container is removed separately.
  if (end.failure === 'timeout') await runProgram('docker', ['rm', '--force', name])
  const seen = end.stdout.split('\n').filter((line) => line.startsWith('GPU ')).length
  if (end.failure === undefined && seen > 0)
    return { check, state: 'ok', found: `${seen} of ${gpus.cards.length} seen in a container of ${image}` }
  const says = end.failure === 'timeout' ? 'it did not end in time' : lastLine(end.stderr || end.stdout)
  return { check, state: 'failed', found: `a container of ${image} sees no GPU: ${says}`, fix: fixFor(says) }
}

const OPTIONS = {
  'default runtime': ['--runtime', 'nvidia', '--env', 'NVIDIA_VISIBLE_DEVICES=all'],
  'nvidia driver': ['--gpus', 'all'],
  cdi: ['--device', 'nvidia.com/gpu=all'],
} as const satisfies Record<GpuAccess, readonly string[]>

async function imageAtHand(runProgram: RunProgram): Promise<string | undefined> {
  const { stdout } = await runProgram('docker', ['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}'])
  return stdout.split('\n').find((image) => LIKELY_IMAGE.test(image) && !image.includes('<none>'))
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith("See 'docker"))
  return lines.at(-1)?.trim() ?? 'it printed nothing'
}

function fixFor(says: string): string {
  if (/could not select device driver|unknown or invalid runtime/i.test(says)) return INSTALL_TOOLKIT
  if (/no such image|unable to find image|image not known/i.test(says)) return `Pull the image first. ${HOW}`
  if (/nvidia-smi.*not found|no such file/i.test(says)) return 'Name an image with glibc, like ubuntu: not Alpine.'
  return 'Check the log of Docker, and run `nvidia-ctk cdi list` or `nvidia-container-cli info` for the toolkit.'
}
