/** Separate from core.ts, so that command-line builds load no database or engine. */

import type { BuildEvent, BuildResult, BuiltApp } from '../../contract/build.ts'
import { limit } from '../../contract/limits.ts'
import { ignoreState, openBuildFolder, writeState } from '../../features/apps/adapters/build-folder.ts'
import { createEndpointHasher, hashFiles } from '../../features/apps/adapters/hash-files.ts'
import { createPackageInstaller } from '../../features/apps/adapters/installed-sets.ts'
import { createPacker } from '../../features/apps/adapters/pack-artifact.ts'
import { createPythonScanner, localPython } from '../../features/apps/adapters/python-scanner.ts'
import { buildWheel } from '../../features/apps/adapters/python-wheel.ts'
import { createFolderWriter } from '../../features/apps/adapters/write-app-folder.ts'
import { type BuildRequest, buildApp } from '../../features/apps/build.ts'
import type { PythonWheel } from '../../features/apps/ports/build.ts'
import { PYTHON_PACKAGES } from '../../shipped-files/root.ts'

export { readGit } from '../../features/apps/adapters/read-git.ts'

/** The package that apps import, and the one of apps written for the public tool. */
export const SDK = ['svc', 'runpod_flash']
export function openPythonWheel(version: string): () => Promise<PythonWheel> {
  let wheel: Promise<PythonWheel> | undefined
  return () => {
    wheel ??= buildWheel({ folder: PYTHON_PACKAGES, packages: SDK, name: 'svc', version }).catch((error: unknown) => {
      wheel = undefined
      throw error
    })
    return wheel
  }
}

// ms without installer progress. Source: ours; uv and pip abandon silent connections after 15 to 30 s and print each
// retry.
const INSTALL_LIMIT_MS = 180_000

export type AppBuilderOptions = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly limitBytes?: number
  readonly installLimitMs?: number
}

type Build<Result> = (
  request: BuildRequest,
  report?: (event: BuildEvent) => void,
  signal?: AbortSignal,
) => Promise<Result>

export type AppBuilder = Build<BuildResult>

export type AppPlacer = Build<BuiltApp>

export function createAppBuilder({ limitBytes = limit('artifactBytes'), ...options }: AppBuilderOptions): AppBuilder {
  const ours = { pythonPackages: PYTHON_PACKAGES, sdk: SDK }
  const pack = createPacker({ ...ours, limitBytes })
  const ports = {
    ...buildPorts(options),
    hashEndpoints: createEndpointHasher(ours),
    localPython: (signal?: AbortSignal) => localPython(options.env, signal),
    pack,
  }
  return (request, report, signal) => buildApp(ports, request, report, signal)
}

export function createAppFolderWriter(options: Omit<AppBuilderOptions, 'limitBytes'>): AppPlacer {
  const pack = createFolderWriter({ pythonPackages: PYTHON_PACKAGES, sdk: SDK })
  // Asked only once: it takes half as long as a build.
  let version: Promise<string | undefined> | undefined
  const askOnce = (signal?: AbortSignal) => {
    version ??= localPython(options.env, signal)
    return version
  }
  const ports = { ...buildPorts(options), localPython: askOnce, pack }
  return (request, report, signal) => buildApp(ports, { ...request, isPreview: true }, report, signal)
}

export function buildPorts({ env, installLimitMs = INSTALL_LIMIT_MS }: Omit<AppBuilderOptions, 'limitBytes'>) {
  return {
    scan: createPythonScanner({ packages: PYTHON_PACKAGES, env }),
    hashFiles,
    install: createPackageInstaller({ env, limitMs: installLimitMs, now: () => Date.now() }),
    openFolder: (project: string) => openBuildFolder(project, Date.now()),
    writeState,
    ignoreState,
    clock: { now: () => Date.now(), steady: () => performance.now() },
  }
}
