import type { EngineInfo } from '../domain/worker/gpu-devices.ts'
import type { RunProgram } from './programs.ts'

/** What the docker command reports of its engine. */
export type EngineSeen =
  | { readonly state: 'no command' }
  | { readonly state: 'silent'; readonly where: string; readonly says: string }
  /** As a service says it that looks for the engine itself, at several addresses. */
  | { readonly state: 'absent'; readonly reason: string }
  | {
      readonly state: 'answers'
      /** Who named the engine: 'DOCKER_HOST', 'context desktop-linux'. */
      readonly where: string
      readonly version: string
      /** Version of Docker Desktop, where the engine is part of it. */
      readonly desktop: string | undefined
      readonly info: EngineInfo
    }

/** Asks the docker command, which finds the engine by the rules that the service follows too. */
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
  // The command prints what it knows without an engine too, and only its exit code tells.
  if (info.failure !== undefined || !seen.ServerVersion) {
    const says = info.failure === 'timeout' ? 'it does not answer' : (info.stderr.split('\n')[0] ?? '')
    return { state: 'silent', where, says }
  }
  const platform = String(objectIn(objectIn(versions, 'Server'), 'Platform').Name ?? '')
  return { state: 'answers', where, version: String(seen.ServerVersion), desktop: desktopVersion(platform), info: seen }
}

/** Version of Docker Desktop; undefined where the engine is no part of it. @param platform as the engine names it */
export function desktopVersion(platform: string): string | undefined {
  return /^Docker Desktop (\d[\d.]*)/.exec(platform)?.[1]
}

function contextOf(versions: EngineInfo): string {
  return String(objectIn(versions, 'Client').Context ?? 'default')
}

/** The docker command of Podman answers in Podman's own form. */
function engineFacts(info: EngineInfo): EngineInfo {
  const { buildahVersion, kernel } = objectIn(info, 'host')
  if (buildahVersion === undefined) return info
  const { Version } = objectIn(info, 'version')
  return { ServerVersion: Version, BuildahVersion: buildahVersion, KernelVersion: kernel }
}

function readObject(json: string): EngineInfo {
  try {
    return objectIn({ value: JSON.parse(json) }, 'value')
  } catch {
    return {} // an error message, or an older command
  }
}

function objectIn(parent: EngineInfo, name: string): EngineInfo {
  const value = parent[name]
  return typeof value === 'object' && value !== null ? (value as EngineInfo) : {}
}
