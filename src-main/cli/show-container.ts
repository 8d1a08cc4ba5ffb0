import type { ContainerSettings } from '../contract/container.ts'
import { duration, size } from './format.ts'

type Field = readonly [name: string, value: string | undefined]

/** The settings of containers, a line each; nothing for an endpoint of processes. What is as usual is left out. */
export function containerFields(settings: ContainerSettings | undefined): readonly Field[] {
  if (settings === undefined) return []
  const { gpu, volumes, ports, capabilities, keepPausedMs } = settings
  return [
    ['container', settings.image ?? 'our worker image'],
    ['Python', settings.python],
    ['packages', lines(settings.packages)],
    ['Debian packages', lines(settings.systemPackages)],
    ['entry point', words(settings.entrypoint)],
    ['arguments', words(settings.args)],
    ['pull', settings.pull === 'missing' ? undefined : settings.pull],
    ['registry', settings.registryAuth],
    ['graphics cards', gpu && `${settings.gpuCount} of ${gpu}${settings.gpuShared ? ', shared' : ''}`],
    ['CPUs and memory', settings.cpu],
    ['memory', sizeText(settings.memoryBytes)],
    ['disk', sizeText(settings.diskBytes)],
    ['/dev/shm', sizeText(settings.shmBytes)],
    ['volumes', lines(volumes.map(volumeText))],
    ['published ports', ports.length === 0 ? undefined : ports.join(', ')],
    ['profile', settings.profile],
    ['capabilities', capabilities.length === 0 ? undefined : capabilities.join(', ')],
    ['other machines', settings.egress ? undefined : 'not reached'],
    ['stays paused', keepPausedMs === undefined ? undefined : duration(keepPausedMs)],
    ['made before', `${settings.prepared}`],
  ]
}

const sizeText = (bytes: number | undefined) => (bytes === undefined ? undefined : size(bytes))
const lines = (texts: readonly string[] = []) => (texts.length === 0 ? undefined : texts.join('\n'))

function volumeText({ source, target, readOnly }: ContainerSettings['volumes'][number]): string {
  return `${source}:${target}${readOnly ? ':ro' : ''}`
}

// As they would be typed.
function words(list: readonly string[] | undefined): string | undefined {
  return list?.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
}
