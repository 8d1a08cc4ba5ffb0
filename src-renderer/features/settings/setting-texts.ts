import type { ServiceSettings } from '../../../src-main/contract/management.ts'

/** What a person reads of a setting. */
export type SettingText = {
  readonly label: string
  /** What it does, and when a change is felt. */
  readonly help: string
  /** Its name in a sentence that it is saved. */
  readonly done: string
  /** What is said of a value that it cannot have. */
  readonly refusal: string
}

const SWITCH = 'It is on or off.'

/** The settings, in the order of the page; one that is missing here does not compile. */
export const SETTING_TEXTS: Readonly<Record<keyof ServiceSettings, SettingText>> = {
  maxWorkers: {
    label: 'Workers at most',
    help: 'Processes and containers of all endpoints together. Takes effect when the next worker starts; none is stopped for it.',
    done: 'Limit of workers',
    refusal: 'A whole number from 1 to 1000.',
  },
  python: {
    label: 'Python',
    help: 'Interpreter that runs handler files in processes: a name on the PATH or a path. Applies to workers that start from now on.',
    done: 'Python',
    refusal: 'A name or a path, not nothing.',
  },
  logRetentionDays: {
    label: 'Keep logs, in days',
    help: 'Log lines, events, requests and figures. What is older goes within a minute.',
    done: 'Retention of logs',
    refusal: 'A whole number from 1 to 365.',
  },
  jobHistoryDays: {
    label: 'Keep ended jobs, in days',
    help: 'Records, inputs, outputs and timelines of jobs that the job API has forgotten: a minute after runsync, 30 minutes after run. With 0 they go then. What is older goes within a second.',
    done: 'Retention of ended jobs',
    refusal: 'A whole number from 0 to 365.',
  },
  jobHistoryMaxMib: {
    label: 'Size of ended jobs, in MiB',
    help: 'What those jobs may take, all together. Above it the largest outputs go first and leave their records. Applies within a second.',
    done: 'Size of ended jobs',
    refusal: 'A whole number from 10 to 10,000,000.',
  },
  assetsMaxMib: {
    label: 'Files of workflows, in MiB',
    help: 'Pictures that runs gave and that nodes load, all together. Above it goes what nothing refers to, then the oldest runs. Applies to the next file.',
    done: 'Size of the files of workflows',
    refusal: 'A whole number from 100 to 10,000,000.',
  },
  modelsMaxMib: {
    label: 'Size of a model, in MiB',
    help: 'A download of a larger file is refused, or broken off where its size was not told. Applies to the next download.',
    done: 'Size of a model',
    refusal: 'A whole number from 1 to 10,000,000.',
  },
  modelsFromPrivateAddresses: {
    label: 'Models from this machine and its network',
    help: 'Off, a download cannot reach private addresses, so that a file of others cannot make the service call what only it can reach. Applies to the next download.',
    done: 'Models from private addresses',
    refusal: SWITCH,
  },
  streamForm: {
    label: 'Form of streams',
    help: 'What the operation stream answers to clients that ask for none: a list, or an object with a status. Takes effect at once.',
    done: 'Form of streams',
    refusal: 'One of the two.',
  },
  webhooksToPrivateAddresses: {
    label: 'Webhooks to this machine and its network',
    help: 'Off, a webhook cannot reach private addresses, so that a job cannot make the service call what only it can reach. Applies to the next delivery.',
    done: 'Webhooks to private addresses',
    refusal: SWITCH,
  },
  workerSystemChecks: {
    label: 'Fitness checks of the public worker SDK',
    help: 'On, workers of the public SDK test memory, disk and network before their first job, which takes some seconds. Applies to workers that start from now on.',
    done: 'Fitness checks',
    refusal: SWITCH,
  },
  strictLimits: {
    label: 'Rate limits as in production',
    help: 'On, requests above the limits of the platform get the answer 429, to try a client out. Takes effect at once.',
    done: 'Rate limits',
    refusal: SWITCH,
  },
  strictLimitsFleetShare: {
    label: 'Workers per base limit',
    help: 'With rate limits on: an operation has its base limit, or base times running workers by this number where that is more.',
    done: 'Workers per base limit',
    refusal: 'A whole number, at least 1.',
  },
}
