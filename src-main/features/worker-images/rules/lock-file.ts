import { type LockedNodes, type WorkflowLock, workflowLock } from '../../../contract/worker-images.ts'
import { isRecord } from '../../../lib/json/plain.ts'
import { sizeText } from '../../../lib/text.ts'
import { changedText, freshText, isEmpty, openText } from './formats/open-text.ts'

// Of a lock with the file that it was made from.
const LOCK_KIB = 2048

export function readLock(text: string): WorkflowLock {
  const read = workflowLock.safeParse(openText(text, LOCK_KIB).data)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Error(
    `it is not a lock of a workflow: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(' ')}`,
  )
}

export const isLockText = (text: string): boolean => /^[ \t]*schema:\s*["']?drydock-workflow-lock\//m.test(text)

const HEADER = '# Everything that the worker image of a workflow is built from. Written by `drydock workflow lock`.\n'

export function writeLock(lock: WorkflowLock, previous?: string): string {
  if (previous === undefined) return HEADER + freshText(shown(lock))
  return changedText(openText(previous, LOCK_KIB), shown(lock))
}

export function totalSizeText(files: readonly { readonly sizeBytes?: number | undefined }[]): string {
  const known = files.flatMap(({ sizeBytes }) => sizeBytes ?? [])
  const total = sizeText(known.reduce((sum, bytes) => sum + bytes, 0))
  if (known.length === files.length) return total
  return known.length === 0 ? 'size unknown' : `${total} and more`
}

function shown(lock: WorkflowLock) {
  const { nodes, ...rest } = lock
  return shownPart({ ...rest, nodes: nodes.map((one: LockedNodes) => shownPart(one)) })
}

function shownPart(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const part = isRecord(one) ? shownPart(one) : one
      return one === undefined || isEmpty(part) ? [] : [[name, part]]
    }),
  )
}
