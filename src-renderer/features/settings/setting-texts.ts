import type { ServiceSettings } from '../../../src-main/contract/management.ts'

export type SettingText = {
  readonly label: string
  readonly help: string
  readonly done: string
  readonly refusal: string
}

const SWITCH = 'It is on or off.'

/** In page order; a missing setting does not compile. */
export const SETTING_TEXTS: Readonly<Record<keyof ServiceSettings, SettingText>> = {
  maxWorkers: {
    label: 'Maximum workers',
    help: 'Processes and containers of all endpoints together. Applies when the next worker starts; no running worker is stopped.',
    done: 'Limit of workers',
    refusal: 'A whole number from 1 to 1000.',
  },
  python: {
    label: 'Python',
    help: 'Interpreter that runs handler files in processes: a name on the PATH or a path. Applies to workers that start from now on.',
    done: 'Python',
    refusal: 'A name or a path; it must not be empty.',
  },
  logRetentionDays: {
    label: 'Log retention (days)',
    help: 'Log lines, events, requests and statistics. Older ones are deleted within a minute.',
    done: 'Log retention',
    refusal: 'A whole number from 1 to 365.',
  },
  jobHistoryDays: {
    label: 'Ended job retention (days)',
    help: 'How long the pages keep the records, inputs, outputs and timelines of jobs that the job API no longer returns: it returns them for a minute after runsync and for 30 minutes after run. 0 deletes them as soon as they expire there. A lower value deletes older jobs within a second.',
    done: 'Ended job retention',
    refusal: 'A whole number from 0 to 365.',
  },
  jobHistoryMaxMib: {
    label: 'Size of ended jobs (MiB)',
    help: 'Total size of ended jobs. Above it, the largest outputs are deleted first, and their records stay. Applies within a second.',
    done: 'Size of ended jobs',
    refusal: 'A whole number from 10 to 10,000,000.',
  },
  assetsMaxMib: {
    label: 'Files of workflows (MiB)',
    help: 'Total size of results of runs and of pictures that nodes load. Above it, unused files are deleted first, then the oldest runs. Applies to the next file.',
    done: 'Size of the files of workflows',
    refusal: 'A whole number from 100 to 10,000,000.',
  },
  modelsMaxMib: {
    label: 'Size of a model (MiB)',
    help: 'A download of a larger file is refused, or stopped if its size was not known. Applies to the next download.',
    done: 'Size of a model',
    refusal: 'A whole number from 1 to 10,000,000.',
  },
  modelsFromPrivateAddresses: {
    label: 'Models from this machine and its network',
    help: 'When off, downloads cannot reach private addresses, so that a workflow from others cannot make the service call addresses in your network. Applies to the next download.',
    done: 'Models from private addresses',
    refusal: SWITCH,
  },
  modelHub: {
    label: 'Hub of models',
    help: 'Where the models of endpoints come from, like a mirror in your network. Applies to the next download.',
    done: 'Hub of models',
    refusal: 'An address like https://huggingface.co, without / at its end.',
  },
  streamForm: {
    label: 'Stream format',
    help: 'Default response format of the stream operation for clients that do not request one: a list, or an object with a status. Takes effect at once.',
    done: 'Stream format',
    refusal: 'One of the two.',
  },
  webhooksToPrivateAddresses: {
    label: 'Webhooks to this machine and its network',
    help: 'When off, webhooks cannot reach private addresses, so that a job cannot make the service call addresses in your network. Applies to the next delivery.',
    done: 'Webhooks to private addresses',
    refusal: SWITCH,
  },
  tracesTo: {
    label: 'Traces',
    help: 'Address to which traces of jobs are exported by OpenTelemetry (OTLP over HTTP), like http://127.0.0.1:4318/v1/traces. Empty: none. An address given when the service starts takes precedence. Takes effect at once.',
    done: 'Traces',
    refusal: 'An http address, like http://127.0.0.1:4318/v1/traces, or nothing.',
  },
  appSchedules: {
    label: 'Schedules of apps',
    help: 'When on, schedules declared in apps with @schedule(cron=...) run, in UTC. When off, deploys refuse such apps, as the platform does. Applies from the next deploy.',
    done: 'Schedules of apps',
    refusal: SWITCH,
  },
  workerSystemChecks: {
    label: 'Fitness checks of the public worker SDK',
    help: 'When on, workers of the public SDK test memory, disk and network before their first job, which takes a few seconds. Applies to workers that start from now on.',
    done: 'Fitness checks',
    refusal: SWITCH,
  },
  strictLimits: {
    label: 'Rate limits as in production',
    help: 'When on, requests above the limits of the platform get status 429, to test clients. Takes effect at once.',
    done: 'Rate limits',
    refusal: SWITCH,
  },
  strictLimitsFleetShare: {
    label: 'Workers per base limit',
    help: 'With rate limits on, the limit of an operation is its base limit, or base × running workers ÷ this number if that is higher.',
    done: 'Workers per base limit',
    refusal: 'A whole number, at least 1.',
  },
}
