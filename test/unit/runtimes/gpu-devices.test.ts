import { describe, expect, it } from 'vitest'
import {
  gpuAccess,
  gpuDevices,
  isOlder,
  toolkitEscapes,
  withoutGpus,
} from '../../../src-main/runtimes/rules/gpu-devices.ts'
import { recordedCards } from '../../support/recorded-gpus.ts'

const machine = recordedCards('two-l40s-one-a100')
const [first, second] = machine
if (first === undefined || second === undefined) throw new Error('the recording has too few cards')

const RUNC = { 'io.containerd.runc.v2': { path: 'runc' }, runc: { path: 'runc' } }
const NVIDIA = { ...RUNC, nvidia: { path: 'nvidia-container-runtime' } }
const cdi = (...names: string[]) => names.map((name) => ({ Source: 'cdi', ID: `nvidia.com/gpu=${name}` }))

// Parts of /info: the first was recorded from Debian's 20.10, the others are written after it.
const DEBIAN = { ServerVersion: '20.10.24+dfsg1', Runtimes: RUNC, DefaultRuntime: 'runc', KernelVersion: '6.1.0-32' }
const TOOLKIT = { ...DEBIAN, ServerVersion: '27.5.1', Runtimes: NVIDIA, CDISpecDirs: [] }
const DOCKER_28 = {
  ...DEBIAN,
  ServerVersion: '28.3.0',
  CDISpecDirs: ['/etc/cdi', '/var/run/cdi'],
  DiscoveredDevices: cdi('0', first.id, '1', second.id, 'all'),
}
const PODMAN = { ServerVersion: '5.4.2', BuildahVersion: '1.39.4', Runtimes: { crun: {} }, DefaultRuntime: 'crun' }
const DESKTOP = { ...TOOLKIT, ServerVersion: '28.3.2', KernelVersion: '6.6.87.2-microsoft-standard-WSL2' }

const devices = (info: Readonly<Record<string, unknown>>, cards = [second]) => gpuDevices(info, cards, machine)

describe('a container gets its cards', () => {
  it('by id from the driver of NVIDIA where its runtime is registered', () => {
    expect(devices(TOOLKIT, [first, second])).toEqual({
      hostConfig: {
        DeviceRequests: [{ Driver: 'nvidia', DeviceIDs: [first.id, second.id], Capabilities: [['gpu']] }],
      },
      env: {},
    })
  })

  it('by the environment where the runtime of NVIDIA is the default one', () => {
    expect(devices({ ...TOOLKIT, DefaultRuntime: 'nvidia' }, [first, second])).toEqual({
      hostConfig: { Runtime: 'nvidia' },
      env: { NVIDIA_VISIBLE_DEVICES: `${first.id},${second.id}` },
    })
  })

  it('by CDI where the engine lists the card, by id rather than by number', () => {
    const request = (name: string) => ({
      hostConfig: { DeviceRequests: [{ Driver: 'cdi', DeviceIDs: [`nvidia.com/gpu=${name}`] }] },
      env: {},
    })
    expect(devices(DOCKER_28)).toEqual(request(second.id))
    expect(devices({ ...DOCKER_28, DiscoveredDevices: cdi('0', '1', 'all') })).toEqual(request('1'))
    expect(gpuDevices({ ...DOCKER_28, DiscoveredDevices: cdi('all') }, [first], [first])).toEqual(request('all'))
    expect(devices({ ...DOCKER_28, ServerVersion: '27.5.1', DiscoveredDevices: undefined })).toEqual(request(second.id))
    expect(devices(PODMAN)).toEqual(request(second.id))
  })

  it('all of them under Windows, where the environment says which one is its own', () => {
    const env = { CUDA_VISIBLE_DEVICES: second.id }
    const all = [{ Driver: 'nvidia', Count: -1, Capabilities: [['gpu']] }]
    expect(devices(DESKTOP)).toEqual({ hostConfig: { DeviceRequests: all }, env })
    expect(gpuDevices(DESKTOP, [first], [first])).toEqual({ hostConfig: { DeviceRequests: all }, env: {} })
    expect(devices({ ...DOCKER_28, KernelVersion: DESKTOP.KernelVersion, DiscoveredDevices: cdi('all') })).toEqual({
      hostConfig: { DeviceRequests: [{ Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=all'] }] },
      env,
    })
    expect(devices({ ...DESKTOP, DefaultRuntime: 'nvidia' })).toEqual({
      hostConfig: { Runtime: 'nvidia' },
      env: { ...env, NVIDIA_VISIBLE_DEVICES: 'all' },
    })
  })

  it("by NVIDIA's hook if nothing else is installed", () => {
    expect(gpuAccess(DEBIAN, true)).toBe('nvidia driver')
  })
})

describe('an engine that cannot provide cards says why', () => {
  it.each([
    ['Docker without the toolkit', DEBIAN, 'the engine has no NVIDIA runtime'],
    ['Docker 28.2 that found no description', { ...DOCKER_28, DiscoveredDevices: undefined }, 'no NVIDIA runtime'],
    ['Docker 24, which has no CDI yet', { ...DOCKER_28, ServerVersion: '24.0.9' }, 'no NVIDIA runtime'],
    ['CDI that does not know the card', { ...DOCKER_28, DiscoveredDevices: cdi(first.id, 'all') }, second.id],
    ['an old Podman', { ...PODMAN, ServerVersion: '4.9.3', Runtimes: NVIDIA }, 'Podman 4.9.3 does not accept requests'],
    ['an engine that reports nothing', {}, 'no NVIDIA runtime'],
  ])('%s', (_what, info, reason) => {
    expect(devices(info)).toEqual({ reason: expect.stringContaining(reason), fix: expect.stringMatching(/\.$/) })
  })
})

it('a container without cards sees none, also where the runtime of NVIDIA is the default one', () => {
  expect(withoutGpus(TOOLKIT)).toEqual({})
  expect(withoutGpus({ ...TOOLKIT, DefaultRuntime: 'nvidia' })).toEqual({ NVIDIA_VISIBLE_DEVICES: 'void' })
})

describe('versions of the toolkit', () => {
  it.each([
    ['1.16.1', 3],
    ['1.16.2', 2],
    ['1.17.3', 2],
    ['1.17.4', 1],
    ['1.17.7', 1],
    ['1.17.8', 0],
    ['1.18.0-rc.2', 0],
    ['unknown', 0],
  ])('%s has %i known escapes', (version, count) => {
    expect(toolkitEscapes(version)).toHaveLength(count)
  })

  it.each([
    ['4.43.2', '4.44.3', true],
    ['4.44.3', '4.44.3', false],
    ['28.2', '28.2.0', false],
    ['28', '28.2', true],
    ['v27.5.1', '28.2', true],
    ['20.10.24+dfsg1', '25.0', true],
    ['100.0', '28.2', false],
  ])('%s is older than %s: %s', (version, than, older) => {
    expect(isOlder(version, than)).toBe(older)
  })
})
