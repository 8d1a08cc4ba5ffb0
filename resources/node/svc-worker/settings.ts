export const VERSION = '1.0.0'

/** Sent as `runpod_version` in pings and errors; distinguishes our runtimes from the public SDK. */
export const RUNTIME_VERSION = `svc-node-${VERSION}`

// Below 1000 ms the public SDK spins; this runtime shares the minimum. Source: docs/spec/worker-protocol.md, 1.
const SHORTEST_PING_INTERVAL_MS = 1000
// ms. A worker without its service is an orphan. Source: ours, as in resources/python/svc_worker.
const AWAY_LIMIT_MS = 600_000

export class SettingsError extends Error {}

export type Settings = Readonly<ReturnType<typeof readSettings>>

type Environment = Readonly<Record<string, string | undefined>>

/** @throws SettingsError naming the variable that is missing or wrong */
export function readSettings(env: Environment) {
  const workerId = required(env, 'RUNPOD_POD_ID')
  const take = template(env, 'RUNPOD_WEBHOOK_GET_JOB').replace('$ID', workerId)
  if (!take.includes('/job-take/'))
    throw new SettingsError('RUNPOD_WEBHOOK_GET_JOB must hold /job-take/: other addresses are made from it')
  const service = URL.parse(take)
  if (service?.protocol !== 'http:')
    throw new SettingsError(`RUNPOD_WEBHOOK_GET_JOB must be an http:// address, not ${take}`)

  const target = (name: string) => {
    const url = template(env, name).replace('$RUNPOD_POD_ID', workerId)
    if (URL.parse(url)?.host !== service.host)
      throw new SettingsError(`${name} must be at the same host and port as RUNPOD_WEBHOOK_GET_JOB`)
    return afterHost(url)
  }

  return {
    host: service.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(service.port || 80),
    apiKey: env.RUNPOD_AI_API_KEY ?? '',
    workerId,
    hostname: env.RUNPOD_POD_HOSTNAME ?? 'unknown',
    concurrency: wholeNumber(env, 'SVC_CONCURRENCY', 1, 1),
    pingIntervalMs: Math.max(wholeNumber(env, 'RUNPOD_PING_INTERVAL', 3000), SHORTEST_PING_INTERVAL_MS),
    awayLimitMs: wholeNumber(env, 'SVC_AWAY_LIMIT_MS', AWAY_LIMIT_MS),
    takeTarget: afterHost(take),
    doneTarget: target('RUNPOD_WEBHOOK_POST_OUTPUT'),
    streamTarget: target('RUNPOD_WEBHOOK_POST_STREAM'),
    pingTarget: target('RUNPOD_WEBHOOK_PING'),
  }
}

export function takeTarget(settings: Settings, free: number, isBusy: boolean): string {
  const inProgress = `&job_in_progress=${isBusy ? 1 : 0}`
  if (free === 1) return settings.takeTarget + inProgress
  return `${settings.takeTarget.replace('/job-take/', '/job-take-batch/')}&batch_size=${free}${inProgress}`
}

export const stopTarget = (settings: Settings): string => settings.takeTarget.replace('/job-take/', '/job-stop/')

export function pingTarget(settings: Settings, jobIds: readonly string[]): string {
  const ids = jobIds.map(encodeURIComponent).join(',')
  return `${settings.pingTarget}${ids === '' ? '' : `&job_id=${ids}`}&runpod_version=${RUNTIME_VERSION}`
}

export function doneTarget(settings: Settings, jobId: string, isStream = false): string {
  return `${withJob(settings.doneTarget, jobId)}&isStream=${isStream}`
}

export const streamTarget = (settings: Settings, jobId: string): string =>
  `${withJob(settings.streamTarget, jobId)}&isStream=false`

const withJob = (target: string, jobId: string) => target.replace('$ID', encodeURIComponent(jobId))

// Avoids URL, which would encode the `$` of a template.
const afterHost = (url: string) => url.replace(/^http:\/\/[^/]*/, '')

function required(env: Environment, name: string): string {
  const value = env[name]
  if (value === undefined || value === '')
    throw new SettingsError(`${name} is not set; a worker is started by the service, not by hand`)
  return value
}

function template(env: Environment, name: string): string {
  const url = required(env, name)
  if (!url.includes('?')) throw new SettingsError(`${name} must hold a '?': parameters are appended to it with '&'`)
  return url
}

function wholeNumber(env: Environment, name: string, otherwise: number, atLeast = 0): number {
  const text = env[name] || String(otherwise)
  if (!/^\d{1,15}$/.test(text) || Number(text) < atLeast)
    throw new SettingsError(`${name} must be a whole number of at least ${atLeast}, not '${text}'`)
  return Number(text)
}
