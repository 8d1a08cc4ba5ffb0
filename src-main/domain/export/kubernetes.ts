/**
 * An endpoint as manifests of Kubernetes, with what a person has to make first and what is different there. Pure: the
 * same endpoint gives the same manifests. Source: docs/spec/kubernetes-export.md.
 */
import type { ContainerSettings } from '../../contract/container.ts'
import { isLoopbackHost } from '../own-addresses.ts'
import { type EnvironmentFacts, secretNames } from './kubernetes-environment.ts'
import {
  type Exported,
  type Manifest,
  metadata,
  namesOf,
  podLabels,
  quantity,
  takesJobs,
} from './kubernetes-manifest.ts'
import { claimNames, podTemplate, registrySecret } from './kubernetes-pod.ts'
import { scalerManifests } from './kubernetes-scaler.ts'
import { fixedPods, settingNotes } from './kubernetes-settings.ts'

/** What the manifests are made of, beside the endpoint. */
export type ExportFacts = EnvironmentFacts & {
  /** Size of each volume that is asked for, bytes: this machine's folders have none. */
  readonly volumeBytes: number
}

/** What has to be there before the manifests work, for a person, and the commands that make it. */
export type Need = { readonly what: string; readonly commands: readonly string[] }

/** What an export gives. */
export type KubernetesExport = {
  /** In the order in which they are to be applied. */
  readonly manifests: readonly Manifest[]
  readonly needs: readonly Need[]
  /** For a person: settings without a counterpart, or with one that is not quite the same, by name. */
  readonly notes: readonly string[]
}

/** Why an endpoint cannot be exported, as the end of a sentence that says what to do; undefined: it can. */
export function whyNotExported({ graph, handler, container }: Exported): string | undefined {
  if (graph !== undefined) return `it is a published graph and has no workers. Export ${graph.behind}, which runs it`
  const image =
    'make an image with its code in it, push it to a registry that the cluster reaches, and export an endpoint of that image (`drydock endpoint create NAME --image IMAGE`)'
  if (container === undefined) return `its workers are processes of this machine, and a pod runs an image: ${image}`
  if (handler !== undefined)
    return `its handler ${handler} is a file of this machine, which a pod does not have: ${image}`
  return container.image === undefined ? `it names no image of a registry: ${image}` : undefined
}

/** The manifests of an endpoint for which `whyNotExported` has nothing to say. */
export function exportToKubernetes(endpoint: Exported, facts: ExportFacts): KubernetesExport {
  const { container } = endpoint
  if (container === undefined) throw new Error('the endpoint has no container settings')
  const isScaled = takesJobs(endpoint) && endpoint.workersMax > 0
  return {
    manifests: [
      ...claims(endpoint, container, facts),
      ...(takesJobs(endpoint) ? [] : [service(endpoint)]),
      ...(takesJobs(endpoint) || container.egress ? [] : [closedNetwork(endpoint)]),
      deployment(endpoint, podTemplate(endpoint, container, facts), isScaled),
      ...(isScaled ? scalerManifests(endpoint, facts.serviceUrl) : []),
    ],
    needs: needsOf(endpoint, container, { facts, isScaled }),
    notes: [
      ...(endpoint.paused ? ['paused: a pause stays with the service; pods are started all the same'] : []),
      ...settingNotes(endpoint, container),
    ],
  }
}

// Without a number where the scaler sets it: applied again, the file must not undo that.
function deployment(endpoint: Exported, template: object, isScaled: boolean): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata(endpoint), annotations: { 'kubernetes.io/description': endpoint.name } },
    spec: {
      ...(isScaled ? {} : { replicas: fixedPods(endpoint) }),
      selector: { matchLabels: podLabels(endpoint.id) },
      template,
    },
  }
}

function service(endpoint: Exported): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(endpoint),
    spec: { selector: podLabels(endpoint.id), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  }
}

function closedNetwork(endpoint: Exported): Manifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(endpoint),
    spec: { podSelector: { matchLabels: podLabels(endpoint.id) }, policyTypes: ['Egress'], egress: [] },
  }
}

// Not labelled as the endpoint's own: others that name the same folder share the claim, as they share the folder here.
function claims(
  endpoint: Exported,
  container: ContainerSettings,
  { volumeBytes }: Pick<ExportFacts, 'volumeBytes'>,
): readonly Manifest[] {
  const mode = endpoint.workersMax > 1 ? 'ReadWriteMany' : 'ReadWriteOnce'
  return [...claimNames(container).values()].map((name) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'drydock' } },
    spec: { accessModes: [mode], resources: { requests: { storage: quantity(volumeBytes) } } },
  }))
}

function needsOf(
  endpoint: Exported,
  container: ContainerSettings,
  { facts, isScaled }: { readonly facts: ExportFacts; readonly isScaled: boolean },
): readonly Need[] {
  const isReached = takesJobs(endpoint) || endpoint.callsOthers
  return [
    ...(takesJobs(endpoint) ? [WAY_INTO_QUEUE] : []),
    ...(isReached ? [addressNeed(facts.serviceUrl)] : []),
    ...(isScaled ? [scalerNeed(endpoint)] : []),
    ...secretNeeds(endpoint, container, facts),
    ...(container.gpu === undefined
      ? []
      : [{ what: 'Nodes with the NVIDIA device plugin and its GPU feature discovery.', commands: [] }]),
    ...volumeNeeds(container),
  ]
}

const WAY_INTO_QUEUE: Need = {
  what: 'A way into the queue, which does not exist yet: the service answers workers only on addresses of its own machine, and makes tokens (RUNPOD_AI_API_KEY) only for workers that it starts itself. Until then pods of this endpoint take no jobs, although their number follows the queue. More in docs/kubernetes-and-slurm.md of Drydock.',
  commands: [],
}

function addressNeed(serviceUrl: string): Need {
  const [, scheme, host = ''] = /^(https?):\/\/(\[[^\]]*\]|[^/:]*)/.exec(serviceUrl) ?? []
  if (isLoopbackHost(host))
    return {
      what: `An address of the service that the cluster reaches, for in a pod ${serviceUrl} is the pod itself. Export again with it as --service-url.`,
      commands: ['drydock serve --listen ADDRESS'],
    }
  const trusted = scheme === 'https' ? ', with a certificate that KEDA and the pods trust' : ''
  return {
    what: `The service at ${serviceUrl}${trusted}. It answers only to hosts that it knows.`,
    commands: ['drydock serve --listen ADDRESS --allow-host HOST'],
  }
}

function scalerNeed({ id }: Exported): Need {
  const { queueKey } = namesOf(id)
  return {
    what: `KEDA 2.12 or later, and the Secret ${queueKey} with a key that may read the queue.`,
    commands: ['drydock key add keda --role read', `kubectl create secret generic ${queueKey} --from-literal=key=KEY`],
  }
}

function secretNeeds(endpoint: Exported, { registryAuth }: ContainerSettings, facts: ExportFacts): readonly Need[] {
  const { all } = namesOf(endpoint.id)
  const variables = secretNames(endpoint, facts)
  const ofVariables = {
    what: `The Secret ${all} with ${variables.join(', ')}, whose values are never written here. FILE has a line NAME=VALUE for each.`,
    commands: [`kubectl create secret generic ${all} --from-env-file=FILE`],
  }
  if (registryAuth === undefined) return variables.length === 0 ? [] : [ofVariables]
  const name = registrySecret(registryAuth)
  const ofRegistry = {
    what: `The Secret ${name} with the registry credentials ${registryAuth}.`,
    commands: [
      `kubectl create secret docker-registry ${name} --docker-server=HOST --docker-username=NAME --docker-password=PASSWORD`,
    ],
  }
  return variables.length === 0 ? [ofRegistry] : [ofVariables, ofRegistry]
}

function volumeNeeds(container: ContainerSettings): readonly Need[] {
  return [...claimNames(container)].map(([source, name]) => ({
    what: `What is in ${source}: the claim ${name} begins empty. Check its size, class and access mode.`,
    commands: [],
  }))
}
