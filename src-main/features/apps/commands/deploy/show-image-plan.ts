import type { Colour, Output } from '../../../../app/cli/output.ts'
import type { ColdStart, ImagePlan, LockChange } from '../../../../contract/worker-image-routes.ts'
import { sizeText } from '../../../../lib/text.ts'

const MARKS = {
  added: ['+', 'green'],
  changed: ['~', 'yellow'],
  removed: ['-', 'red'],
} as const satisfies Record<LockChange['change'], readonly [mark: string, colour: Colour]>

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

export function showImagePlan(output: Output, plan: ImagePlan): void {
  const { image, from, changes, mounts, coldStart, limits, warnings } = plan
  const { reference, sizeBytes, sizeBytesBefore } = image
  const before = sizeBytesBefore === undefined ? '' : `, before ${sizeText(sizeBytesBefore)}`
  output.line(
    `Image ${output.paint('bold', reference)}${sizeBytes === undefined ? '' : `: ${sizeText(sizeBytes)}${before}`}`,
  )
  if (from !== undefined) {
    output.line(changes.length === 0 ? `  same lock as release ${from}` : `  changes since release ${from}:`)
    for (const change of changes) output.line(`    ${changeLine(output, change)}`)
  }
  if (mounts.length > 0) output.line('  mounted models:')
  for (const { path, sizeBytes: bytes, from: place } of mounts)
    output.line(`    ${path}${bytes === undefined ? '' : `, ${sizeText(bytes)}`}, from ${place ?? 'nowhere'}`)
  output.line(`  cold start: ${coldStartText(coldStart)}`)
  for (const text of coldStart.measured) output.line(output.paint('gray', `    ${text}`))
  for (const { name, value, limit } of limits) output.line(output.paint('gray', `  ${name}: ${value} of ${limit}`))
  for (const warning of warnings) output.note(`warning: ${warning}`)
}

function changeLine(output: Output, { part, name, change, from, to }: LockChange): string {
  const [mark, colour] = MARKS[change]
  const sides = [from, to].filter((side) => side !== undefined).join(' -> ')
  const what = name.toLowerCase() === part ? part : `${part} ${name}`
  return output.paint(colour, `${mark} ${what}  ${sides}`)
}

function coldStartText({ pullMs, startMs, firstPictureMs, totalMs }: ColdStart): string {
  const parts = [
    ['pull', pullMs],
    ['start', startMs],
    ['first picture', firstPictureMs],
  ] as const
  const known = parts.flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${seconds(ms)}`]))
  const total = totalMs === undefined ? 'not measured yet' : `about ${seconds(totalMs)}`
  return known.length === 0 ? total : `${total} (${known.join(', ')})`
}
