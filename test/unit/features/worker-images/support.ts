import { LOCK_SCHEMA, type WorkflowLock, workflowLock } from '../../../../src-main/contract/worker-images.ts'

export const COMMIT = 'a'.repeat(39).concat('1')
export const OTHER_COMMIT = 'b'.repeat(39).concat('2')
export const SHA = 'c'.repeat(64)

/** A lock of nothing but ComfyUI, and what is given. */
export function lockOf({ comfyui, ...given }: Record<string, unknown>): WorkflowLock {
  return workflowLock.parse({
    schema: LOCK_SCHEMA,
    comfyui: { repository: 'https://github.com/comfyanonymous/ComfyUI', commit: COMMIT, ...(comfyui as object) },
    base: { image: 'python:3.12-slim-bookworm', python: '3.12' },
    ...given,
  })
}
