/** How our runtime of apps of SDK 2.0 is started. Source: resources/python/svc_runtime. */

/** Where our Python packages are in a container: beside svc_worker of the image, which lacks the others. */
export const PACKAGES_TARGET = '/opt/drydock/packages'

const FILES = {
  queue: 'svc_runtime/svc_queue.py',
  api: 'svc_runtime/svc_api.py',
  task: 'svc_runtime/svc_task.py',
} as const

/** The end of the path of the program that runs calls of a task. */
export const TASK_PROGRAM = `/${FILES.task}`

/** The program of an endpoint, and the volume that a container needs for it. */
export type RuntimeProgram = {
  readonly handler?: string
  readonly command?: string
  readonly volumes: readonly { readonly source: string; readonly target: string; readonly readOnly: boolean }[]
}

/**
 * The program that serves a queue, an api or the calls of a task.
 * @param pythonPackages folder of this machine with our Python packages
 */
export function runtimeProgram(
  kind: keyof typeof FILES,
  { pythonPackages, inContainer }: { readonly pythonPackages: string; readonly inContainer: boolean },
): RuntimeProgram {
  if (!inContainer)
    return kind === 'api'
      ? { command: `python3 "${pythonPackages}/${FILES.api}"`, volumes: [] }
      : { handler: `${pythonPackages}/${FILES[kind]}`, volumes: [] }
  const program = `${kind === 'api' ? '' : '-m svc_worker '}${PACKAGES_TARGET}/${FILES[kind]}`
  return {
    command: `env PYTHONPATH=${PACKAGES_TARGET} python3 ${program}`,
    volumes: [{ source: pythonPackages, target: PACKAGES_TARGET, readOnly: true }],
  }
}
