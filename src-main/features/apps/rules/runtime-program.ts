/** Next to the image's svc_worker, which lacks the other packages. */
export const PACKAGES_TARGET = '/opt/drydock/packages'

const FILES = {
  queue: 'svc_runtime/svc_queue.py',
  api: 'svc_runtime/svc_api.py',
  task: 'svc_runtime/svc_task.py',
} as const

export const TASK_PROGRAM = `/${FILES.task}`

export type RuntimeProgram = {
  readonly handler?: string
  readonly command?: string
  readonly volumes: readonly { readonly source: string; readonly target: string; readonly readOnly: boolean }[]
}

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
