import type { DeployPlan, ReleaseProgress } from '../../contract/app.ts'
import type { BuildProblem } from '../../contract/build.ts'
import type { ErrorBody, ErrorData } from '../../contract/errors.ts'
import type { TargetDeploy, TargetPlan } from '../../contract/targets.ts'
import type { ImageConflict } from '../../contract/worker-images.ts'
import { errorCode } from '../../lib/error-code.ts'
import { filled } from '../../lib/text.ts'

export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  usage: 2,
  serviceNotReachable: 3,
  jobNotSuccessful: 4,
  refused: 5,
  notFound: 6,
} as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

export const EXIT_CODE_HELP = `Exit codes:
  0  done
  1  failed
  2  wrong use of the command
  3  the service is not reachable
  4  the job ended without success
  5  refused: the data folder or the port is in use, files would be overwritten, or a deletion or cancel needs --yes
  6  not found: there is no endpoint, job, app or other thing of that name`

/** Failures that begin in the command line itself: message with `{name}` placeholders and the exit code. */
export const CLI_ERRORS = {
  USAGE: { exitCode: EXIT_CODES.usage, message: '{why}' },
  KEY_MISSING: {
    exitCode: EXIT_CODES.usage,
    message: 'There is no key for {url}. Pass one with --key KEY or in SVC_API_KEY.',
  },
  NOT_RUNNING: {
    exitCode: EXIT_CODES.serviceNotReachable,
    message:
      'No Drydock service is running on the data folder {data}. Start one with `drydock serve --data {quoted}`, or choose another with --data or --url.',
  },
  NOT_REACHABLE: {
    exitCode: EXIT_CODES.serviceNotReachable,
    message: 'The Drydock service at {url} does not answer: {why}. Check it with `drydock doctor`.',
  },
  CONNECTION_LOST: { exitCode: EXIT_CODES.serviceNotReachable, message: '{why} {continues}' },
  NOT_DRYDOCK: {
    exitCode: EXIT_CODES.failed,
    message: '{url} answered {status}, but it is not a Drydock service. Check the address.',
  },
  SERVICE_REFUSED: { exitCode: EXIT_CODES.failed, message: '{why}' },
  JOB_NOT_SUCCESSFUL: { exitCode: EXIT_CODES.jobNotSuccessful, message: 'Job {jobId} ended as {status}{why}.' },
  WAITS_IN_VAIN: {
    exitCode: EXIT_CODES.failed,
    message:
      'Job {jobId} cannot start. {why} It stays in the queue and runs once that is fixed; `drydock cancel {jobId}` cancels it.',
  },
  WAIT_OVER: {
    exitCode: EXIT_CODES.failed,
    message:
      'Gave up waiting: job {jobId} is still {status}{why}. Check it later with `drydock status {endpointId} {jobId}`.',
  },
  NOT_INSTALLED: { exitCode: EXIT_CODES.failed, message: 'Not installed: {packages}. {why}' },
  START_REFUSED: { exitCode: EXIT_CODES.refused, message: '{why}' },
  START_FAILED: { exitCode: EXIT_CODES.failed, message: '{why}' },
  NOT_RECOVERED: { exitCode: EXIT_CODES.refused, message: '{why}' },
  CHECKS_FAILED: { exitCode: EXIT_CODES.failed, message: '{count} failed. The line below each says how to fix it.' },
  DEMO_FAILED: { exitCode: EXIT_CODES.failed, message: '{count} did not give the expected result.' },
  MACHINE_UNUSABLE: {
    exitCode: EXIT_CODES.failed,
    message: 'Machine {machine} cannot run workers yet. {why} Test it again with `drydock machine test {machine}`.',
  },
  LINK_FOR_ANYONE: {
    exitCode: EXIT_CODES.failed,
    message:
      'The browser was not opened, because another user of this machine could read the link and use it first: the service cannot tell who opens it. Open it yourself within a minute: {url}',
  },
  NO_BROWSER: { exitCode: EXIT_CODES.failed, message: 'No browser could be opened: {why}. Open {url} yourself.' },
  WINDOW_FAILED: {
    exitCode: EXIT_CODES.failed,
    message:
      'The desktop window failed: {why}. Its output is above; `drydock start --no-window` starts the service without it.',
  },
  PROGRAM_FAILED: { exitCode: EXIT_CODES.failed, message: 'Could not start {program}: {why}' },
  BUILD_FAILED: { exitCode: EXIT_CODES.failed, message: 'Nothing was built: {count}.' },
  IMAGE_NOT_BUILT: { exitCode: EXIT_CODES.failed, message: 'The image was not built: {why}.' },
  FILES_EXIST: {
    exitCode: EXIT_CODES.refused,
    message: 'These files already exist in {folder}: {files}. Nothing was written; --force overwrites them.',
  },
  DEPLOY_FAILED: {
    exitCode: EXIT_CODES.failed,
    message: 'Release {number} of {app}/{environment} failed: {why}. {stays}',
  },
  PUSH_FAILED: { exitCode: EXIT_CODES.failed, message: 'Nothing was deployed: {why}.' },
  TARGET_DEPLOY_FAILED: { exitCode: EXIT_CODES.failed, message: 'The deploy to target {target} failed: {why}' },
  NO_EARLIER_DEPLOY: {
    exitCode: EXIT_CODES.failed,
    message:
      '{app}/{environment} of target {target} has no earlier deploy with other code that was made from here. `drydock deploy --target {target}` makes one.',
  },
  DELETES_UNCONFIRMED: {
    exitCode: EXIT_CODES.refused,
    message:
      'The app no longer has {endpoints}, and the deletion was not confirmed. Nothing was uploaded or changed. Deploy with --yes to delete, or with --keep to keep what is there.',
  },
  UNCONFIRMED: {
    exitCode: EXIT_CODES.refused,
    message: 'Nothing was {done}. This would {verb} {what}; confirm it with --yes.',
  },
  NO_ENVIRONMENT: {
    exitCode: EXIT_CODES.notFound,
    message:
      'App {app} has no environment on {url}. Deploy it with `drydock deploy`, or create one with `drydock env create {environment}`.',
  },
  NO_EARLIER_RELEASE: {
    exitCode: EXIT_CODES.failed,
    message:
      '{app}/{environment} has no earlier release with other code to go back to{from}. `drydock env show {environment}` lists all; `drydock rollback NUMBER` goes to any of them, or retries one that failed.',
  },
  UPLOAD_FAILED: { exitCode: EXIT_CODES.failed, message: 'The artifact was not uploaded: {why}. Nothing was changed.' },
  FILE_UNREADABLE: { exitCode: EXIT_CODES.failed, message: '{file} cannot be read: {why}.' },
  FILE_INVALID: { exitCode: EXIT_CODES.failed, message: '{file} is not valid: {why}.' },
  FILE_UNWRITABLE: { exitCode: EXIT_CODES.failed, message: '{file} cannot be written: {why}.' },
  BATCH_INCOMPLETE: { exitCode: EXIT_CODES.jobNotSuccessful, message: 'Batch {batchId} {why}.' },
  LINES_REFUSED: { exitCode: EXIT_CODES.failed, message: '{count} could not be queued; all others were.' },
  NOT_A_WORKFLOW: { exitCode: EXIT_CODES.failed, message: '{file}: {why}' },
  WORKFLOW_INVALID: { exitCode: EXIT_CODES.failed, message: '{file} would not run: {why}' },
  LOCK_INCOMPLETE: {
    exitCode: EXIT_CODES.failed,
    message: '{file} was not locked, and nothing was written: {count} to solve. The options are shown above.',
  },
  LOCK_CONFLICTS: {
    exitCode: EXIT_CODES.failed,
    message: '{file} has {count} to solve before an image can be built. The choices are shown above.',
  },
  CLASSES_UNREADABLE: {
    exitCode: EXIT_CODES.failed,
    message: 'The node classes cannot be read from {from}: {why}.',
  },
  RESULTS_MISSING: {
    exitCode: EXIT_CODES.failed,
    message: 'Job {jobId} has ended, but its results could not be read: {why}. They are in the gallery.',
  },
  DOWNLOAD_FAILED: { exitCode: EXIT_CODES.failed, message: '{name} was not downloaded: {why}.' },
  TESTS_FAILED: { exitCode: EXIT_CODES.failed, message: '{failed} of {of} failed.' },
  LOAD_TEST_FAILED: { exitCode: EXIT_CODES.jobNotSuccessful, message: '{failed} of {of} failed.' },
  NO_MODEL: {
    exitCode: EXIT_CODES.notFound,
    message: 'There is no model {model}. List them with `drydock models list`.',
  },
  NO_LOAD_TEST: { exitCode: EXIT_CODES.notFound, message: 'No load test of endpoint {endpointId} is running.' },
  OUTPUTS_DIFFER: { exitCode: EXIT_CODES.failed, message: '{why}' },
  // Not 1, which means that outputs differ to a bisect by exit code.
  NOT_COMPARED: { exitCode: EXIT_CODES.jobNotSuccessful, message: '{why}' },
  COMPARISON_REFUSED: { exitCode: EXIT_CODES.refused, message: '{why}' },
  SWEEP_INCOMPLETE: { exitCode: EXIT_CODES.failed, message: '{failed} of {of} runs returned no result.' },
  ABANDONED: { exitCode: EXIT_CODES.failed, message: '{why}' },
  UNEXPECTED: { exitCode: EXIT_CODES.failed, message: 'The command failed unexpectedly: {why}. Please report it.' },
} as const satisfies Record<string, { readonly exitCode: ExitCode; readonly message: string }>

export type CliErrorCode = keyof typeof CLI_ERRORS

export type PrintedError =
  | ErrorBody
  | {
      readonly error: string
      readonly code: string
      readonly problems?: readonly BuildProblem[]
      readonly plan?: DeployPlan | TargetPlan
      readonly progress?: ReleaseProgress
      readonly deploy?: TargetDeploy
      readonly conflicts?: readonly ImageConflict[]
    }

export class CliError extends Error {
  readonly code: CliErrorCode
  readonly exitCode: ExitCode
  readonly body: PrintedError
  readonly status: number | undefined

  constructor(code: CliErrorCode, data: ErrorData = {}, options: ErrorOptions & { readonly body?: PrintedError } = {}) {
    super(filled(CLI_ERRORS[code].message, data), options)
    this.name = 'CliError'
    this.code = code
    this.body = options.body ?? { error: this.message, code }
    this.status = 'status' in this.body ? this.body.status : undefined
    this.exitCode = this.status === 404 ? EXIT_CODES.notFound : CLI_ERRORS[code].exitCode
  }
}

export function isUnreachable(error: unknown): error is CliError {
  return error instanceof CliError && error.code === 'NOT_REACHABLE'
}

export function usageError(why: string): CliError {
  return new CliError('USAGE', { why })
}

export function unreadable(file: string, cause: unknown): CliError {
  return new CliError('FILE_UNREADABLE', { file, why: fileReason(cause, 'file') }, { cause })
}

export function unwritable(file: string, cause: unknown): CliError {
  return new CliError('FILE_UNWRITABLE', { file, why: fileReason(cause, 'folder') }, { cause })
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}

function fileReason(cause: unknown, missing: 'file' | 'folder'): string {
  const code = errorCode(cause)
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no such ${missing}`
  return FILE_REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause))
}
