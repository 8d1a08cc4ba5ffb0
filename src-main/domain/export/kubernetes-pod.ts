/** The pods of an endpoint: their container, what it may do and use, its volumes and probes. */
import { type ContainerSettings, readCpuSpec } from '../../contract/container.ts'
import { initializingLimitMs } from '../../contract/endpoint.ts'
import { healthPathOf, listeningPorts } from '../load-balanced/listening-variables.ts'
import { PROFILES, SHM_BYTES, shmBytes } from '../worker/container-limits.ts'
import { type EnvironmentFacts, literally, podEnvironment } from './kubernetes-environment.ts'
import { gpuNodeTerms } from './kubernetes-gpu.ts'
import { type Exported, objectName, podLabels, quantity, wholeSeconds } from './kubernetes-manifest.ts'

const PULL_POLICIES = { missing: 'IfNotPresent', always: 'Always', never: 'Never' } as const
const GPU = 'nvidia.com/gpu'

/** Pause between two probes, and how long a response may take, s; source: ours, as this machine asks a quiet worker. */
const PROBE_SECONDS = 5
/** How often in a row a worker may give no response; source: ours, as in domain/load-balanced/evaluate-ping.ts. */
const PROBE_FAILURES = 3

/** The template of the pods. Source: docs/spec/kubernetes-export.md, 2. */
export function podTemplate(endpoint: Exported, container: ContainerSettings, facts: EnvironmentFacts): object {
  const { id, stopGraceMs } = endpoint
  const { gpu, registryAuth } = container
  const terms = gpu === undefined ? [] : gpuNodeTerms(gpu)
  const volumes = podVolumes(container)
  return {
    metadata: { labels: podLabels(id) },
    spec: {
      // As the init process that containers get here: a worker that is not process 1 ends at SIGTERM by itself.
      shareProcessNamespace: true,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: wholeSeconds(stopGraceMs),
      ...(registryAuth === undefined ? {} : { imagePullSecrets: [{ name: registrySecret(registryAuth) }] }),
      ...(gpu === undefined ? {} : { tolerations: [{ key: GPU, operator: 'Exists', effect: 'NoSchedule' }] }),
      ...(terms.length === 0
        ? {}
        : {
            affinity: {
              nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
            },
          }),
      containers: [workerContainer(endpoint, container, facts, volumes)],
      ...(volumes.length === 0
        ? {}
        : { volumes: [...new Map(volumes.map(({ volume }) => [volume.name, volume])).values()] }),
    },
  }
}

/** Name of the Secret with stored credentials of a registry, as Kubernetes has them. */
export const registrySecret = (registryAuth: string): string => objectName('registry', registryAuth)

/** The folders of this machine and volumes of its engine that an endpoint has, each with the name of its claim. */
export function claimNames({ volumes }: Pick<ContainerSettings, 'volumes'>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { source } of volumes) {
    if (names.has(source)) continue
    const taken = new Set(names.values())
    const first = objectName('volume', source)
    let name = first
    for (let number = 2; taken.has(name); number++) name = `${first}-${number}`
    names.set(source, name)
  }
  return names
}

function workerContainer(
  endpoint: Exported,
  container: ContainerSettings,
  facts: EnvironmentFacts,
  volumes: readonly PodVolume[],
): object {
  const ports = podPorts(endpoint, container)
  const limits = resourceLimits(container)
  return {
    name: 'worker',
    image: container.image,
    imagePullPolicy: PULL_POLICIES[container.pull],
    ...program(endpoint, container),
    env: podEnvironment(endpoint, facts),
    ...(ports.length === 0 ? {} : { ports }),
    ...(Object.keys(limits).length === 0 ? {} : { resources: { limits } }),
    ...(volumes.length === 0 ? {} : { volumeMounts: volumes.map(({ mount }) => mount) }),
    securityContext: securityContext(container),
    ...probes(endpoint),
  }
}

// As on this machine: a command replaces what the image runs; entry point and arguments of the settings go before that.
function program({ command }: Exported, { entrypoint, args }: ContainerSettings): object {
  if (command !== undefined) return { command: ['/bin/sh', '-c'], args: [literally(`exec ${command}`)] }
  return {
    ...(entrypoint === undefined ? {} : { command: entrypoint.map(literally) }),
    ...(args === undefined ? {} : { args: args.map(literally) }),
  }
}

function podPorts({ loadBalanced, env }: Exported, { ports }: ContainerSettings): readonly object[] {
  const named = new Map(ports.map((port) => [port, `port-${port}`]))
  const { port, healthPort } = loadBalanced === undefined ? {} : listeningPorts(loadBalanced, env)
  if (healthPort !== undefined) named.set(healthPort, 'health')
  if (port !== undefined) named.set(port, 'http')
  return [...named].map(([containerPort, name]) => ({ name, containerPort }))
}

function resourceLimits({ cpu, memoryBytes, diskBytes, gpu, gpuCount }: ContainerSettings): Record<string, string> {
  const spec = cpu === undefined ? undefined : readCpuSpec(cpu)
  const memory = memoryBytes ?? spec?.memoryBytes
  return {
    ...(spec === undefined ? {} : { cpu: String(spec.cpus) }),
    ...(memory === undefined ? {} : { memory: quantity(memory) }),
    ...(diskBytes === undefined ? {} : { 'ephemeral-storage': quantity(diskBytes) }),
    ...(gpu === undefined ? {} : { [GPU]: String(gpuCount) }),
  }
}

function securityContext({ profile, capabilities }: ContainerSettings): object {
  const { dropCapabilities, newPrivileges, readOnlyRoot, user } = PROFILES[profile]
  const [runAsUser, runAsGroup] = user?.split(':').map(Number) ?? []
  const changed = {
    ...(dropCapabilities ? { drop: ['ALL'] } : {}),
    ...(capabilities.length === 0 ? {} : { add: capabilities.map((name) => name.replace(/^CAP_/, '')) }),
  }
  return {
    allowPrivilegeEscalation: newPrivileges,
    ...(readOnlyRoot ? { readOnlyRootFilesystem: true } : {}),
    ...(user === undefined ? {} : { runAsUser, runAsGroup }),
    ...(Object.keys(changed).length === 0 ? {} : { capabilities: changed }),
    seccompProfile: { type: 'RuntimeDefault' }, // which engines give every container, and Kubernetes none
  }
}

type PodVolume = {
  readonly volume: { readonly name: string; readonly [kind: string]: unknown }
  readonly mount: { readonly name: string; readonly mountPath: string; readonly readOnly?: true }
}

function podVolumes(container: ContainerSettings): readonly PodVolume[] {
  const isTaken = (path: string) => container.volumes.some(({ target }) => target.replace(/\/+$/, '') === path)
  const shm = shmBytes(container)
  const claims = claimNames(container)
  return [
    ...container.volumes.map(({ source, target, readOnly }) => {
      const name = `volume-${[...claims.keys()].indexOf(source) + 1}`
      return {
        volume: { name, persistentVolumeClaim: { claimName: claims.get(source) } },
        mount: { name, mountPath: target, ...(readOnly ? { readOnly } : {}) },
      }
    }),
    ...(shm === SHM_BYTES || isTaken('/dev/shm') ? [] : [inMemory('shm', '/dev/shm', quantity(shm))]),
    ...(PROFILES[container.profile].readOnlyRoot && !isTaken('/tmp') ? [inMemory('tmp', '/tmp', '1Gi')] : []),
  ]
}

function inMemory(name: string, mountPath: string, sizeLimit: string): PodVolume {
  return { volume: { name, emptyDir: { medium: 'Memory', sizeLimit } }, mount: { name, mountPath } }
}

/**
 * The probes of the pods of a load-balanced endpoint: a GET until it is ready, and for whether it gets
 * requests. Whether it has to be started anew is asked by a connection alone: many small servers do one thing at a
 * time, and one that is busy must not be ended for it.
 */
function probes(endpoint: Exported): object {
  const { loadBalanced, env } = endpoint
  if (loadBalanced === undefined) return {}
  const port = listeningPorts(loadBalanced, env).healthPort === undefined ? 'http' : 'health'
  const ping = {
    httpGet: { path: healthPathOf(env), port },
    periodSeconds: PROBE_SECONDS,
    timeoutSeconds: PROBE_SECONDS,
  }
  const startFailures = Math.max(1, Math.ceil(wholeSeconds(initializingLimitMs(endpoint)) / PROBE_SECONDS))
  return {
    startupProbe: { ...ping, failureThreshold: startFailures },
    readinessProbe: { ...ping, failureThreshold: PROBE_FAILURES },
    livenessProbe: { tcpSocket: { port }, periodSeconds: PROBE_SECONDS, failureThreshold: PROBE_FAILURES },
  }
}
