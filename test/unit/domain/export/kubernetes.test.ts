import type { IScaledObject, ITriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1'
import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import type { IPersistentVolumeClaim, IService } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { exportToKubernetes, whyNotExported } from '../../../../src-main/domain/export/kubernetes.ts'
import type { Exported } from '../../../../src-main/domain/export/kubernetes-manifest.ts'
import { endpoint, exportOf, FACTS, type Settings } from './kubernetes-support.ts'

// The published types refuse fields that do not exist, which the published schemas let pass.

const LABELS = { 'app.kubernetes.io/name': 'drydock-worker', 'app.kubernetes.io/instance': 'sdxl' }
const METADATA = { name: 'drydock-sdxl', labels: { ...LABELS, 'app.kubernetes.io/managed-by': 'drydock' } }
const POD_NAME = { fieldRef: { fieldPath: 'metadata.name' } }
const fromSecret = (key: string) => ({ secretKeyRef: { name: 'drydock-sdxl', key } })
const JOBS = 'http://box:8790/v2/sdxl'

/** The pods' spec and their container. */
function podOf(settings: Settings = {}) {
  const deployment = exportOf(settings).manifests.find(({ kind }) => kind === 'Deployment') as unknown as IDeployment
  const spec = deployment.spec?.template.spec
  const [worker] = spec?.containers ?? []
  if (spec === undefined || worker === undefined) throw new Error('there is no pod')
  const env = Object.fromEntries((worker.env ?? []).map(({ name, value, valueFrom }) => [name, value ?? valueFrom]))
  return { spec, worker, env, replicas: deployment.spec?.replicas }
}

const scalerOf = (settings: Settings = {}) =>
  exportOf(settings).manifests.find(({ kind }) => kind === 'ScaledObject')?.spec as IScaledObject['spec'] | undefined

describe('a queue', () => {
  test('becomes a deployment, and a scaler that asks for its figures', () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...METADATA, annotations: { 'kubernetes.io/description': 'Pictures' } },
      spec: {
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: LABELS },
          spec: {
            shareProcessNamespace: true,
            automountServiceAccountToken: false,
            terminationGracePeriodSeconds: 5,
            containers: [
              {
                name: 'worker',
                image: 'ghcr.io/ada/sdxl:2',
                imagePullPolicy: 'IfNotPresent',
                env: [
                  { name: 'PYTHONUNBUFFERED', value: '1' },
                  { name: 'RUNPOD_WEBHOOK_GET_JOB', value: `${JOBS}/job-take/$ID?w=1` },
                  { name: 'RUNPOD_WEBHOOK_POST_OUTPUT', value: `${JOBS}/job-done/$RUNPOD_POD_ID/$ID?w=1` },
                  { name: 'RUNPOD_WEBHOOK_POST_STREAM', value: `${JOBS}/job-stream/$RUNPOD_POD_ID/$ID?w=1` },
                  { name: 'RUNPOD_WEBHOOK_PING', value: `${JOBS}/ping/$RUNPOD_POD_ID?w=1` },
                  { name: 'RUNPOD_PING_INTERVAL', value: '3000' },
                  { name: 'RUNPOD_POD_ID', valueFrom: POD_NAME },
                  { name: 'RUNPOD_POD_HOSTNAME', valueFrom: POD_NAME },
                  { name: 'RUNPOD_ENDPOINT_ID', value: 'sdxl' },
                  { name: 'RUNPOD_AI_API_KEY', valueFrom: fromSecret('RUNPOD_AI_API_KEY') },
                  { name: 'RUNPOD_ENDPOINT_BASE_URL', value: 'http://box:8790/v2' },
                  { name: 'RUNPOD_API_BASE_URL', value: 'http://box:8790' },
                  { name: 'RUNPOD_SKIP_AUTO_SYSTEM_CHECKS', value: 'true' },
                  { name: 'RUNPOD_SKIP_GPU_CHECK', value: 'true' },
                  { name: 'RUNPOD_ALLOW_PRIVATE_DOWNLOAD_URLS', value: 'true' },
                  { name: 'SVC_ENDPOINT', value: 'sdxl' },
                  { name: 'SVC_BASE_URL', value: 'http://box:8790' },
                  { name: 'SVC_CONCURRENCY', value: '1' },
                ],
                securityContext: {
                  allowPrivilegeEscalation: false,
                  capabilities: { drop: ['ALL'] },
                  seccompProfile: { type: 'RuntimeDefault' },
                },
              },
            ],
          },
        },
      },
    } satisfies IDeployment
    const authentication = {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'TriggerAuthentication',
      metadata: METADATA,
      spec: { secretTargetRef: [{ parameter: 'token', name: 'drydock-sdxl-queue', key: 'key' }] },
    } satisfies ITriggerAuthentication
    const trigger = (name: string, valueLocation: string) => ({
      type: 'metrics-api',
      name,
      metadata: { url: `${JOBS}/health`, valueLocation, targetValue: '1', authMode: 'bearer' },
      authenticationRef: { name: 'drydock-sdxl' },
    })
    const scaler = {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: METADATA,
      spec: {
        scaleTargetRef: { name: 'drydock-sdxl' },
        minReplicaCount: 0,
        maxReplicaCount: 3,
        pollingInterval: 5,
        cooldownPeriod: 5,
        advanced: {
          scalingModifiers: { formula: 'queued + running', target: '1' },
          horizontalPodAutoscalerConfig: {
            behavior: {
              scaleUp: {
                stabilizationWindowSeconds: 0,
                policies: [{ type: 'Pods', value: 1, periodSeconds: 4 }],
              },
              scaleDown: { stabilizationWindowSeconds: 5 },
            },
          },
        },
        triggers: [trigger('queued', 'jobs.inQueue'), trigger('running', 'jobs.inProgress')],
      },
    } satisfies IScaledObject
    expect(exportOf().manifests).toEqual([deployment, authentication, scaler])
  })

  test('has its workers, idle timeout and concurrency in the scaler', () => {
    expect(scalerOf({ workersMin: 2, workersMax: 8, idleTimeoutMs: 30_500, concurrency: 4 })).toMatchObject({
      minReplicaCount: 2,
      maxReplicaCount: 8,
      cooldownPeriod: 31,
      advanced: {
        scalingModifiers: { target: '4' },
        horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 31 } } },
      },
    })
  })

  test.each([
    [{ type: 'REQUEST_COUNT', value: 6 }, '6', { type: 'Pods', value: 3, periodSeconds: 1 }],
    [{ type: 'QUEUE_DELAY', value: 0 }, '1', { type: 'Pods', value: 3, periodSeconds: 1 }],
    [{ type: 'QUEUE_DELAY', value: 0.2 }, '1', { type: 'Pods', value: 1, periodSeconds: 1 }],
    [{ type: 'QUEUE_DELAY', value: 1800 }, '1', { type: 'Pods', value: 1, periodSeconds: 1800 }],
    [{ type: 'QUEUE_DELAY', value: 1801 }, '1', { type: 'Pods', value: 1, periodSeconds: 1800 }],
  ])('grows as its rule says: %o', (scaler, target, policy) => {
    expect(scalerOf({ scaler })?.advanced).toMatchObject({
      scalingModifiers: { target },
      horizontalPodAutoscalerConfig: { behavior: { scaleUp: { policies: [policy] } } },
    })
  })

  test('without workers has no scaler and no pod', () => {
    expect(podOf({ workersMax: 0 }).replicas).toBe(0)
    expect(exportOf({ workersMax: 0 }).manifests.map(({ kind }) => kind)).toEqual(['Deployment'])
  })
})

describe('a load-balanced endpoint', () => {
  const WEB = { loadBalanced: { port: 8000, healthPort: 8001 }, scaler: { type: 'REQUEST_COUNT', value: 4 } }

  test('becomes a service before pods of a fixed number, and nothing of it asks for the queue', () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: METADATA,
      spec: { selector: LABELS, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    } satisfies IService
    const exported = exportOf(WEB)
    expect(exported.manifests).toEqual([service, expect.objectContaining({ kind: 'Deployment' })])
    expect(exported.needs).toEqual([])
    expect(JSON.stringify(exported)).not.toMatch(/box:8790|WEBHOOK|API_KEY/)
    const { env } = podOf(WEB)
    expect(env).toMatchObject({ PORT: '8000', PORT_HEALTH: '8001', SVC_HOST: '0.0.0.0' })
  })

  test.each([
    [{ workersMin: 0, workersMax: 3 }, 1],
    [{ workersMin: 2, workersMax: 3 }, 2],
    [{ workersMin: 0, workersMax: 0 }, 0],
  ])('of %o workers has %i pods', (workers, pods) => {
    expect(podOf({ ...WEB, ...workers }).replicas).toBe(pods)
  })

  test('has its health checks as probes, and its time to start', () => {
    const ping = { httpGet: { path: '/ping', port: 'health' }, periodSeconds: 5, timeoutSeconds: 5 }
    expect(podOf({ ...WEB, initializingTimeoutMs: 61_000 }).worker).toMatchObject({
      ports: [
        { name: 'health', containerPort: 8001 },
        { name: 'http', containerPort: 8000 },
      ],
      startupProbe: { ...ping, failureThreshold: 13 },
      readinessProbe: { ...ping, failureThreshold: 3 },
      livenessProbe: { tcpSocket: { port: 'health' }, periodSeconds: 5, failureThreshold: 3 },
    })
    const { worker } = podOf({ loadBalanced: { port: 8000, healthPort: 8000 }, container: { ports: [8000, 9000] } })
    expect(worker.ports).toEqual([
      { name: 'http', containerPort: 8000 },
      { name: 'port-9000', containerPort: 9000 },
    ])
    expect(worker.readinessProbe?.httpGet?.port).toBe('http')
  })

  test('that may not reach other machines gets a policy that lets it reach none', () => {
    const policy = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: METADATA,
      spec: { podSelector: { matchLabels: LABELS }, policyTypes: ['Egress'], egress: [] },
    } satisfies INetworkPolicy
    expect(exportOf({ ...WEB, container: { egress: false } }).manifests[1]).toEqual(policy)
  })

  test('that calls other endpoints knows the service, with a key from its Secret', () => {
    expect(podOf({ ...WEB, callsOthers: true }).env).toMatchObject({
      SVC_BASE_URL: 'http://box:8790',
      SVC_API_KEY: fromSecret('SVC_API_KEY'),
      RUNPOD_API_KEY: fromSecret('RUNPOD_API_KEY'),
    })
  })
})

describe('the container', () => {
  test.each<[string, Settings, object]>([
    [
      'command',
      { command: 'echo $$ $(pwd) $PORT' },
      { command: ['/bin/sh', '-c'], args: ['exec echo $$$ $$(pwd) $PORT'] },
    ],
    ['entrypoint', { container: { entrypoint: ['run', '$(A)'] } }, { command: ['run', '$$(A)'] }],
    ['args', { container: { args: ['--n', '1'] } }, { args: ['--n', '1'] }],
    ['pull', { container: { pull: 'always' } }, { imagePullPolicy: 'Always' }],
    ['pull', { container: { pull: 'never' } }, { imagePullPolicy: 'Never' }],
    ['ports', { container: { ports: [9000] } }, { ports: [{ name: 'port-9000', containerPort: 9000 }] }],
    ['cpu', { container: { cpu: 'cpu3c-2-4' } }, { resources: { limits: { cpu: '2', memory: '4Gi' } } }],
    [
      'memoryBytes',
      { container: { cpu: 'cpu3c-2-4', memoryBytes: 512 * 1024 ** 2 } },
      { resources: { limits: { cpu: '2', memory: '512Mi' } } },
    ],
    ['diskBytes', { container: { diskBytes: 5e9 } }, { resources: { limits: { 'ephemeral-storage': '5000000000' } } }],
    ['gpuCount', { container: { gpu: 'ANY', gpuCount: 2 } }, { resources: { limits: { 'nvidia.com/gpu': '2' } } }],
    [
      'profile strict',
      { container: { profile: 'strict' } },
      {
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsUser: 65534,
          runAsGroup: 65534,
          capabilities: { drop: ['ALL'] },
          seccompProfile: { type: 'RuntimeDefault' },
        },
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      },
    ],
    [
      'profile trusted, capabilities',
      { container: { profile: 'trusted', capabilities: ['CAP_SYS_NICE', 'NET_ADMIN'] } },
      {
        securityContext: {
          allowPrivilegeEscalation: true,
          capabilities: { add: ['SYS_NICE', 'NET_ADMIN'] },
          seccompProfile: { type: 'RuntimeDefault' },
        },
      },
    ],
  ])('has the setting %s', (_name, settings, expected) => {
    const { worker } = podOf(settings)
    const shown = Object.fromEntries(
      Object.keys(expected).map((field) => [field, worker[field as keyof typeof worker]]),
    )
    expect(shown).toEqual(expected)
  })

  test.each([
    [{}, undefined],
    [{ gpu: 'ANY' }, '1Gi'],
    [{ gpu: 'ANY', shmBytes: 2 * 1024 ** 3 }, '2Gi'],
    [{ shmBytes: 100_000 }, '100000'],
    [{ shmBytes: 100_000, volumes: [{ source: 'v', target: '/dev/shm/' }] }, undefined],
  ])('with %o has a /dev/shm of %s', (container, sizeLimit) => {
    const { spec, worker } = podOf({ container })
    const volume = spec.volumes?.find(({ name }) => name === 'shm')
    expect(volume?.emptyDir).toEqual(sizeLimit && { medium: 'Memory', sizeLimit })
    expect(worker.volumeMounts?.some(({ name }) => name === 'shm') ?? false).toBe(sizeLimit !== undefined)
  })

  test('gets a claim for each volume, as often as it is mounted', () => {
    const volumes = [
      { source: '/home/ada/models', target: '/models', readOnly: true },
      { source: '/home/ada/models', target: '/more' },
      { source: '/home/ada_models', target: '/alike' },
      { source: 'Cache', target: '/cache' },
    ]
    const { spec, worker } = podOf({ container: { volumes } })
    expect(spec.volumes).toEqual([
      { name: 'volume-1', persistentVolumeClaim: { claimName: 'drydock-volume-home-ada-models' } },
      { name: 'volume-2', persistentVolumeClaim: { claimName: 'drydock-volume-home-ada-models-2' } },
      { name: 'volume-3', persistentVolumeClaim: { claimName: 'drydock-volume-cache' } },
    ])
    expect(worker.volumeMounts).toEqual([
      { name: 'volume-1', mountPath: '/models', readOnly: true },
      { name: 'volume-1', mountPath: '/more' },
      { name: 'volume-2', mountPath: '/alike' },
      { name: 'volume-3', mountPath: '/cache' },
    ])
    const claim = (name: string, mode: 'ReadWriteOnce' | 'ReadWriteMany') =>
      ({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'drydock' } },
        spec: { accessModes: [mode], resources: { requests: { storage: '10Gi' } } },
      }) satisfies IPersistentVolumeClaim
    const claims = (workersMax: number) =>
      exportOf({ workersMax, container: { volumes: volumes.slice(3) } }).manifests[0]
    expect(claims(1)).toEqual(claim('drydock-volume-cache', 'ReadWriteOnce'))
    expect(claims(2)).toEqual(claim('drydock-volume-cache', 'ReadWriteMany'))
  })

  test('is pulled with the credentials of a Secret, and has its grace time', () => {
    const { spec } = podOf({ stopGraceMs: 1500, container: { registryAuth: 'My_Registry' } })
    expect(spec.imagePullSecrets).toEqual([{ name: 'drydock-registry-my-registry' }])
    expect(spec.terminationGracePeriodSeconds).toBe(2)
  })
})

describe('cards', () => {
  const termsOf = (gpu: string) =>
    podOf({ container: { gpu } }).spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms
  const named = (operator: string, ...values: string[]) => ({ key: 'nvidia.com/gpu.product', operator, values })

  test('of any kind need no label; their nodes may be kept for cards', () => {
    const { spec } = podOf({ container: { gpu: 'ANY' } })
    expect(spec.affinity).toBeUndefined()
    expect(spec.tolerations).toEqual([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }])
  })

  test('of a group are chosen by their memory, as here', () => {
    const memory = { key: 'nvidia.com/gpu.memory', operator: 'Gt', values: ['22855'] } // 24 GiB less 7 %, in MiB
    expect(termsOf('ADA_24')).toEqual([{ matchExpressions: [memory] }])
  })

  test('of a name are chosen by it, and others left out', () => {
    expect(termsOf('NVIDIA GeForce RTX 4090,l4,-A100')).toEqual([
      {
        matchExpressions: [
          named('In', 'NVIDIA-GeForce-RTX-4090'),
          named('NotIn', 'A100', 'NVIDIA-A100', 'NVIDIA-GeForce-A100'),
        ],
      },
      {
        matchExpressions: [
          named('In', 'l4', 'NVIDIA-l4', 'NVIDIA-GeForce-l4'),
          named('NotIn', 'A100', 'NVIDIA-A100', 'NVIDIA-GeForce-A100'),
        ],
      },
    ])
  })
})

describe('variables', () => {
  test('are values, but for secrets: these come from a Secret, and are never written', () => {
    const env = {
      MODEL: 'small',
      PATTERN: '$(HOME)',
      HF_TOKEN: 'hush-1',
      DATABASE: 'postgres://ada:hush-2@db/jobs',
      LICENCE: '{{ RUNPOD_SECRET_licence }}',
      MONKEYS: '3',
    }
    const exported = exportOf({ env }, { variables: ['FROM_APP'] })
    const facts = { MODEL: 'small', PATTERN: '$$(HOME)', MONKEYS: '3' }
    const secrets = ['HF_TOKEN', 'DATABASE', 'LICENCE']
    expect(podOf({ env }).env).toMatchObject({
      ...facts,
      ...Object.fromEntries(secrets.map((name) => [name, fromSecret(name)])),
    })
    expect(JSON.stringify(exported)).not.toMatch(/hush/)
    expect(exported.needs.map(({ what }) => what)).toContain(
      'The Secret drydock-sdxl with RUNPOD_AI_API_KEY, HF_TOKEN, DATABASE, LICENCE, FROM_APP, whose values are never written here. FILE has a line NAME=VALUE for each.',
    )
  })
})

test.each<[string, Partial<Exported>, RegExp]>([
  ['of processes', { container: undefined }, /^its workers are processes.*drydock endpoint create NAME --image IMAGE/],
  ['with a handler', { handler: '/home/ada/handler.py' }, /^its handler \/home\/ada\/handler\.py is a file of this/],
  ['of the worker image', { container: containerSettings.parse({}), command: 'python3 w.py' }, /^it names no image/],
  [
    'that is a published graph',
    { container: undefined, graph: { behind: 'sketch', version: 1 } },
    /^it is a published graph.*Export sketch/,
  ],
])('an endpoint %s is not exported, and it says what to do', (_name, changes, why) => {
  expect(whyNotExported({ ...endpoint(), ...changes })).toMatch(why)
})

test('every setting that is different there is named, and none besides', () => {
  const named = (settings: Settings) => exportOf(settings).notes.map((note) => note.slice(0, note.indexOf(':')))
  const always = ['executionTimeoutMs', 'initializingTimeoutMs', 'redispatches']
  expect(named({ workersMax: 1 })).toEqual(always)
  const container = {
    ...{ image: 'worker-comfyui:5', ports: [9000], cpu: 'cpu3c-2-4', diskBytes: 5e9, gpu: 'L4', gpuShared: true },
    ...{ egress: false, keepPausedMs: 1000, prepared: 3, placement: ['node.labels.zone==lab'] },
  }
  const settings = {
    ...{ cwd: '/home', searchPath: '/bin', virtualEnv: '/venv', idleTimeoutMs: 1500, freezeIdle: true, stopGraceMs: 1 },
    ...{ scaler: { type: 'QUEUE_DELAY', value: 0.5 }, cors: ['http://a.b'], streamForm: 'array', workflows: {} },
    emptyInput: 'refuse',
    ttlWhileRunning: 'keep',
    ...{ platform: { disk: 5 }, faults: { failPercent: 5 } },
    app: { name: 'shop', environment: 'production', resource: 'web', code: '', variables: 0 },
    container,
  }
  const queue = ['cwd', 'searchPath', 'virtualEnv', 'workersMax', 'idleTimeoutMs', 'executionTimeoutMs']
  const both = ['container.ports', 'container.cpu', 'container.diskBytes', 'container.gpu', 'container.gpuShared']
  expect(named(settings)).toEqual([
    ...queue,
    ...[
      'initializingTimeoutMs',
      'freezeIdle',
      'stopGraceMs',
      'redispatches',
      'scaler',
      'cors',
      'streamForm',
      'emptyInput',
      'ttlWhileRunning',
    ],
    ...['workflows', 'app', 'platform', 'faults'],
    ...[...both, 'container.egress', 'container.placement', 'container.keepPausedMs', 'container.prepared'],
  ])
  expect(named({ ...settings, loadBalanced: {} })).toEqual([
    ...queue,
    ...[
      'freezeIdle',
      'stopGraceMs',
      'scaler',
      'loadBalanced',
      'cors',
      'streamForm',
      'emptyInput',
      'ttlWhileRunning',
      'app',
    ],
    ...['platform', 'faults'],
    ...[...both, 'container.placement', 'container.keepPausedMs', 'container.prepared'],
  ])
})

test('a pause is no setting, and named all the same', () => {
  const { notes } = exportToKubernetes({ ...endpoint(), paused: true }, FACTS)
  expect(notes[0]).toBe('paused: a pause stays with the service; pods are started all the same')
})

test.each([
  ['http://127.0.0.1:8790', /in a pod http:\/\/127\.0\.0\.1:8790 is the pod itself/],
  ['http://[::1]:8790', /is the pod itself/],
  ['http://box:8790', /^The service at http:\/\/box:8790\. It answers/],
  ['https://box:8790', /^The service at https:\/\/box:8790, with a certificate that KEDA and the pods trust/],
])('a service at %s is what pods need', (serviceUrl, what) => {
  expect(exportOf({}, { serviceUrl }).needs[1]?.what).toMatch(what)
})
