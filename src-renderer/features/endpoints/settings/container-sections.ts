/** The settings of an endpoint's containers. */
import { GPU_GROUPS } from '../../../../src-main/contract/container.ts'
import type { EndpointConfig } from '../../../../src-main/contract/endpoint.ts'
import type { SettingField, SettingSection } from './setting-field.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3
const inContainers = ({ container }: EndpointConfig) => container !== undefined
const ofWorkerImage = ({ container }: EndpointConfig) => container !== undefined && container.image === undefined
const ofOwnImage = ({ container }: EndpointConfig) => container?.image !== undefined
const withGpu = ({ container }: EndpointConfig) => container?.gpu !== undefined
const LINES = { kind: 'lines', of: 'text' } as const
const OPTIONAL_LINES = { ...LINES, optional: true } as const

const CONTAINER: readonly SettingField[] = [
  {
    path: 'container',
    label: 'Run in containers',
    help: 'Each worker is a container of its own. Without it workers are processes of this machine.',
    input: { kind: 'switch' },
  },
  {
    path: 'container.image',
    label: 'Image',
    help: 'Without one it is the worker image of Drydock, which runs the handler file.',
    input: { kind: 'text', mono: true, optional: true },
    applies: inContainers,
  },
  {
    path: 'container.pull',
    label: 'Pull',
    help: 'When the image is fetched. Always means at most every five minutes.',
    input: {
      kind: 'choice',
      choices: [
        { value: 'missing', label: 'When it is missing' },
        { value: 'always', label: 'Always' },
        { value: 'never', label: 'Never' },
      ],
    },
    applies: ofOwnImage,
  },
  {
    path: 'container.registryAuth',
    label: 'Registry credentials',
    help: 'Stored credentials for a private registry. `drydock registry add` stores them.',
    input: { kind: 'registry' },
    applies: ofOwnImage,
  },
  {
    path: 'container.entrypoint',
    label: 'Entry point',
    help: 'Replaces that of the image, one word a line.',
    input: OPTIONAL_LINES,
    applies: inContainers,
  },
  {
    path: 'container.args',
    label: 'Arguments',
    help: 'Replace the command of the image, one word a line.',
    input: OPTIONAL_LINES,
    applies: inContainers,
  },
  {
    path: 'container.python',
    label: 'Python',
    help: 'Version in the worker image, like 3.12. Without it 3.11.',
    input: { kind: 'text', optional: true },
    applies: ofWorkerImage,
  },
  {
    path: 'container.packages',
    label: 'Python packages',
    help: 'Requirements that the worker image gets, one a line, like torch>=2.5.',
    input: LINES,
    applies: ofWorkerImage,
  },
  {
    path: 'container.systemPackages',
    label: 'Debian packages',
    help: 'That the worker image gets, one a line, like ffmpeg.',
    input: LINES,
    applies: ofWorkerImage,
  },
  {
    path: 'container.volumes',
    label: 'Volumes',
    help: 'Folders of this machine or named volumes, one a line: /models:/models:ro.',
    input: { kind: 'lines', of: 'volumes' },
    applies: inContainers,
  },
  {
    path: 'container.cpu',
    label: 'CPU',
    help: 'Family, CPUs and GB of memory, like cpu3c-2-4. Without it: no limit.',
    input: { kind: 'text', mono: true, optional: true },
    applies: inContainers,
  },
  {
    path: 'container.memoryBytes',
    label: 'Memory',
    help: 'A worker that takes more is ended as out of memory. It goes above what CPU says.',
    input: { kind: 'number', unit: 'GiB', factor: GIB, optional: true },
    applies: inContainers,
  },
  {
    path: 'container.shmBytes',
    label: 'Shared memory',
    help: 'Size of /dev/shm. Without it 64 MiB, with a GPU 1 GiB.',
    input: { kind: 'number', unit: 'MiB', factor: MIB, optional: true },
    applies: inContainers,
  },
  {
    path: 'container.diskBytes',
    label: 'Disk',
    help: 'Limit of what a container writes, where the engine can keep one.',
    input: { kind: 'number', unit: 'GiB', factor: GIB, optional: true },
    applies: inContainers,
  },
  {
    path: 'container.profile',
    label: 'May do',
    help: 'Safe drops all capabilities. Strict also makes its files read-only and runs it as nobody. Trusted drops nothing.',
    input: {
      kind: 'choice',
      choices: [
        { value: 'safe', label: 'Safe' },
        { value: 'strict', label: 'Strict' },
        { value: 'trusted', label: 'Trusted' },
      ],
    },
    applies: inContainers,
  },
  {
    path: 'container.capabilities',
    label: 'Capabilities',
    help: 'Kept although the profile drops them, one a line, like SYS_NICE.',
    input: LINES,
    applies: inContainers,
  },
  {
    path: 'container.keepPausedMs',
    label: 'Stays paused for',
    help: 'An idle worker is frozen for so long before it ends, and wakes in a moment. Without it 10 min, with a GPU none.',
    input: { kind: 'number', unit: 's', factor: 1000, optional: true },
    applies: inContainers,
  },
  {
    path: 'container.prepared',
    label: 'Prepared',
    help: 'Containers that are made before they are needed. None with a GPU, or an image that is always pulled.',
    input: { kind: 'number', unit: 'containers' },
    applies: inContainers,
  },
]

const GPU: readonly SettingField[] = [
  {
    path: 'container.gpu',
    label: 'Graphics card',
    help: 'ANY, a group by its memory, or a part of the name of a card. Without one the worker gets none.',
    input: {
      kind: 'text',
      optional: true,
      suggestions: ['ANY', ...Object.keys(GPU_GROUPS)],
    },
  },
  {
    path: 'container.gpuCount',
    label: 'Cards for a worker',
    help: 'All of one kind.',
    input: { kind: 'number', unit: 'cards' },
    applies: withGpu,
  },
  {
    path: 'container.gpuShared',
    label: 'Share cards',
    help: 'A worker may use a card together with other workers that share. Nothing keeps their memory apart.',
    input: { kind: 'switch' },
    applies: withGpu,
  },
]

const NETWORK: readonly SettingField[] = [
  {
    path: 'container.egress',
    label: 'May reach other machines',
    help: 'Without it a worker reaches this service and nothing else.',
    input: { kind: 'switch' },
  },
  {
    path: 'container.ports',
    label: 'Published ports',
    help: 'Ports of the container that this machine reaches on free ports of loopback, one a line.',
    input: { kind: 'lines', of: 'numbers' },
  },
]

const only = (fields: readonly SettingField[]) =>
  fields.map((field) => ({ ...field, applies: field.applies ?? inContainers }))

/** The sections of containers. */
export const CONTAINER_SECTIONS: readonly SettingSection[] = [
  { id: 'container', title: 'Container', fields: CONTAINER },
  { id: 'gpu', title: 'GPU', fields: only(GPU) },
  { id: 'network', title: 'Network', fields: only(NETWORK) },
]
