/** Projects in folders of their own, on the service in one process. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { BuildView, ProjectDetail } from '../../src-main/contract/projects.ts'
import type { TestService } from './core.ts'
import { until } from './served-service.ts'

/** An app with one endpoint, in six lines. */
export const WORKER = `from svc import Endpoint

@Endpoint(name="greet", cpu="cpu3c-1-2")
def greet(name="you"):
    return name
`

/** A folder with these files that vanishes with the test. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const made = mkdtempSync(join(tmpdir(), 'drydock-project-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(made, path, '..'), { recursive: true })
    writeFileSync(join(made, path), text)
  }
  return made
}

/** Removes all other Python files of an app, so that a test starts no other workers. */
export function keepOnly(folder: string, files: readonly string[]): void {
  for (const other of readdirSync(folder))
    if (other.endsWith('.py') && !files.includes(other)) rmSync(join(folder, other))
}

/** Opens a folder with these files; `at` is the path of its routes. */
export async function openProject(service: TestService, files: Readonly<Record<string, string>>) {
  const path = folderWith(files)
  const { id } = await service.post('/api/projects', { folder: path })
  const at = `/api/projects/${id}`
  return { path, at, id: id as string, read: (): Promise<ProjectDetail> => service.get(at) }
}

/** Waits for the end of a build. @param at path of the project's routes */
export function buildEnd(service: TestService, at: string): Promise<BuildView> {
  return until(async () => {
    const build = await service.get(`${at}/build`)
    expect(build.state).not.toBe('running')
    return build
  })
}
