import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type AppBuilderOptions, createAppBuilder } from '../../src-main/app/app-builder/create-app-builder.ts'
import { type BuildEvent, BuildFailure, type BuildProblem } from '../../src-main/contract/build.ts'
import { makeWheels, onlyWheelsOf, type WheelContent } from '../support/wheels.ts'

/** An app with one endpoint that needs packages. */
export const appWith = (...dependencies: readonly string[]) => ({
  'worker.py': `from svc import Endpoint\n\n\n@Endpoint(name="greet", dependencies=${JSON.stringify(dependencies)})\ndef greet(name="you"):\n    return name\n`,
})

/** The python3 itself, not a launcher that looks for one on the PATH. */
export const PYTHON = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()

/**
 * A project, a folder of wheels as the only index, and a builder for it. @param machineIndex ask what this machine asks
 */
export function setup({
  files = appWith(),
  wheels = [],
  env = {},
  machineIndex = false,
  ...limits
}: {
  files?: Readonly<Record<string, string>>
  wheels?: readonly WheelContent[]
  env?: Readonly<Record<string, string>>
  machineIndex?: boolean
} & Omit<Partial<AppBuilderOptions>, 'env'> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'drydock-build-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const project = join(root, 'demo')
  const index = join(root, 'wheels')
  mkdirSync(index)
  if (wheels.length > 0) makeWheels(index, wheels)
  const write = (changed: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(changed)) {
      mkdirSync(dirname(join(project, name)), { recursive: true })
      writeFileSync(join(project, name), text)
    }
  }
  write(files)
  const artifact = join(project, '.svc', 'artifact.tar.gz')
  const builder = createAppBuilder({
    env: { ...process.env, ...(machineIndex ? {} : onlyWheelsOf(index)), ...env },
    ...limits,
  })
  const events: BuildEvent[] = []
  const build = (request: Partial<Parameters<typeof builder>[0]> = {}, signal?: AbortSignal) =>
    builder({ project, app: 'demo', output: artifact, ...request }, (event) => events.push(event), signal)
  return { root, project, artifact, write, build, events }
}

/** The problems that a build ends with. */
export async function problemsOf(build: Promise<unknown>): Promise<readonly BuildProblem[]> {
  const error = await build.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof BuildFailure)) throw error ?? new Error('the build did not fail')
  return error.problems
}

/** Contents of an archive, as Python's tarfile reads them: text by name. */
export function archiveTexts(path: string): Record<string, string> {
  const read =
    'import json, sys, tarfile; t = tarfile.open(sys.argv[1]); print(json.dumps({m.name: t.extractfile(m).read().decode("latin-1") for m in t.getmembers()}))'
  return JSON.parse(execFileSync('python3', ['-c', read, path], { encoding: 'utf8', maxBuffer: 2 ** 28 }))
}

/** A folder with programs (shell scripts by name) that is to be the whole PATH. */
export function programs(root: string, scripts: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, 'bin-'))
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** All that a build may leave in addition to a working artifact: names in `.svc` and in its folder of packages. */
export function leftIn(project: string): { state: string[]; packages: string[] } {
  const names = (path: string) => {
    try {
      return readdirSync(path).sort()
    } catch {
      return []
    }
  }
  return { state: names(join(project, '.svc')), packages: names(join(project, '.svc', 'packages')) }
}
