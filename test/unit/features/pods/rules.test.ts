import { describe, expect, it } from 'vitest'
import { podCreate } from '../../../../src-main/contract/pods.ts'
import {
  containerOf,
  gpuSettingOf,
  ownVolumeOf,
  POD_DEFAULTS,
  type PodFacts,
  settingsIn,
  statusOf,
} from '../../../../src-main/features/pods/rules.ts'

const SETTINGS = { ...POD_DEFAULTS, image: 'python:3.12-slim' }
const NOTHING_KNOWN: PodFacts = { state: undefined, progress: undefined, away: undefined, now: 0 }
const RUNNING = { isRunning: true, startedAt: 1, ports: {}, exit: undefined }
const ended = (exit: object) => ({
  ...RUNNING,
  isRunning: false,
  exit: { code: undefined, signal: undefined, reason: undefined, ...exit },
})

describe('the fields of a pod', () => {
  it('are the same under the names of both versions', () => {
    const settings = {
      image: 'a',
      args: ['sh', '-c', 'sleep 1'],
      registry: 'work',
      ...{ diskGb: 9, pools: ['ADA_24'], gpuCount: 2, volumeGb: 7, mountPath: '/data', networkVolume: 'v' },
    }
    const v2 = podCreate.parse({
      image: 'a',
      args: "sh -c 'sleep 1'",
      ...{ disk: 9, registry: 'work', gpu: { pools: ['ADA_24'], count: 2 }, networkVolumes: ['v'] },
      mounts: { persistent: { size: 7, path: '/data' } },
    })
    const v1 = podCreate.parse({
      ...{ imageName: 'a', dockerStartCmd: ['sh', '-c', 'sleep 1'], containerRegistryAuthId: 'work' },
      ...{ containerDiskInGb: 9, gpuTypeIds: ['ADA_24'], gpuCount: 2, volumeInGb: 7, volumeMountPath: '/data' },
      ...{ networkVolumeId: 'v', cloudType: 'SECURE' },
    })
    expect([settingsIn(v2), settingsIn(v1)]).toEqual([settings, settings])
  })

  it.each([
    [{}, undefined],
    [{ gpuCount: 1 }, 'ANY'],
    [{ gpuTypeIds: ['NVIDIA L4', 'NVIDIA L40'] }, 'NVIDIA L4,NVIDIA L40'],
    [{ gpuTypeIds: ['NVIDIA L4'], computeType: 'CPU' }, undefined],
    [{ gpuTypeIds: Array.from({ length: 30 }, (_, at) => `NVIDIA GeForce ${at}`) }, 'ANY'],
  ])('%j ask for the GPUs %s', (fields, cards) => {
    expect(gpuSettingOf({ ...SETTINGS, ...settingsIn(podCreate.parse(fields)) })).toBe(cards)
  })
})

describe('the container of a pod', () => {
  it('is not privileged and sees of this machine only the network volume', () => {
    const asked = { ...SETTINGS, ports: ['22/tcp', '8888/http'], networkVolume: 'v' }
    expect(containerOf(asked, { gpu: undefined, folder: '/data/models' })).toMatchObject({
      profile: 'safe',
      ports: [22, 8888],
      volumes: [{ source: '/data/models', target: '/workspace' }],
    })
    expect(ownVolumeOf(asked)).toBeUndefined()
    expect(ownVolumeOf(SETTINGS)).toBe('/workspace')
    expect(ownVolumeOf({ ...SETTINGS, volumeGb: 0 })).toBeUndefined()
  })
})

describe('the state of a pod', () => {
  it.each([
    ['starts', 'RUNNING', { progress: 'pulling a' }, 'STARTING', 'pulling a'],
    ['runs', 'RUNNING', { state: RUNNING }, 'RUNNING', null],
    ['was stopped', 'EXITED', { state: ended({ code: 137 }) }, 'EXITED', 'it was stopped'],
    ['ended', 'RUNNING', { state: ended({ code: 2 }) }, 'EXITED', 'its program ended with code 2'],
    ['was killed', 'RUNNING', { state: ended({ signal: 'SIGKILL' }) }, 'EXITED', 'its program ended by SIGKILL'],
    ['is gone', 'RUNNING', {}, 'EXITED', expect.stringContaining('no container')],
    ['cannot be asked about', 'RUNNING', { away: 'no Docker' }, 'EXITED', 'no Docker'],
  ] as const)('is told of one that %s', (_does, wanted, facts, status, statusReason) => {
    const found = statusOf({ wanted, reason: undefined }, { ...NOTHING_KNOWN, ...facts })
    expect(found).toEqual({ status, statusReason })
  })
})
