/** Environments as other tools write them. Source: docs/spec/worker-images.md, 1.4. */
import type { ForeignFormat, WorkflowLock } from '../../../../contract/worker-images.ts'
import { isRecord } from '../../../../lib/json/plain.ts'
import * as comfyBuild from './comfy-build.ts'
import * as comfyLock from './comfy-lock.ts'
import type { Environment } from './environment.ts'
import * as snapshot from './manager-snapshot.ts'
import { changedText, freshText, openText } from './open-text.ts'

export type ForeignFile = Environment & { readonly format: ForeignFormat }

const FORMATS = { 'comfy-build': comfyBuild, snapshot, 'comfy-lock': comfyLock }

/** @throws Error with the reason, for a person */
export function readEnvironment(text: string): ForeignFile {
  const { data } = openText(text)
  if (!isRecord(data)) throw new Error('it is not a build, snapshot or lock of ComfyUI')
  const [format] = Object.entries(FORMATS).find(([, one]) => one.isOf(data)) ?? []
  if (format === undefined) throw new Error('it is not a build, snapshot or lock of ComfyUI')
  const known = format as ForeignFormat
  return { format: known, ...FORMATS[known].read(data) }
}

/**
 * Keeps everything in `previous` that it does not understand.
 * @returns also the packages that the format cannot name
 */
export function writeEnvironment(
  format: ForeignFormat,
  lock: WorkflowLock,
  { previous, title }: { readonly previous?: string | undefined; readonly title: string },
): { readonly text: string; readonly left: readonly string[] } {
  const opened = previous === undefined ? undefined : openText(previous)
  const before = isRecord(opened?.data) ? opened.data : undefined
  const { data, left } = FORMATS[format].write(lock, before, title)
  return { text: opened === undefined ? freshOf(format, data) : changedText(opened, data), left }
}

const freshOf = (format: ForeignFormat, data: unknown) =>
  format === 'snapshot' ? `${JSON.stringify(data, undefined, 4)}\n` : freshText(data)
