/**
 * Joins what builds an app. Apart from core.ts, because a build needs no service: the command line builds without
 * loading a database or an engine.
 */
import { fileURLToPath } from 'node:url'
import { ignoreState, openBuildFolder, writeState } from '../build/build-folder.ts'
import { hashFiles } from '../build/hash-files.ts'
import { createPackageInstaller } from '../build/installed-sets.ts'
import { createPacker } from '../build/pack-artifact.ts'
import { createPythonScanner, localPython } from '../build/python-scanner.ts'
import type { BuildEvent, BuildResult } from '../contract/build.ts'
import { ARCHIVE_LIMIT_BYTES } from '../domain/app/archive-size.ts'
import { type BuildRequest, buildApp } from '../services/apps/build.ts'

const PYTHON_PACKAGES = fileURLToPath(new URL('../../resources/python', import.meta.url))
// Every artifact holds them: the one that apps import, and the one of apps that were written for the public tool.
const SDK = ['svc', 'runpod_flash']
// How long an installer may take, in ms. Source: the public tool.
const INSTALL_LIMIT_MS = 600_000

/** What a builder takes; tests give limits of their own. */
export type AppBuilderOptions = {
  /** Environment of the scanner and the installers. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly limitBytes?: number
  readonly installLimitMs?: number
}

/** Builds apps. */
export type AppBuilder = (
  request: BuildRequest,
  tell?: (event: BuildEvent) => void,
  signal?: AbortSignal,
) => Promise<BuildResult>

/** Makes the builder of this installation. */
export function createAppBuilder({
  env,
  limitBytes = ARCHIVE_LIMIT_BYTES,
  installLimitMs = INSTALL_LIMIT_MS,
}: AppBuilderOptions): AppBuilder {
  const ports = {
    scan: createPythonScanner({ packages: PYTHON_PACKAGES, env }),
    hashFiles,
    install: createPackageInstaller({ env, limitMs: installLimitMs, now: () => Date.now() }),
    pack: createPacker({ pythonPackages: PYTHON_PACKAGES, sdk: SDK, limitBytes }),
    openFolder: (project: string) => openBuildFolder(project, Date.now()),
    writeState,
    ignoreState,
    localPython: () => localPython(env),
    clock: { now: () => Date.now(), steady: () => performance.now() },
  }
  return (request, tell, signal) => buildApp(ports, request, tell, signal)
}
