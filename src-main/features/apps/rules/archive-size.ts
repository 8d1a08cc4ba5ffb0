import { type BuildProblem, buildProblem, type InstalledPackage } from '../../../contract/build.ts'
import { MIB } from '../../../lib/units.ts'

const SHOWN = 10

/**
 * Lists the largest packages and a sufficient `--exclude` line.
 * @param archiveBytes compressed size; an estimate after an early stop
 * @param packageShare compression ratio, 0 to 1
 * @param files largest first
 */
export function tooLargeProblem(facts: {
  readonly limitBytes: number
  readonly archiveBytes: number
  readonly packageShare: number
  readonly packages: readonly InstalledPackage[]
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
}): BuildProblem {
  const { limitBytes, archiveBytes, packageShare, packages, files } = facts
  const bySize = [...packages].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
  const lines = [
    `The artifact would have about ${mib(archiveBytes)}, and the limit is ${mib(limitBytes)}.`,
    ...(bySize.length > 0 ? ['The largest packages, not compressed:'] : []),
    ...bySize.slice(0, SHOWN).map(({ name, version, bytes }) => `  ${mib(bytes).padStart(10)}  ${name} ${version}`),
  ]
  const leave = enough(bySize, (archiveBytes - limitBytes) / packageShare)
  if (leave !== undefined) {
    lines.push(`If your image has them, leave them out: drydock build --exclude ${leave.join(',')}`)
  } else {
    lines.push('Leaving packages out is not enough. The largest files of the project:')
    lines.push(...files.slice(0, SHOWN).map(({ path, bytes }) => `  ${mib(bytes).padStart(10)}  ${path}`))
    lines.push('Add what the app does not need to .gitignore, or put it on a volume.')
  }
  return buildProblem('ARCHIVE_TOO_LARGE', { why: lines.join('\n') })
}

/** Returns the fewest largest packages that total `bytes`; undefined: all are smaller. */
function enough(bySize: readonly InstalledPackage[], bytes: number): readonly string[] | undefined {
  let sum = 0
  for (const [at, one] of bySize.entries()) {
    sum += one.bytes
    if (sum >= bytes) return bySize.slice(0, at + 1).map(({ name }) => name)
  }
  return undefined
}

function mib(bytes: number): string {
  const value = bytes / MIB
  return `${value >= 10 ? Math.round(value) : value.toFixed(value >= 0.1 ? 1 : 3)} MiB`
}
