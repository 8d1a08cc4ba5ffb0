import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1'
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PersistentVolumeClaim, Service } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { manifestsText } from '../../../../src-main/cli/manifests-text.ts'
import { GPU_GROUPS } from '../../../../src-main/contract/container.ts'
import { exportToKubernetes, type KubernetesExport } from '../../../../src-main/domain/export/kubernetes.ts'
import type { Manifest } from '../../../../src-main/domain/export/kubernetes-manifest.ts'
import { endpoint, exportOf, FACTS, type Settings } from './kubernetes-support.ts'

const KINDS = {
  'v1 PersistentVolumeClaim': PersistentVolumeClaim,
  'v1 Service': Service,
  'apps/v1 Deployment': Deployment,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'keda.sh/v1alpha1 TriggerAuthentication': TriggerAuthentication,
  'keda.sh/v1alpha1 ScaledObject': ScaledObject,
} as const

/** What the published schema of its kind, and the rules that a schema cannot say, have against a manifest. */
function faultsOf(manifest: Manifest): readonly string[] {
  const Model = KINDS[`${manifest.apiVersion} ${manifest.kind}` as keyof typeof KINDS]
  if (Model === undefined) return [`unknown kind ${manifest.apiVersion} ${manifest.kind}`]
  try {
    new Model(manifest as never).validate()
  } catch (error) {
    return [(error as Error).message]
  }
  const named = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(manifest.metadata.name) ? [] : ['its name is no DNS label']
  return [...named, ...(manifest.kind === 'Deployment' ? looseEnds(manifest as unknown as IDeployment) : [])]
}

/** Names within a deployment that lead nowhere. */
function looseEnds({ spec }: IDeployment): readonly string[] {
  const pod = spec?.template.spec
  const [worker] = pod?.containers ?? []
  const volumes = (pod?.volumes ?? []).map(({ name }) => name)
  const mounts = worker?.volumeMounts ?? []
  const ports = (worker?.ports ?? []).map(({ name }) => name)
  const probes = [worker?.startupProbe?.httpGet, worker?.readinessProbe?.httpGet, worker?.livenessProbe?.tcpSocket]
  const isTwice = (names: readonly unknown[]) => new Set(names).size < names.length
  return [
    ...mounts.filter(({ name }) => !volumes.includes(name)).map(({ name }) => `no volume ${name}`),
    ...volumes.filter((name) => !mounts.some((mount) => mount.name === name)).map((name) => `${name} is not mounted`),
    ...probes.flatMap((probe) =>
      probe === undefined || ports.includes(String(probe.port)) ? [] : [`no port ${probe.port}`],
    ),
    ...(isTwice(volumes) || isTwice(mounts.map(({ mountPath }) => mountPath)) ? ['a volume or a path twice'] : []),
    ...(isTwice((worker?.ports ?? []).map(({ containerPort }) => containerPort)) ? ['a port twice'] : []),
    ...(isTwice((worker?.env ?? []).map(({ name }) => name)) ? ['a variable twice'] : []),
    ...(JSON.stringify(spec?.selector.matchLabels) === JSON.stringify(spec?.template.metadata?.labels)
      ? []
      : ['its selector does not select its pods']),
  ]
}

/** Every choice of one of each list. */
const product = (lists: readonly (readonly Settings[])[]): readonly Settings[] =>
  lists.reduce<readonly Settings[]>(
    (made, list) => made.flatMap((one) => list.map((other) => merged(one, other))),
    [{}],
  )

const merged = (one: Settings, other: Settings): Settings => ({
  ...one,
  ...other,
  container: { ...one.container, ...other.container },
})

const MATRIX = product([
  [{}, { loadBalanced: {} }, { loadBalanced: { port: 8000, healthPort: 8001 } }, { command: 'run $(x)' }],
  [{ workersMax: 0 }, { workersMin: 2, workersMax: 2 }, { workersMax: 100, idleTimeoutMs: 3_600_000 }],
  [{ scaler: { type: 'QUEUE_DELAY', value: 3600 } }, { scaler: { type: 'REQUEST_COUNT', value: 2.5 } }],
  [
    {},
    ...['ANY', ...Object.keys(GPU_GROUPS), `${'RTX 4090 '.repeat(20)}`, 'A100,H100,-L4,-Ü'].map((gpu) => ({
      container: { gpu },
    })),
  ],
  [
    { container: { profile: 'strict', capabilities: ['CAP_SYS_NICE'], egress: false, ports: [8000, 9000] } },
    {
      stopGraceMs: 0,
      env: { A: '', HF_TOKEN: 'x', B: 'yes\nno: #' },
      callsOthers: true,
      container: {
        profile: 'trusted',
        registryAuth: 'My_Registry.',
        cpu: 'cpu3c-2-4',
        diskBytes: 1,
        entrypoint: ['a'],
        args: [],
        volumes: [
          { source: `/${'a/'.repeat(100)}`, target: '/a' },
          { source: `/${'a/'.repeat(100)}b`, target: '/b', readOnly: true },
          { source: 'C:\\models', target: '/dev/shm' },
        ],
      },
    },
  ],
])

describe(`the published schemas, with ${MATRIX.length} endpoints`, () => {
  test('have nothing against their manifests', () => {
    const found = MATRIX.flatMap((settings) =>
      exportOf(settings, { variables: ['A', 'OF_APP'] }).manifests.flatMap((manifest) =>
        faultsOf(manifest).map((fault) => ({ settings, kind: manifest.kind, fault })),
      ),
    )
    expect(found.slice(0, 3)).toEqual([])
  })

  test('have nothing against the longest id, which begins with a digit', () => {
    const { manifests } = exportToKubernetes(endpoint({}, '0'.repeat(40)), FACTS)
    expect(manifests.flatMap(faultsOf)).toEqual([])
  })

  test('have nothing against what is read back of the text, which is the same', () => {
    for (const settings of MATRIX.filter((_one, index) => index % 7 === 0)) {
      const exported = exportOf(settings)
      expect(readBack(exported)).toEqual(exported.manifests)
    }
  })
})

const readBack = (exported: KubernetesExport) =>
  parseAllDocuments(manifestsText('Endpoint.', exported), { version: '1.1' }).map((document) => document.toJS())

test('what older readers of YAML take for something else comes back as the text that it is', () => {
  const words = [
    'yes',
    'NO',
    'on',
    'y',
    '~',
    'null',
    '1e3',
    '0x1F',
    '0o7',
    '017',
    '1_000',
    '12:30',
    '1.5',
    '.inf',
    '<<',
    '=',
  ]
  const shapes = [
    '',
    ' a ',
    'a: b',
    '# a',
    '- a',
    '&a',
    '*a',
    '!a',
    '%a',
    '@a',
    '`a',
    '"a',
    "'a",
    '{a',
    'a\n b\n',
    '\ta',
    'ü',
    '\u0007',
  ]
  const env = Object.fromEntries([...words, ...shapes].map((value, index) => [`V${index}`, value]))
  const exported = exportOf({ env: { ...env, NO: 'x', y: 'x', null: 'x' } })
  expect(readBack(exported)).toEqual(exported.manifests)
})

test('comments stay comments, whatever is in the settings', () => {
  const settings = { container: { volumes: [{ source: '/a\nkind: Pod\n---\nb', target: '/a' }] } }
  const exported = exportOf(settings)
  expect(readBack(exported)).toEqual(exported.manifests)
})

describe('planted: a fault in', () => {
  const [, manifest] = exportOf({ loadBalanced: {}, container: { gpu: 'ANY' } }).manifests as [Manifest, Manifest]
  const { spec } = manifest as unknown as Required<IDeployment>
  const pod = spec.template.spec
  const ofWorker = (changes: object) => ofPod({ containers: [{ ...pod?.containers[0], ...changes }] })
  const ofPod = (changes: object) => ({ ...spec, template: { ...spec.template, spec: { ...pod, ...changes } } })

  test('nothing is not found', () => {
    expect(faultsOf({ ...manifest, spec: ofWorker({}) })).toEqual([])
  })

  test.each<[string, object, RegExp]>([
    ['a variable without a name', ofWorker({ env: [{ value: 'x' }] }), /env\/0 must have required property/],
    ['a variable that is a number', ofWorker({ env: [{ name: 'A', value: 1 }] }), /value must be string/],
    ['a variable that is there twice', ofWorker({ env: [{ name: 'A' }, { name: 'A' }] }), /a variable twice/],
    ['a limit that is no quantity', ofWorker({ resources: { limits: { memory: true } } }), /limits/],
    ['a probe of a port that is not there', ofWorker({ ports: [] }), /no port http/],
    ['a mount without its volume', ofPod({ volumes: [] }), /no volume shm/],
    ['labels', { ...spec, selector: {} }, /does not select its pods/],
    ['a missing template', { selector: {} }, /required property template/],
  ])('%s is found', (_name, planted, fault) => {
    expect(faultsOf({ ...manifest, spec: planted }).join('; ')).toMatch(fault)
  })

  test('a trigger, a name, a kind is found', () => {
    const scaler = exportOf().manifests[2] as Manifest
    const spec = scaler.spec as { triggers: readonly object[] }
    const trigger = { ...spec.triggers[0], metadata: { targetValue: 1 } }
    expect(faultsOf({ ...scaler, spec: { ...spec, triggers: [trigger] } })[0]).toMatch(/targetValue must be string/)
    expect(faultsOf({ ...scaler, metadata: { name: 'a_b' } })).toEqual(['its name is no DNS label'])
    expect(faultsOf({ ...scaler, apiVersion: 'keda.sh/v2' })).toEqual(['unknown kind keda.sh/v2 ScaledObject'])
  })
})
