/**
 * What scales the pods of a queue: a ScaledObject of KEDA that reads the figures of `GET /v2/ID/health`. Its trigger is
 * `metrics-api`, as that route is there, and what `prometheus` asks, a Prometheus server, is not. Source:
 * docs/spec/kubernetes-export.md, 3; KEDA, "Metrics API", "Scaling modifiers".
 */
import { SECOND_MS } from '../../contract/units.ts'
import { type Exported, type Manifest, metadata, namesOf, wholeSeconds } from './kubernetes-manifest.ts'

/** How often an endpoint without pods is asked whether there is work, s; source: ours: short beside the start of a pod. */
const POLLING_SECONDS = 5
/** The longest period of a rule of growth, s. Source: Kubernetes, HPAScalingPolicy. */
const LONGEST_PERIOD_SECONDS = 1800

/**
 * Both count: with the waiting jobs alone a worker would be ended while it runs the last one. Their names are those of
 * the formula.
 */
const FIGURES = { queued: 'jobs.inQueue', running: 'jobs.inProgress' } as const

/** The scaler, and what it signs its questions with. */
export function scalerManifests(endpoint: Exported, serviceUrl: string): readonly Manifest[] {
  const { id, workersMin, workersMax, idleTimeoutMs } = endpoint
  const { all, queueKey } = namesOf(id)
  const target = String(jobsPerPod(endpoint))
  return [
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'TriggerAuthentication',
      metadata: metadata(endpoint),
      spec: { secretTargetRef: [{ parameter: 'token', name: queueKey, key: 'key' }] },
    },
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: metadata(endpoint),
      spec: {
        scaleTargetRef: { name: all },
        minReplicaCount: workersMin,
        maxReplicaCount: workersMax,
        pollingInterval: POLLING_SECONDS,
        cooldownPeriod: wholeSeconds(idleTimeoutMs),
        advanced: {
          scalingModifiers: { formula: Object.keys(FIGURES).join(' + '), target },
          horizontalPodAutoscalerConfig: { behavior: behavior(endpoint) },
        },
        triggers: Object.entries(FIGURES).map(([name, valueLocation]) => ({
          type: 'metrics-api',
          name,
          metadata: { url: `${serviceUrl}/v2/${id}/health`, valueLocation, targetValue: target, authMode: 'bearer' },
          authenticationRef: { name: all },
        })),
      },
    },
  ]
}

/** How many jobs each pod is to have, as in domain/worker/scaling.ts. */
const jobsPerPod = ({ scaler, concurrency }: Exported) => (scaler.type === 'REQUEST_COUNT' ? scaler.value : concurrency)

/** From how many seconds of waiting on one more pod is added, as Kubernetes counts them; undefined: all at once. */
export function growthSeconds({ scaler }: Pick<Exported, 'scaler'>): number | undefined {
  if (scaler.type === 'REQUEST_COUNT' || scaler.value === 0) return undefined
  return Math.min(LONGEST_PERIOD_SECONDS, wholeSeconds(scaler.value * SECOND_MS))
}

// The cool-down of KEDA is for the last pod alone; the others are those of the autoscaler.
function behavior(endpoint: Exported): object {
  const seconds = growthSeconds(endpoint)
  const policy =
    seconds === undefined
      ? { type: 'Pods', value: endpoint.workersMax, periodSeconds: 1 }
      : { type: 'Pods', value: 1, periodSeconds: seconds }
  return {
    scaleUp: { stabilizationWindowSeconds: 0, policies: [policy] },
    scaleDown: { stabilizationWindowSeconds: wholeSeconds(endpoint.idleTimeoutMs) },
  }
}
