import type { Output } from '../../../app/cli/output.ts'
import type { ImageConflict } from '../../../contract/worker-images.ts'

export function showConflicts(output: Output, conflicts: readonly ImageConflict[]): void {
  for (const { code, blocks, message, choices } of conflicts) {
    output.note(`${blocks ? 'conflict' : 'warning'} ${code}: ${message}`)
    for (const choice of choices) output.note(`  ${choice}`)
  }
}
