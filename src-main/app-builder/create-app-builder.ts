/**
 * Joins what builds an app. Apart from core.ts, because a build needs no service: the command line builds without
 * loading a database or an engine.
 */
import { fileURLToPath } from 'node:url'
import { ignoreState, openBuildFolder, writeState } from '../build/build-folder.ts'
import { createEndpointHasher, hashFiles } from '../build/hash-files.ts'
import { createPackageInstaller } from '../build/installed-sets.ts'
import { createPacker } from '../build/pack-artifact.ts'
import { createPythonScanner, localPython } from '../build/python-scanner.ts'
import { buildWheel } from '../build/python-wheel.ts'
import { createFolderWriter } from '../build/write-app-folder.ts'
import type { BuildEvent, BuildResult, BuiltApp } from '../contract/build.ts'
import { limit } from '../contract/limits.ts'
import { type BuildRequest, buildApp } from '../services/apps/build.ts'
import type { PythonWheel } from '../services/ports/build.ts'

export { readGit } from '../build/read-git.ts'

/** Folder of our Python packages. */
export const PYTHON_PACKAGES = fileURLToPath(new URL('../../resources/python', import.meta.url))
/** Every artifact holds them: the one that apps import, and the one of apps that were written for the public tool. */
export const SDK = ['svc', 'runpod_flash']
/** Makes what puts the wheel of these packages together when it is first asked for. @param version of Drydock */
export function openPythonWheel(version: string): () => Promise<PythonWheel> {
  let wheel: Promise<PythonWheel> | undefined
  return () => {
    wheel ??= buildWheel({ folder: PYTHON_PACKAGES, packages: SDK, name: 'svc', version }).catch((error: unknown) => {
      wheel = undefined // asked for again, it is tried again
      throw error
    })
    return wheel
  }
}

// How long an installer may go on without progress, in ms. Source: ours: both give up a connection that brings nothing
// after 15 to 30 s and try it again some times, which they print.
const INSTALL_LIMIT_MS = 180_000

/** What a builder takes; tests give limits of their own. */
export type AppBuilderOptions = {
  /** Environment of the scanner and the installers. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly limitBytes?: number
  /** Time without progress, in ms. */
  readonly installLimitMs?: number
}

type Build<Result> = (
  request: BuildRequest,
  report?: (event: BuildEvent) => void,
  signal?: AbortSignal,
) => Promise<Result>

/** Builds apps into archives. */
export type AppBuilder = Build<BuildResult>

/** Builds apps into folders. */
export type AppPlacer = Build<BuiltApp>

/** Makes the builder of this installation. */
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

/** Makes what builds an app into a folder of this machine, again and again: `output` of a request is the folder. */
export function createAppFolderWriter(options: Omit<AppBuilderOptions, 'limitBytes'>): AppPlacer {
  const pack = createFolderWriter({ pythonPackages: PYTHON_PACKAGES, sdk: SDK })
  // Asked once: it takes as long as half of a build, and changes with an installation of Python only.
  let version: Promise<string | undefined> | undefined
  const askOnce = (signal?: AbortSignal) => {
    version ??= localPython(options.env, signal)
    return version
  }
  const ports = { ...buildPorts(options), localPython: askOnce, pack }
  return (request, report, signal) => buildApp(ports, request, report, signal)
}

/** What every build takes, wherever its artifact goes. */
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
