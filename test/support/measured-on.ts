/** The version and the machine that the figures of a report come from. */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import packageJson from '../../package.json' with { type: 'json' }
import { fileSystemName } from '../../src-main/features/system/adapters/file-system.ts'

/** Version and machine. */
export type MeasuredOn = {
  readonly version: string
  /** Short id of the commit, with a `+` where files had changes; undefined without git. */
  readonly commit?: string | undefined
  readonly node: string
  readonly platform: string
  /** Release of the operating system. */
  readonly system?: string
  readonly cpu: string | undefined
  readonly cores: number
  readonly memoryGiB: number
  /** File system of the temporary folder, in which services under test keep their data. */
  readonly disk?: string | undefined
  /** Processes that wanted to run in the minute before: what else the machine had to do. */
  readonly load?: number | undefined
}

/** Looks at this version and this machine; before anything is measured, because of the load. */
export async function measuredOn(): Promise<MeasuredOn> {
  return {
    version: packageJson.version,
    commit: commit(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    system: release(),
    cpu: cpus()[0]?.model.trim(),
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    disk: await fileSystemName(tmpdir()),
    load: process.platform === 'win32' ? undefined : Math.round(100 * (loadavg()[0] ?? 0)) / 100,
  }
}

function commit(): string | undefined {
  try {
    const id = git('rev-parse', '--short', 'HEAD')
    return git('status', '--porcelain', '--untracked-files=no') === '' ? id : `${id}+`
  } catch {
    return undefined // a copy without its history
  }
}

const git = (...argv: readonly string[]) => execFileSync('git', argv, { encoding: 'utf8', stdio: 'pipe' }).trim()

/** Version and machine in some sentences for the head of a document. */
export function measuredOnText(on: MeasuredOn): string {
  const commitText = on.commit === undefined ? '' : ` (commit ${on.commit})`
  const disk = on.disk === undefined ? '' : `, temporary folder on ${on.disk}`
  const system = on.system === undefined ? '' : ` ${on.system}`
  const load = on.load === undefined ? '' : ` Load before the start: ${on.load}.`
  const machine = `${on.cores} cores of ${on.cpu ?? 'an unknown processor'}, ${on.memoryGiB} GiB of memory, ${on.platform}${system}${disk}`
  return `Drydock ${on.version}${commitText} on Node ${on.node.replace(/^v/, '')}. Machine: ${machine}.${load}`
}
