import { FOREIGN_FORMATS, type ForeignFormat } from '../../../../contract/foreign-formats.ts'
import type { WorkflowLock } from '../../../../contract/worker-images.ts'
import { isRecord } from '../../../../lib/json/plain.ts'
import { comfyBuild } from './comfy-build.ts'
import { comfyLock } from './comfy-lock.ts'
import type { Environment, Format } from './environment.ts'
import { snapshot } from './manager-snapshot.ts'
import { changedText, freshText, openText } from './open-text.ts'

export type ForeignFile = Environment & { readonly format: ForeignFormat }

const FORMATS: Readonly<Record<ForeignFormat, Format>> = {
  'comfy-build': comfyBuild,
  snapshot,
  'comfy-lock': comfyLock,
}

export function readEnvironment(text: string): ForeignFile {
  const { data } = openText(text)
  const format = isRecord(data) ? FOREIGN_FORMATS.find((one) => FORMATS[one].isOf(data)) : undefined
  if (!isRecord(data) || format === undefined) throw new Error('it is not a build, snapshot or lock of ComfyUI')
  return { format, ...FORMATS[format].read(data) }
}

/**
 * Keeps everything in `previous` that it does not understand.
 * @returns also the packages that the format cannot name
 * @throws Error with the reason if `previous` has another format
 */
export function writeEnvironment(
  format: ForeignFormat,
  lock: WorkflowLock,
  { previous, title }: { readonly previous?: string | undefined; readonly title: string },
): { readonly text: string; readonly left: readonly string[] } {
  const opened = previous === undefined ? undefined : openText(previous)
  const before = isRecord(opened?.data) ? opened.data : undefined
  if (opened !== undefined && (before === undefined || !FORMATS[format].isOf(before)))
    throw new Error(`it is not a ${format}, so it is not overwritten`)
  const { data, left } = FORMATS[format].write(lock, before, title)
  return { text: opened === undefined ? freshOf(format, data) : changedText(opened, data), left }
}

const freshOf = (format: ForeignFormat, data: unknown) =>
  format === 'snapshot' ? `${JSON.stringify(data, undefined, 4)}\n` : freshText(data)
