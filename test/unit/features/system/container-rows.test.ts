import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { askEngine } from '../../../../src-main/features/system/adapters/ask-engine.ts'
import { containerRows } from '../../../../src-main/features/system/adapters/container-rows.ts'
import { type RunProgram, runToEnd } from '../../../../src-main/features/system/adapters/programs.ts'
import type { ProgramEnd } from '../../../../src-main/runtimes/rules/gpu-list.ts'

const recording = (machine: string) =>
  readFileSync(join(import.meta.dirname, '../../../fixtures/nvidia-smi', machine, 'gpus.csv'), 'utf8')

const version = (platform = 'Docker Engine - Community', context = 'default') =>
  JSON.stringify({ Client: { Version: '28.3.2', Context: context }, Server: { Platform: { Name: platform } } })

const info = (fields = {}) =>
  JSON.stringify({ ServerVersion: '28.3.2', Runtimes: { runc: {}, nvidia: {} }, DefaultRuntime: 'runc', ...fields })

const ALL = {
  'docker version': version(),
  'docker info': info(),
  'nvidia-smi': recording('two-l40s-one-a100'),
  'nvidia-ctk': 'NVIDIA Container Toolkit CLI version 1.17.8\ncommit: f202b80a9b9d0db00d9b1d73c0128c8962c55f4d',
}

type Answers = Readonly<Record<string, string | ProgramEnd | undefined>>

/**
 * The rows by name on a machine with these programs, and what was run. Keys: a program, or it and its first argument.
 */
async function check(answers: Answers, fields: { env?: Record<string, string>; gpuTest?: string | true } = {}) {
  const ran: string[] = []
  const runProgram: RunProgram = async (program, args) => {
    ran.push([program, ...args].join(' '))
    const answer = answers[`${program} ${args[0]}`] ?? answers[program]
    if (answer === undefined) return { stdout: '', stderr: '', failure: 'missing' }
    return typeof answer === 'string' ? { stdout: answer, stderr: '' } : answer
  }
  const rows = await containerRows({
    runProgram,
    engine: () => askEngine(runProgram, fields.env ?? {}),
    gpuTest: fields.gpuTest,
  })
  for (const row of rows) if (row.state !== 'ok') expect(row.fix).toMatch(/\.$/)
  return { rows: Object.fromEntries(rows.map((row) => [row.check, row])), ran }
}

const failed = (stderr: string, stdout = ''): ProgramEnd => ({ stdout, stderr, failure: 'failed' })

test('a machine with everything has no warning, and starts no container unasked', async () => {
  const { rows, ran } = await check(ALL)
  expect(Object.values(rows)).toEqual([
    { check: 'Docker', state: 'ok', found: 'engine 28.3.2 (context default)' },
    {
      check: 'GPU',
      state: 'ok',
      found: 'driver 565.57.01: 2 x NVIDIA L40S (45 GB), NVIDIA A100 80GB PCIe (80 GB)',
    },
    { check: 'NVIDIA toolkit', state: 'ok', found: '1.17.8' },
    { check: 'GPUs in containers', state: 'ok', found: "yes, by NVIDIA's driver" },
    {
      check: 'GPU test',
      state: 'ok',
      found: 'skipped: it starts a container',
      fix: 'Run `drydock doctor --gpu-test IMAGE` with a local image, like ubuntu.',
    },
  ])
  expect(ran.filter((line) => line.startsWith('docker run'))).toEqual([])
})

test('a machine with neither Docker nor a GPU has warnings, and nothing fails', async () => {
  const { rows } = await check({}, { gpuTest: true })
  expect(Object.values(rows).map(({ check: name, state, found }) => [name, state, found])).toEqual([
    ['Docker', 'warning', 'no docker command'],
    ['GPU', 'warning', 'there is no NVIDIA GPU: nvidia-smi was not found'],
    ['NVIDIA toolkit', 'ok', 'not needed without a GPU'],
    ['GPUs in containers', 'ok', 'not needed without a GPU'],
    ['GPU test', 'ok', 'skipped: there is no GPU'],
  ])
})

describe('Docker', () => {
  const silent = (says: string) => ({
    'docker version': failed(says, JSON.stringify({ Client: { Context: 'colima' }, Server: null })),
    'docker info': failed(says, JSON.stringify({ ServerVersion: '' })),
  })

  test('an engine that does not answer is named, with who named it', async () => {
    const says = 'Cannot connect to the Docker daemon at unix:///x.sock. Is the docker daemon running?'
    const { rows } = await check(silent(says))
    expect(rows.Docker).toMatchObject({ state: 'warning', found: `no engine answers (context colima): ${says}` })
    const named = await check(silent(says), { env: { DOCKER_HOST: 'unix:///x.sock' } })
    expect(named.rows.Docker?.found).toContain('(DOCKER_HOST unix:///x.sock)')
  })

  test('a socket that the user may not use has another fix', async () => {
    const { rows } = await check(silent('permission denied while trying to connect'))
    expect(rows.Docker?.fix).toContain('usermod')
  })

  test.each([
    ['4.43.2', 'warning'],
    ['4.44.2', 'warning'],
    ['4.44.3', 'ok'],
    ['4.45.0', 'ok'],
  ])('Docker Desktop %s is %s', async (desktop, state) => {
    const { rows } = await check({ ...ALL, 'docker version': version(`Docker Desktop ${desktop} (199162)`) })
    expect(rows.Docker).toMatchObject({ state, found: expect.stringContaining(`Docker Desktop ${desktop}, `) })
    expect(rows.Docker?.found.includes('CVE-2025-9074')).toBe(state === 'warning')
  })

  test('the docker command of Podman is understood', async () => {
    const podman = { host: { buildahVersion: '1.39.4', kernel: '6.14' }, version: { Version: '5.4.2' } }
    const { rows } = await check({ ...ALL, 'docker version': '{}', 'docker info': JSON.stringify(podman) })
    expect(rows.Docker).toMatchObject({ state: 'ok', found: 'engine 5.4.2 (context default)' })
    expect(rows['GPUs in containers']).toMatchObject({ state: 'ok', found: 'yes, by CDI' })
  })
})

describe('GPU', () => {
  test.each([
    ['driver-mismatch', 'the NVIDIA driver was updated, but the old one is still running'],
    ['none', 'there is no NVIDIA GPU: its driver finds none'],
    ['lost-card', 'driver 565.57.01: NVIDIA L40S (45 GB); the GPU at 0000:65:00.0 does not answer any more'],
    ['mig-a100', 'driver 550.54.15: NVIDIA A100-SXM4-80GB (80 GB); in MIG mode and not used:  0'],
  ])('%s is a warning with a fix', async (machine, found) => {
    const { rows } = await check({ ...ALL, 'nvidia-smi': failed('', recording(machine)) })
    expect(rows.GPU).toMatchObject({ state: 'warning', found })
  })

  test('nvidia-smi is found where Windows keeps it', async () => {
    const { rows } = await check({ '/usr/lib/wsl/lib/nvidia-smi': recording('laptop-8gb') })
    expect(rows.GPU).toMatchObject({
      state: 'ok',
      found: 'driver 535.183.01: NVIDIA GeForce RTX 4060 Laptop GPU (8 GB)',
    })
  })
})

describe('the toolkit', () => {
  test.each([
    ['1.16.1', ['CVE-2024-0132', 'CVE-2025-23359', 'CVE-2025-23266']],
    ['1.17.3', ['CVE-2025-23359', 'CVE-2025-23266']],
    ['1.17.7', ['CVE-2025-23266']],
  ])('%s is a warning that names its escapes', async (toolkit, escapes) => {
    const cli = `cli-version: ${toolkit}\nlib-version: ${toolkit}\nbuild date: 2025-01-01`
    const { rows } = await check({ ...ALL, 'nvidia-ctk': undefined, 'nvidia-container-cli': cli })
    expect(rows['NVIDIA toolkit']).toMatchObject({
      state: 'warning',
      found: `${toolkit}: a container can take over the machine (${escapes.join(', ')})`,
      fix: expect.stringContaining('1.17.8'),
    })
  })

  test('is missing with a GPU only where no Docker Desktop brings it', async () => {
    const without = { ...ALL, 'nvidia-ctk': undefined }
    expect((await check(without)).rows['NVIDIA toolkit']).toMatchObject({ state: 'warning', found: 'not there' })
    const desktop = await check({ ...without, 'docker version': version('Docker Desktop 4.45.0 (1)') })
    expect(desktop.rows['NVIDIA toolkit']).toMatchObject({ state: 'ok', found: 'part of Docker Desktop' })
  })
})

test('an engine that cannot provide GPUs has the fix, and a hook is enough', async () => {
  const without = { ...ALL, 'docker info': info({ Runtimes: { runc: {} } }) }
  expect((await check(without)).rows['GPUs in containers']).toMatchObject({
    state: 'warning',
    found: 'the engine has no NVIDIA runtime: install the NVIDIA Container Toolkit',
    fix: expect.stringContaining('nvidia-ctk runtime configure'),
  })
  const hook = await check({ ...without, 'nvidia-container-runtime-hook': 'version 1.17.8' })
  expect(hook.rows['GPUs in containers']?.state).toBe('ok')
})

describe('the test with a container', () => {
  const SEEN = 'GPU 0: NVIDIA L40S (UUID: GPU-1)\nGPU 1: NVIDIA L40S (UUID: GPU-2)\nGPU 2: NVIDIA A100 (UUID: GPU-3)'
  const IMAGES = 'alpine:3.20\n<none>:<none>\nubuntu:24.04'

  test('runs nvidia-smi in the image that was named, and pulls nothing', async () => {
    const { rows, ran } = await check({ ...ALL, 'docker run': SEEN }, { gpuTest: 'my/image:1' })
    expect(rows['GPU test']).toEqual({
      check: 'GPU test',
      state: 'ok',
      found: '3 of 3 seen in a container of my/image:1',
    })
    expect(ran.at(-1)).toMatch(/^docker run --rm .*--pull never .*--gpus all my\/image:1 -L$/)
  })

  test('takes an image that is at hand, and asks in the way of the engine', async () => {
    const cdi = info({
      Runtimes: { runc: {} },
      CDISpecDirs: ['/etc/cdi'],
      DiscoveredDevices: [0, 1, 2].map((n) => ({ Source: 'cdi', ID: `nvidia.com/gpu=${n}` })),
    })
    const answers = { ...ALL, 'docker info': cdi, 'docker image': IMAGES, 'docker run': SEEN }
    const { rows, ran } = await check(answers, { gpuTest: true })
    expect(rows['GPU test']?.state).toBe('ok')
    expect(ran.at(-1)).toContain('--device nvidia.com/gpu=all ubuntu:24.04 -L')
  })

  test.each([
    ['could not select device driver "nvidia" with capabilities: [[gpu]]', 'Install the NVIDIA Container Toolkit'],
    ['docker: Error response from daemon: No such image: x:1', 'Pull the image first.'],
    ['exec: "nvidia-smi": executable file not found in $PATH: unknown', 'Name an image with glibc'],
    ['nvidia-container-cli: initialization error', 'Check the log of Docker'],
  ])('that fails with %s says what to do', async (says, fix) => {
    const { rows } = await check({ ...ALL, 'docker run': failed(says) }, { gpuTest: 'x:1' })
    expect(rows['GPU test']).toMatchObject({
      state: 'failed',
      found: `a container of x:1 sees no GPU: ${says}`,
      fix: expect.stringContaining(fix),
    })
  })

  test('fails where no image is at hand, and leaves no container behind that takes too long', async () => {
    expect((await check({ ...ALL, 'docker image': 'alpine:3' }, { gpuTest: true })).rows['GPU test']?.state).toBe(
      'failed',
    )
    const slow: ProgramEnd = { stdout: '', stderr: '', failure: 'timeout' }
    const { ran } = await check({ ...ALL, 'docker run': slow, 'docker rm': '' }, { gpuTest: 'x:1' })
    expect(ran.at(-1)).toMatch(/^docker rm --force drydock-gpu-test-\d+$/)
  })
})

test('programs that do not exist, fail or hang are told apart', async () => {
  expect(await runToEnd('/nowhere/docker', [])).toEqual({ stdout: '', stderr: '', failure: 'missing' })
  expect(await runToEnd('sh', ['-c', 'echo out; echo err >&2; exit 3'])).toEqual({
    stdout: 'out',
    stderr: 'err',
    failure: 'failed',
  })
  expect(await runToEnd('sleep', ['30'], 50)).toMatchObject({ failure: 'timeout' })
  expect(await runToEnd('echo', ['well'])).toEqual({ stdout: 'well', stderr: '', failure: undefined })
})
