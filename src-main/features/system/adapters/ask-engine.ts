import { plainJson } from '../../../lib/json/plain.ts'
import type { EngineInfo } from '../../../runtimes/rules/gpu-devices.ts'
import type { RunProgram } from './programs.ts'

export type EngineSeen =
  | { readonly state: 'no command' }
  | { readonly state: 'silent'; readonly where: string; readonly says: string }
  | { readonly state: 'absent'; readonly reason: string }
  | {
      readonly state: 'answers'
      readonly where: string
      readonly version: string
      readonly desktop: string | undefined
      readonly info: EngineInfo
    }

/** Asks the docker command, which finds the engine by the same rules as the service. */
export async function askEngine(
  runProgram: RunProgram,
  env: Readonly<Record<string, string | undefined>>,
): Promise<EngineSeen> {
  const [version, info] = await Promise.all([
    runProgram('docker', ['version', '--format', '{{json .}}']),
    runProgram('docker', ['info', '--format', '{{json .}}']),
  ])
  if (version.failure === 'missing') return { state: 'no command' }
  const versions = readObject(version.stdout)
  const where = env.DOCKER_HOST ? `DOCKER_HOST ${env.DOCKER_HOST}` : `context ${contextOf(versions)}`
  const seen = engineFacts(readObject(info.stdout))
  // The command prints something without an engine too; only its exit code tells.
  if (info.failure !== undefined || !seen.ServerVersion) {
    const says = info.failure === 'timeout' ? 'it does not answer' : (info.stderr.split('\n')[0] ?? '')
    return { state: 'silent', where, says }
  }
  const platform = String(objectIn(objectIn(versions, 'Server'), 'Platform').Name ?? '')
  return { state: 'answers', where, version: String(seen.ServerVersion), desktop: desktopVersion(platform), info: seen }
}

export function desktopVersion(platform: string): string | undefined {
  return /^Docker Desktop (\d[\d.]*)/.exec(platform)?.[1]
}

function contextOf(versions: EngineInfo): string {
  return String(objectIn(versions, 'Client').Context ?? 'default')
}

/** Podman's docker command answers in Podman's own format. */
function engineFacts(info: EngineInfo): EngineInfo {
  const { buildahVersion, kernel } = objectIn(info, 'host')
  if (buildahVersion === undefined) return info
  const { Version } = objectIn(info, 'version')
  return { ServerVersion: Version, BuildahVersion: buildahVersion, KernelVersion: kernel }
}

const readObject = (json: string): EngineInfo => objectIn({ value: plainJson(json) }, 'value')

function objectIn(parent: EngineInfo, name: string): EngineInfo {
  const value = parent[name]
  return typeof value === 'object' && value !== null ? (value as EngineInfo) : {}
}
